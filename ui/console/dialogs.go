package console

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// handedOver says when the agent on screen receives a message.
func handedOver(x facts) []string {
	a := x.State.Desk.Agent
	a.ID = x.State.Agent
	return []string{x.Handover(a, x.Inner()-1)}
}

// itemLine names an item in a dialog: glyph and objective.
func itemLine(x facts, label string, r model.Row) string {
	note := model.Spaced(r.Scheduling)
	width := x.Inner() - 7 - 2 - text.Width(note) - 3
	return " " + x.Muted.Paint(text.Pad(label, 7)) + x.RowMark(r).String() + " " +
		text.Pad(x.Show(r.Objective), max(width, 4)) + " " + x.Muted.Paint(note)
}

// about is a form's title: the command and the item.
func about(x facts, what string, r model.Row) string {
	return fmt.Sprintf("%s %s  %s", what, r.Handle, x.Cut(r.Objective, 50))
}

// itemForm is a form for a command on an item. draft names the kind of its drafts; if empty, no draft is kept.
func itemForm(x facts, r model.Row, command, draft, title, foot string) *form {
	f := &form{Title: title, Foot: foot, Seen: x.Revision(r), For: dialogSubject{Item: r.ID, Command: command}}
	if draft != "" {
		f.DraftKey = draft + ":" + string(r.ID)
	}
	return f
}

// picking asks for the reason why runnable work is left, or says that the pick is for review only.
func picking(x facts, r model.Row, o model.Outlook) dialog {
	p := model.PickWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
	f := itemForm(x, r, model.CommandName(p), "pick", fmt.Sprintf("Pick %s for %s", r.Handle, x.State.Agent), "{open} pick · {back} cancel")
	if o.AsksReason {
		f.Foot = "{open} pick · empty = without a reason · {back} cancel"
		f.Fields = []formField{lineField("", model.MaxReason, &p.Reason, "")}
		f.Canned = []string{"my priority", "current is waiting on a slow task", "wrong item"}
	}
	f.Submit = func(facts) message { return apply{Command: p, Said: "Picked " + string(r.Handle)} }
	f.Head = func(x facts) []string {
		var out []string
		if o.From != nil {
			out = append(out, itemLine(x, "From", *o.From))
		}
		out = append(out, itemLine(x, "To", r), "")
		if o.AsksReason {
			out = append(out, x.Note("Why switch?   the Activity shows the reason"))
		}
		return out
	}
	f.Warn = func(facts) []string {
		if !o.ReviewOnly {
			return nil
		}
		what := "It stays " + model.Spaced(r.Scheduling)
		if r.BlockedBy != "" {
			what = `It keeps its blocker "` + text.Cut(r.BlockedBy.String(), 60) + `"`
		}
		return []string{what + ". Picking it is for review only."}
	}
	return f
}

// releaseLines says whether the item gives up the focus, and names the next candidate.
func releaseLines(r model.Row) func(facts) []string {
	return func(x facts) []string {
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
		return x.Note("Next: ") + x.RowMark(r).Text + " " + x.Cut(r.Objective, 50)
	}
	return x.Note("Next: none")
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
	var by model.Text
	f := itemForm(x, r, "UpdateWorkItem", "block", about(x, "Block", r), "{open} block · {back} keeps the draft")
	f.Tail = releaseLines(r)
	f.Fields = []formField{lineField("Blocked by", model.MaxBlocker, &by, "say what blocks it, or {back}")}
	f.Submit = func(x facts) message {
		return f.update(x, "Blocked "+string(r.Handle), r, model.UpdateWorkItem{BlockedBy: model.SetTo(by)})
	}
	return f
}

// cancelling shows the agent's own question, and ends the wait without an answer.
func cancelling(x facts, r model.Row, id model.WaitID) *form {
	name := x.AgentName(r.AgentID)
	f := itemForm(x, r, "CancelWait", "", "Cancel the question of "+name, "{open} cancels it · {back} leaves it")
	f.Head = func(x facts) []string {
		out := x.Prose(cmp.Or(r.Wait.Question, r.Objective), x.Inner(), x.Strong)
		return append(out, x.Note(x.Keyed("It waits no more then. {message} tells it why.")))
	}
	f.Submit = func(facts) message {
		return apply{Said: "Cancelled the question of " + name, Command: model.CancelWait{WaitID: id}}
	}
	return f
}

// unblocking shows a blocker and the effect of clearing it.
func unblocking(x facts, r model.Row) *form {
	f := itemForm(x, r, "UpdateWorkItem", "", "Unblock "+string(r.Handle), "{open} clears the blocker · {back} cancel")
	f.Head = func(x facts) []string {
		out := blockerLines(x, r)
		if r.Wait.Kind != "" {
			out = append(out, "", x.Note("Its "+string(r.Wait.Kind)+" wait is cancelled with the blocker."))
		}
		return append(out, x.Note("The focus stays where it is."))
	}
	f.Submit = func(x facts) message {
		return f.update(x, "Unblocked "+string(r.Handle), r, model.UpdateWorkItem{BlockedBy: model.Clear()})
	}
	return f
}

