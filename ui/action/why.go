package action

import "vise/model"

// offered asks the rules whether a command makes sense for the item under the cursor.
func offered(command string) func(State) string {
	return func(s State) string {
		if s.Item == nil {
			return NoItem
		}
		return model.NotOffered(*s.Item, command)
	}
}

// planHere refuses to edit the plan of another machine's home.
func planHere(s State) string {
	if host := model.HostOf(s.Item.ID); host != "" {
		return "the plan is on " + host + ": edit it there"
	}
	return ""
}

// NoItem is the refusal of an act on a work item where there is none.
const NoItem = "no work item is selected"

// needs returns a condition of an action: why, unless holds is true.
func needs(holds func(State) bool, why string) func(State) string {
	return func(s State) string {
		if holds(s) {
			return ""
		}
		return why
	}
}

// needsOfItem is like needs for the item under the cursor, whose handle begins the reason.
func needsOfItem(holds func(model.Row) bool, why string) func(State) string {
	return func(s State) string {
		if s.Item == nil || holds(*s.Item) {
			return anItem(s)
		}
		return string(s.Item.Handle) + why
	}
}

// all returns the first reason of several conditions.
func all(asks ...func(State) string) func(State) string {
	return func(s State) string {
		for _, ask := range asks {
			if why := ask(s); why != "" {
				return why
			}
		}
		return ""
	}
}

// only refuses an action that has a meaning elsewhere.
func only(where string) func(State) string { return func(State) string { return "only " + where } }

func isDesk(s State) bool { return s.View == "" || s.View == "desk" }

// The conditions of actions. opens needs an item, or on other views a subject under the cursor. findings needs a session of file todos, in
// views that offer triage. onDesk needs the desk.
var (
	anItem = needs(func(s State) bool { return s.Item != nil }, NoItem)
	opens  = needs(func(s State) bool { return s.Item != nil || !isDesk(s) }, NoItem)
	ticks  = all(offered("UpdateWorkItem"),
		needsOfItem(func(r model.Row) bool { return r.Todo.Done < r.Todo.Total }, " has no open todo"))
	editable  = all(anItem, planned, planHere, needs(func(s State) bool { return s.Editor }, "no editor: set $EDITOR"))
	planned   = needsOfItem(func(r model.Row) bool { return !r.OfAgent() }, " is no work item, and has no plan")
	undoable  = needs(func(s State) bool { return s.Undo != "" }, "nothing to undo; a completion is final")
	redoable  = needs(func(s State) bool { return s.Redo != "" }, "nothing was undone since your last act")
	inEarnest = needs(func(s State) bool { return !s.Demo }, "the demo has only its own work items")
	aFilter   = needs(func(s State) bool { return s.Filtered }, "the queue is not filtered")
	searching = needs(func(s State) bool { return s.Search }, "nothing is searched for: {filter} in the detail begins")
	findings  = needs(func(s State) bool { return s.FileTodos },
		"there are no file todos here: vise todo import makes some of a report")

	anAgent         = needs(func(s State) bool { return s.Agent != "" }, "the ledger knows no agent yet")
	severalAgents   = needs(func(s State) bool { return s.Agents >= 2 }, "there is only one agent")
	anybodyNeedsYou = needs(func(s State) bool { return s.NeedYou > 0 }, "nothing needs you")

	onDesk     = needs(isDesk, "only on the Desk ({view-desk})")
	onDeskItem = all(onDesk, anItem)
	markable   = all(needs(func(s State) bool { return isDesk(s) || s.View == "fleet" },
		"only on the Desk ({view-desk}) and in the inbox ({view-fleet})"), anItem)
	blockable = all(needs(func(s State) bool { return s.Marked == 0 || isDesk(s) },
		"marked work items are blocked on the Desk ({view-desk}); here {hide} hides them"), offered("CancelWait"))
	hasPreview = needs(func(s State) bool { return s.Preview || s.View != "fleet" },
		"the Fleet shows no detail on less than 160 columns")
)

func aKnownAgent(s State) string {
	if why := anAgent(s); why != "" || s.Desk.Agent.ID != "" {
		return why
	}
	return "the ledger does not know " + model.Text(s.Agent).String() + " yet"
}

// aNeed needs something to hide from the inbox, or to bring back. Of marked rows, the ledger takes those that need the operator.
func aNeed(s State) string {
	switch {
	case s.MarkedNeed:
		return ""
	case s.Marked > 0:
		return "none of the marked items needs anything from you"
	case s.Item == nil:
		return NoItem
	case s.Item.AgentFails():
		return model.Text(s.Item.AgentID).String() + " stays here until a turn goes well, or it is stopped"
	case s.Item.IsPermission() && s.Item.Wait.WakeAt.IsZero():
		return ""
	case s.Item.IsPermission():
		return "a permission stays as long as its program waits for your answer"
	case s.Item.OfAgent():
		return "a question stays until it is answered, or cancelled"
	case !s.needs():
		return string(s.Item.Handle) + " needs nothing from you"
	}
	return ""
}

// aTry needs something to try again, or a trigger to review.
func aTry(s State) string {
	switch {
	case s.Item != nil && (s.stalled() || s.triggered()), s.resting():
		return ""
	case s.Item != nil && !s.Item.OfAgent():
		return string(s.Item.Handle) + " is not stalled and has no news, and its agent does not rest"
	case s.Agent == "":
		return anAgent(s)
	}
	return model.Text(s.Agent).String() + " does not rest, and does not fail"
}

func (s State) stalled() bool {
	return s.Item.Stalled || s.needs() && s.Need.Need == model.NeedNudge
}

func (s State) triggered() bool { return !s.Item.Wait.LastTriggeredAt.IsZero() }

// resting reports whether something delays the agent's next turn, its work is stalled, or its last turn failed.
func (s State) resting() bool {
	return s.Desk.Decision.HeldBy != "" || s.Desk.Decision.Skipped > 0 || s.Desk.Agent.Failing()
}

// Hinted returns a with its current word for the hint line. The obvious action's word says what it does now.
func (t Catalogue) Hinted(a Action, s State) Action {
	is := a
	if a.ID == Do {
		is = t.ByID(t.Obvious(s))
	}
	a.Hint = is.Hint
	switch {
	case is.ID == Review && !s.Review():
		a.Hint = "retry"
	case is.ID == NeedsYou && a.ID == Do:
		a.Hint = "open need"
	}
	return a
}

// Review reports whether the item's trigger should be reviewed.
func (s State) Review() bool { return s.Item != nil && !s.stalled() && s.triggered() }

// Retry returns what should be tried again if nothing should be reviewed: a stalled item, else its agent.
func (s State) Retry() model.Retry {
	if s.Item != nil && s.stalled() {
		return model.Retry{WorkItemID: s.Item.ID}
	}
	return model.Retry{AgentID: s.Desk.Agent.ID}
}
