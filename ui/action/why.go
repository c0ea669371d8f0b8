package action

import "vise/model"

// offered asks the rules whether a command makes sense for the item under the cursor.
func offered(command string) func(State) string {
	return func(s State) string {
		if s.Item == nil {
			return noItem
		}
		return model.NotOffered(*s.Item, command)
	}
}

const noItem = "no work item is selected"

// opens: an item, or on the other views what the cursor is on.
func opens(s State) string {
	if s.View != "" && s.View != "desk" {
		return ""
	}
	return anItem(s)
}

func aFilter(s State) string {
	if !s.Filtered {
		return "the queue is not filtered"
	}
	return ""
}

func anItem(s State) string {
	if s.Item == nil {
		return noItem
	}
	return ""
}

func triggered(s State) string {
	if s.Item == nil {
		return noItem
	}
	if s.Item.Wait.LastTriggeredAt.IsZero() {
		return string(s.Item.Handle) + " was not triggered"
	}
	return ""
}

// findings: triage is offered where there is a session; its hint only where something waits.
func findings(s State) string {
	if !s.FileTodos {
		return "there are no file todos here: vise todo import makes some of a report"
	}
	return ""
}

func reported(s State) string {
	if s.Item == nil {
		return noItem
	}
	if !s.Item.Reported {
		return string(s.Item.Handle) + " has no report"
	}
	return ""
}

func editable(s State) string {
	if s.Item == nil {
		return noItem
	}
	if !s.Editor {
		return "no editor: set $EDITOR"
	}
	return ""
}

func undoable(s State) string {
	if s.Undo == "" {
		return "nothing to undo; a completion is final"
	}
	return ""
}

func redoable(s State) string {
	if s.Redo == "" {
		return "nothing was undone since your last act"
	}
	return ""
}

func searching(s State) string {
	if !s.Search {
		return "nothing is searched for: {filter} in the detail begins"
	}
	return ""
}

func anAgent(s State) string {
	if s.Agent == "" {
		return "the ledger knows no agent yet"
	}
	return ""
}

func aKnownAgent(s State) string {
	if why := anAgent(s); why != "" {
		return why
	}
	if s.Desk.Agent.ID == "" {
		return "the ledger does not know " + model.Text(s.Agent).String() + " yet"
	}
	return ""
}

func severalAgents(s State) string {
	if s.Agents < 2 {
		return "there is only one agent"
	}
	return ""
}

func anybodyNeedsYou(s State) string {
	if s.NeedYou == 0 && s.Desk.NeedsYou == 0 {
		return "nothing needs you"
	}
	return ""
}

// onDesk is for what only the desk has.
func onDesk(s State) string {
	if s.View != "" && s.View != "desk" {
		return "only on the Desk ({view-desk})"
	}
	return ""
}

func notOnFleet(s State) string {
	if s.View == "fleet" {
		return "the Fleet has no filter; Activity ({view-activity}) and Reports ({view-reports}) have one"
	}
	return ""
}

func hasPreview(s State) string {
	if s.View == "fleet" || s.View == "activity" {
		return "only on the Desk ({view-desk}) and on Reports ({view-reports})"
	}
	return ""
}

func onActivity(s State) string {
	if s.View != "activity" {
		return "only on the Activity ({view-activity})"
	}
	return ""
}

func onDeskItem(s State) string {
	if why := onDesk(s); why != "" {
		return why
	}
	return anItem(s)
}

// aNeed: there is something to acknowledge. Of marked rows the ledger takes those that need it.
func aNeed(s State) string {
	switch {
	case s.Marked > 0 && onDesk(s) == "":
		return ""
	case s.Item == nil:
		return noItem
	case s.Need == nil || s.Need.ID != s.Item.ID:
		return string(s.Item.Handle) + " needs nothing from you"
	case s.Need.Seen:
		return string(s.Item.Handle) + " is acknowledged: it is quiet until something new happens"
	}
	return ""
}