// update changes a row's item, at the revision that the operator saw.
func (f *form) update(x facts, said string, r model.Row, u model.UpdateWorkItem) message {
	u.WorkItemID, u.SeenRevision = r.ID, f.Revision(x, r)
	return apply{Said: said, Command: u}
}

func blockerLines(x facts, r model.Row) []string {
	out := []string{itemLine(x, "Item", r), "", x.Note("Blocked by")}
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
	r := *c.row()
	f := unblocking(c.facts(), r)
	f.Title = "Review " + string(r.Handle)
	f.Head = func(x facts) []string {
		out := append(blockerLines(x, r), "")
		if x.Detail != nil {
			for _, w := range x.Detail.ActiveWaits {
				out = append(out, x.Wait(w, r.BlockedBy, x.Inner()-2)...)
			}
		}
		return append(out, x.Notes(x.Keyed("News clears nothing by itself. {pick} picks for review, {wait} waits again."))...)
	}
	return f
}

// creating asks for a new item's objective and the first text of its plan.
func creating(c *console) dialog {
	var item model.CreateWorkItem
	return &form{
		Title:    fmt.Sprintf("New work item for %s", c.agent),
		DraftKey: "new:" + string(c.agent),
		Fields: []formField{
			lineField("Objective", model.MaxObjective, &item.Objective, "an objective is needed"),
			textField("Plan text   becomes plan.md; can stay empty", 6, model.MaxReport, &item.Plan, ""),
		},
		Tail:   func(x facts) []string { return []string{"", x.Note(x.Keyed("The focus stays. {pick} picks it."))} },
		Foot:   "{open} create · {submit} from the plan · {next-pane} field · {back} keeps the draft",
		Submit: func(facts) message { return apply{Said: "Created", Command: item} },
	}
}

// rewording edits the objective.
func rewording(c *console) dialog {
	x, r := c.facts(), *c.row()
	objective := r.Objective
	if x.Detail != nil {
		objective = x.Detail.Objective
	}
	var words model.Text
	f := itemForm(x, r, "UpdateWorkItem", "objective", "Objective of "+string(r.Handle), "{submit} save · {back} keeps the draft")
	f.Fields = []formField{textField("Objective", 3, model.MaxObjective, &words, "")}
	f.Fields[0].Set(objective.String())
	f.Head = func(x facts) []string {
		if !f.Changed() {
			return nil
		}
		return []string{x.Note("Now: " + x.Cut(objective, x.Inner()-8)), ""}
	}
	f.Submit = func(x facts) message {
		words = model.Text(strings.ReplaceAll(words.Raw(), "\n", " ")) // raw: sent, not shown
		return f.update(x, "Objective saved", r, model.UpdateWorkItem{Objective: &words})
	}
	return f
}

// bulkShown is the number of marked items that a dialog names.
const bulkShown = 5

// bulkBlocking sets one blocker for all marked items, or changes their rechecks, in one transaction. If all of
// them are blocked, an empty blocker keeps each item's own blocker.
func bulkBlocking(x facts, rows []model.Row) dialog {
	var by model.Text
	var recheck time.Time
	f := &form{
		Title:    fmt.Sprintf("Block %d items of %s", len(rows), x.State.Agent),
		DraftKey: "block:" + string(x.State.Agent),
		Head:     func(x facts) []string { return bulkLines(x, rows) },
		Foot:     "{open} save all or none · {back} keeps the draft",
	}
	f.Fields = []formField{
		lineField("Blocked by   empty: each keeps its own blocker", model.MaxBlocker, &by, ""),
		lineField("Check again", 40, nil, ""),
		{Options: []string{"set the blocker", "clear the blockers and their waits"}},
	}
	f.Fields[1].Instant, f.Fields[1].Note = &recheck, func(facts) string { return "in one hour, or like 30m, 16:00, tomorrow 9" }
	f.Submit = func(x facts) message {
		clears := f.Fields[2].Chosen == 1
		all, refusal := action.BlockRows(rows, clears, by, millis(recheck, x.Now))
		if refusal != "" {
			return trouble(refusal)
		}
		said := "Blocked"
		if clears {
			said = "Unblocked"
		}
		return apply{Said: fmt.Sprintf("%s %d items", said, len(rows)), Command: all}
	}
	return f
}

// bulkLines names the items of a bulk action.
func bulkLines(x facts, rows []model.Row) []string {
	var out []string
	for i, r := range rows {
		if i == bulkShown && len(rows) > bulkShown+1 {
			out = append(out, x.Note(fmt.Sprintf("and %d more", len(rows)-i)))
			break
		}
		out = append(out, " "+x.RowMark(r).String()+" "+x.Cut(r.Objective, x.Inner()-4))
	}
	for _, r := range rows {
		if r.IsCurrent {
			out = append(out, x.Notes("Among them is the current item: it is then no longer current.")...)
		}
	}
	return append(out, "")
}
