package console

import (
	"cmp"
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// onScreen is the frame for the drawing functions of screens.
func onScreen(x facts) screen.Frame { return x.Frame }

// handedOver says when the agent on screen receives a message.
func handedOver(x facts, _ *form) []string {
	a := x.State.Desk.Agent
	a.ID = x.State.Agent
	return []string{x.Handover(a, x.Inner()-1)}
}

// itemLine names an item in a dialog: glyph and objective.
func itemLine(x facts, label string, r model.Row, note string) string {
	width := x.Inner() - 7 - 2 - text.Width(note) - 3
	return x.Note(text.Pad(label, 7)) + x.RowInk(r).Paint(x.RowMark(r)) + " " +
		text.Pad(x.Show(r.Objective), max(width, 4)) + " " + x.Muted.Paint(note)
}

func scheduled(r model.Row) string { return model.Spaced(r.Scheduling) }

// about is a form's title: the command and the item.
func about(x facts, what string, r model.Row) string {
	return fmt.Sprintf("%s %s  %s", what, r.Handle, x.Cut(r.Objective, 50))
}

// itemForm is a form for a command on an item. draft names the kind of its drafts; if empty, no draft is kept.
func itemForm(x facts, r model.Row, command, draft string) *form {
	f := &form{Seen: x.Revision(r), For: dialogSubject{Item: r.ID, Command: command}}
	if draft != "" {
		f.DraftKey = draft + ":" + string(r.ID)
	}
	return f
}

func textField(rows, limit int) screen.Field { return screen.NewField("", rows, limit) }

// picking asks for the reason why runnable work is left, or says that the pick is for review only.
func picking(x facts, r model.Row, o model.Outlook) dialog {
	f := itemForm(x, r, "PickWorkItem", "pick")
	f.Title, f.Foot = fmt.Sprintf("Pick %s for %s", r.Handle, x.State.Agent), "{submit-line} pick · {close} cancel"
	if o.AsksReason {
		f.Foot = "{submit-line} pick · empty = without a reason · {close} cancel"
		f.Fields = []formField{{Field: textField(1, model.MaxReason)}}
		f.Canned = []string{"operator priority", "current is waiting on a slow task", "wrong item"}
	}
	f.Submit = func(_ facts, f *form) message {
		p := model.PickWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
		if len(f.Fields) > 0 {
			p.Reason = f.Text(0)
		}
		return apply{Command: p, Said: "Picked " + string(r.Handle)}
	}
	f.Head = func(x facts, _ *form) []string {
		var out []string
		if o.From != nil {
			out = append(out, itemLine(x, "From", *o.From, scheduled(*o.From)))
		}
		out = append(out, itemLine(x, "To", r, scheduled(r)), "")
		if o.AsksReason {
			out = append(out, x.Note("Why switch?   the Activity shows the reason"))
		}
		return out
	}
	f.Tail = func(x facts, f *form) []string {
		var out []string
		if len(f.Canned) > 0 {
			out = append(out, x.Note("  1 "+f.Canned[0]+"    2 "+f.Canned[1]+"    3 "+f.Canned[2]), "")
		}
		if !o.ReviewOnly {
			return out
		}
		what := "It stays " + scheduled(r)
		if r.BlockedBy != "" {
			what = `It keeps its blocker "` + text.Cut(r.BlockedBy.String(), 60) + `"`
		}
		return append(out, x.Warn(what+". Picking it is for review only.")...)
	}
	return f.WithDraft(x.Drafts)
}

// releaseLines says whether the item gives up the focus, and names the next candidate.
func releaseLines(r model.Row) func(facts, *form) []string {
	return func(x facts, _ *form) []string {
		out := []string{""}
		if r.IsCurrent {
			out = append(out, x.Note("It is then no longer current."))
		}
		return append(out, nextLine(x, r.ID))
	}
}

// nextLine names the next candidate if an item no longer counts.
func nextLine(x facts, id model.ItemID) string {
	if r, ok := x.State.Desk.NextWithout(id); ok {
		return x.Note("Next candidate: ") + x.RowMark(r) + " " + x.Cut(r.Objective, 50)
	}
	return x.Note("Next candidate: none")
}

// blocking is for the marked items or the item under the cursor. It sets a blocker, or shows the present one,
// which enter clears.
func blocking(c *console) dialog {
	x := c.facts()
	if rows := c.marked(); len(rows) > 0 {
		return bulkBlocking(x, rows)
	}
	r := *c.row()
	switch id, asks := r.Question(); {
	case asks:
		return cancelling(x, r, id)
	case r.CanUnblock():
		return unblocking(x, r)
	}
	f := itemForm(x, r, "UpdateWorkItem", "block")
	f.Title, f.Foot, f.Tail = about(x, "Block", r), "{submit-line} block · {close} keeps the draft", releaseLines(r)
	f.Fields = []formField{{Label: "Blocked by", Field: textField(1, model.MaxBlocker)}}
	f.Submit = func(x facts, f *form) message {
		if f.Fields[0].Empty() {
			return trouble(x.Keyed("say what blocks it, or {close}"))
		}
		return update(x, f, r, "Blocked "+string(r.Handle), model.UpdateWorkItem{BlockedBy: model.SetTo(f.Text(0))})
	}
	return f.WithDraft(x.Drafts)
}

// cancelling shows the agent's own question, and ends the wait without an answer.
func cancelling(x facts, r model.Row, id model.WaitID) *form {
	f := itemForm(x, r, "CancelWait", "")
	f.Title, f.Foot = "Cancel the question of "+x.AgentName(r.AgentID), "{submit-line} cancels it · {close} leaves it"
	f.Head = func(x facts, _ *form) []string {
		out := x.Wrapped(cmp.Or(r.Wait.Question, r.Objective), x.Inner(), x.Strong)
		return append(out, x.Note(x.Keyed("It waits no more then. {message} tells it why.")))
	}
	f.Submit = func(facts, *form) message {
		return apply{Said: "Cancelled the question of " + x.AgentName(r.AgentID), Command: model.CancelWait{WaitID: id}}
	}
	return f
}

// unblocking shows a blocker and the effect of clearing it.
func unblocking(x facts, r model.Row) *form {
	f := itemForm(x, r, "UpdateWorkItem", "")
	f.Title, f.Foot = fmt.Sprintf("Unblock %s", r.Handle), "{submit-line} clears the blocker · {close} cancel"
	f.Head = func(x facts, _ *form) []string {
		out := blockerLines(x, r)
		if r.Wait.Kind != "" {
			out = append(out, "", x.Note("Its "+string(r.Wait.Kind)+" wait is cancelled with the blocker."))
		}
		return append(out, x.Note("The focus stays where it is."))
	}
	f.Submit = func(x facts, f *form) message {
		return update(x, f, r, "Unblocked "+string(r.Handle), model.UpdateWorkItem{BlockedBy: model.Clear()})
	}
	return f
}

// update changes a row's item, at the revision that the operator saw.
func update(x facts, f *form, r model.Row, said string, u model.UpdateWorkItem) message {
	u.WorkItemID, u.SeenRevision = r.ID, f.Revision(x, r)
	return apply{Said: said, Command: u}
}

func blockerLines(x facts, r model.Row) []string {
	out := []string{itemLine(x, "Item", r, scheduled(r)), "", x.Note("Blocked by")}
	return append(out, x.Wrapped(r.BlockedBy, x.Inner()-2, x.Blocked)...)
}

// retryOrReview retries a stalled item or an idle agent, or shows what triggered an item.
func retryOrReview(c *console) {
	s := c.state()
	if s.Review() {
		c.open(reviewing(c))
		return
	}
	r, name := s.Retry(), clean(s.Agent)
	if r.WorkItemID != "" {
		name = string(s.Item.Handle)
	}
	c.send(r, "Trying "+name+" again, as soon as a driver runs")
}

// reviewing shows what triggered an item beside the item's waits.
func reviewing(c *console) dialog {
	x, r := c.facts(), *c.row()
	f := unblocking(x, r)
	f.Title = fmt.Sprintf("Review %s", r.Handle)
	f.Head = func(x facts, _ *form) []string {
		out := append(blockerLines(x, r), "")
		if x.Detail != nil {
			for _, w := range x.Detail.ActiveWaits {
				out = append(out, x.Wait(w, r.BlockedBy, x.Inner()-2)...)
			}
		}
		return append(out, x.Notes(x.Keyed("A trigger clears nothing by itself. {pick} picks for review, {wait} waits again."))...)
	}
	return f
}

// creating asks for a new item's objective and the first text of its plan.
func creating(c *console) dialog {
	x := c.facts()
	f := &form{
		Title:    fmt.Sprintf("New work item for %s", x.State.Agent),
		DraftKey: "new:" + string(x.State.Agent),
		Fields: []formField{
			{Label: "Objective", Field: textField(1, model.MaxObjective)},
			{Label: "Plan text   becomes plan.md; can stay empty", Field: textField(6, model.MaxReport)},
		},
		Tail: func(x facts, _ *form) []string {
			return []string{"", x.Note(x.Keyed("The focus stays. {pick} picks it."))}
		},
		Foot: "{submit-line} create · {submit} from the plan · {next-field} field · {close} keeps the draft",
		Submit: func(_ facts, f *form) message {
			if f.Fields[0].Empty() {
				return trouble("an objective is needed")
			}
			return apply{Said: "Created", Command: model.CreateWorkItem{Objective: f.Text(0), Plan: model.Text(f.Fields[1].Value())}}
		},
	}
	return f.WithDraft(x.Drafts)
}

// rewording edits the objective.
func rewording(c *console) dialog {
	x, r := c.facts(), *c.row()
	objective := r.Objective
	if x.Detail != nil {
		objective = x.Detail.Objective
	}
	f := itemForm(x, r, "UpdateWorkItem", "objective")
	f.Title, f.Foot = fmt.Sprintf("Objective of %s", r.Handle), "{submit} save · {close} keeps the draft"
	f.Fields = []formField{{Label: "Objective", Field: screen.NewField(objective.String(), 3, model.MaxObjective)}}
	f.Head = func(x facts, f *form) []string {
		if !f.Changed() {
			return nil
		}
		return []string{x.Note("Now: " + x.Cut(objective, x.Inner()-8)), ""}
	}
	f.Submit = func(x facts, f *form) message {
		t := model.Text(strings.ReplaceAll(f.Value(0), "\n", " "))
		return update(x, f, r, "Objective saved", model.UpdateWorkItem{Objective: &t})
	}
	return f.WithDraft(x.Drafts)
}

// bulkShown is the number of marked items that a dialog names.
const bulkShown = 5

// bulkBlocking sets one blocker for all marked items, or changes their rechecks, in one transaction. If all of
// them are blocked, an empty blocker keeps each item's own blocker.
func bulkBlocking(x facts, rows []model.Row) dialog {
	f := &form{
		Title:    fmt.Sprintf("Block %d items of %s", len(rows), x.State.Agent),
		DraftKey: "block:" + string(x.State.Agent),
		Head:     func(x facts, _ *form) []string { return bulkLines(x, rows) },
		Fields: []formField{
			{Label: "Blocked by   empty: each keeps its own blocker", Field: textField(1, model.MaxBlocker)},
			{Label: "Recheck", Field: textField(1, 40), Note: recheckNote},
			{Options: []string{"set the blocker", "clear the blockers and their waits"}},
		},
		Foot: "{submit-line} save all or none · {close} keeps the draft",
		Submit: func(x facts, f *form) message {
			b := action.BlockRows{Clear: f.Fields[2].Chosen == 1, By: f.Text(0), Recheck: f.Value(1)}
			all, refusal := b.Command(rows, x.Now)
			if refusal != "" {
				return trouble(refusal)
			}
			said := fmt.Sprintf("Blocked %d items", len(rows))
			if b.Clear {
				said = fmt.Sprintf("Unblocked %d items", len(rows))
			}
			return apply{Said: said, Command: all}
		},
	}
	return f.WithDraft(x.Drafts)
}

// recheckNote shows the instant that the typed time means.
func recheckNote(x facts, f *form) string {
	if f.Fields[1].Empty() {
		return "in one hour, or like 30m, 16:00, tomorrow 9"
	}
	at, err := model.ParseTime(f.Value(1), x.Now)
	if err != nil {
		return err.Error()
	}
	return x.BothTimes(at)
}

// bulkLines names the items of a bulk action.
func bulkLines(x facts, rows []model.Row) []string {
	var out []string
	for i, r := range rows {
		if i == bulkShown && len(rows) > bulkShown+1 {
			out = append(out, x.Note(fmt.Sprintf("and %d more", len(rows)-i)))
			break
		}
		mark := x.RowInk(r).Paint(x.RowMark(r))
		out = append(out, " "+mark+" "+x.Cut(r.Objective, x.Inner()-4))
	}
	for _, r := range rows {
		if r.IsCurrent {
			out = append(out, x.Notes("Among them is the current item: it is then no longer current.")...)
		}
	}
	return append(out, "")
}
