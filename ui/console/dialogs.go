package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// itemLine names an item in a dialog: glyph, handle, objective.
func (s surroundings) itemLine(label string, r model.Row, note string) string {
	k := s.styles
	room := d80(s.layout.w) - 7 - 2 - len(r.Handle) - 2 - text.Width(note) - 2
	return " " + k.Muted.Paint(text.Pad(label, 7)) + inkOfRow(k, r).Paint(s.glyphOfRow(r)) + " " +
		k.Muted.Paint(string(r.Handle)) + " " + text.Pad(s.show(r.Objective), max(room, 4)) + " " + k.Muted.Paint(note)
}

// warnLine is a sentence with a warning mark, wrapped.
func (s surroundings) warnLine(words string) []string {
	var out []string
	mark := s.styles.Glyph.Warning
	for _, l := range text.Wrap(s.styles.Safe(words), d80(s.layout.w)-4) {
		out = append(out, " "+s.styles.NeedsYou.Paint(mark+" "+l))
		mark = " "
	}
	return out
}

func (s surroundings) mutedLine(words string) string { return " " + s.styles.Muted.Paint(words) }

// mutedLines is mutedLine for what may be longer than a dialog is wide.
func (s surroundings) mutedLines(words string) []string { return s.said(words, d80(s.layout.w)) }

func scheduled(r model.Row) string { return strings.ReplaceAll(string(r.Scheduling), "_", " ") }

// picking asks why runnable work is left, or says that the pick is for review only.
func picking(c Console, r model.Row, o model.Outlook) dialog {
	f := &form{
		about: subject{r.ID, "PickWorkItem"},
		title: fmt.Sprintf("Pick %s for %s", r.Handle, c.place.agent),
		foot: func(f *form) string {
			if len(f.fields) == 0 {
				return action.Keyed("{submit-line} pick · {close} cancel")
			}
			return action.Keyed("{submit-line} pick · empty = reason recorded as missing · {close} cancel")
		},
		submit: func(_ surroundings, f *form) wish {
			p := model.PickWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
			if len(f.fields) > 0 {
				p.Reason = f.text(0)
			}
			return wish{command: p, said: "Picked " + string(r.Handle)}
		},
	}
	f.draftKey = "pick:" + string(r.ID)
	f.head = func(s surroundings, _ *form) []string {
		var out []string
		if o.From != nil {
			out = append(out, s.itemLine("From", *o.From, scheduled(*o.From)))
		}
		out = append(out, s.itemLine("To", r, scheduled(r)), "")
		if o.AsksReason {
			out = append(out, s.mutedLine("Why switch?   stored on the work_item_picked event and nowhere else"))
		}
		return out
	}
	if o.AsksReason {
		f.fields = []formField{{Field: widget.NewField("", 1, model.MaxReason)}}
		f.canned = []string{"operator priority", "current is waiting on a slow task", "wrong item"}
	}
	f.tail = func(s surroundings, f *form) []string {
		var out []string
		if len(f.canned) > 0 {
			out = append(out, s.mutedLine("  1 "+f.canned[0]+"    2 "+f.canned[1]+"    3 "+f.canned[2]), "")
		}
		if o.ReviewOnly {
			what := "It keeps its blocker"
			if r.BlockedBy != "" {
				what += ` "` + text.Cut(r.BlockedBy.String(), 60) + `"`
			} else if r.BlockedBy == "" {
				what = "It stays " + scheduled(r)
			}
			out = append(out, s.warnLine(what+". Picking it is for review only.")...)
		}
		return out
	}
	return f.withDraft(c.drafts[f.draftKey])
}

// completing asks for the report and shows what completion leaves undone.
func completing(c Console) dialog {
	r := *c.row()
	f := &form{
		about:    subject{r.ID, "CompleteWorkItem"},
		title:    fmt.Sprintf("Complete %s  %s", r.Handle, text.Cut(c.show(r.Objective), 50)),
		draftKey: "complete:" + string(r.ID),
		fields:   []formField{{label: "Report", Field: widget.NewField("", 6, model.MaxReport)}},
	}
	todos := deciding(c, f)
	f.withDraft(c.drafts[f.draftKey])
	f.head = func(s surroundings, _ *form) []string { return s.unfinishedLines() }
	f.tail = func(s surroundings, f *form) []string {
		out := []string{""}
		if f.fields[0].Empty() {
			out = append(out, s.warnLine("No report will be stored. Nothing is ever made up.")...)
		} else {
			out = append(out, s.mutedLine("Saved as: operator."))
		}
		out = append(out, s.mutedLine("Final: it cannot be reopened."))
		return append(out, s.nextLine(r.ID))
	}
	f.foot = func(f *form) string {
		if f.fields[0].Empty() {
			return action.Keyed("{submit} complete without report · {close} closes")
		}
		return action.Keyed("{submit} complete · {close} keeps the draft")
	}
	f.submit = func(s surroundings, f *form) wish {
		words, trouble := todos.words(f)
		if trouble != "" {
			return wish{trouble: trouble}
		}
		return wish{said: "Completed " + string(r.Handle), command: model.Round{
			Text: f.text(0), WorkItemID: r.ID,
			Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: r.ID, LinkedTodos: words, SeenRevision: s.drawn(r)}}},
		}}
	}
	return unsettled(c, f)
}

// drawn is the revision of an item that is on screen now.
func (s surroundings) drawn(r model.Row) uint64 {
	if d := s.detail(); d != nil && d.ID == r.ID {
		return d.Revision
	}
	return r.Revision
}

// sawIn is the revision that the operator saw when a form was filled.
func (s surroundings) sawIn(f *form, r model.Row) uint64 {
	if f.seen != 0 {
		return f.seen
	}
	return s.drawn(r)
}

// revision is that of the item under the cursor as its detail was read.
func (c Console) revision() uint64 {
	if d := c.detail(); d != nil {
		return d.Revision
	}
	if r := c.row(); r != nil {
		return r.Revision
	}
	return 0
}

func (s surroundings) unfinishedLines() []string {
	d := s.detail()
	if d == nil || d.Unfinished() == nil {
		return nil
	}
	u := d.Unfinished()
	out := s.warnLine(u.Message)
	for i, t := range u.Sample {
		if i == 3 {
			break
		}
		mark, ink := s.todoMark(t.State)
		out = append(out, "   "+ink.Paint(mark+" "+text.Cut(s.show(t.Text), d80(s.layout.w)-8)))
	}
	return append(out, "")
}

// releaseLines say what parking an item does to the focus.
func (s surroundings) releaseLines(r model.Row) []string {
	out := []string{""}
	if r.IsCurrent {
		out = append(out, s.mutedLine("Focus is released now."))
	}
	return append(out, s.nextLine(r.ID))
}

// nextLine names the candidate once an item is out of the way.
func (s surroundings) nextLine(id model.ItemID) string {
	if r, ok := s.truth.desk.NextWithout(id); ok {
		return s.mutedLine("Next candidate: ") + s.glyphOfRow(r) + " " + string(r.Handle) + " " + text.Cut(s.show(r.Objective), 40)
	}
	return s.mutedLine("Next candidate: none")
}

// reporting gives a completed item the report it has not got.
func reporting(c Console) dialog {
	r := *c.row()
	f := &form{
		about:    subject{r.ID, "ReportWorkItem"},
		title:    fmt.Sprintf("Report on %s  %s", r.Handle, text.Cut(c.show(r.Objective), 50)),
		draftKey: "complete:" + string(r.ID),
		head:     func(surroundings, *form) []string { return nil },
		fields:   []formField{{label: "Report   given once, saved as: operator", Field: widget.NewField("", 6, model.MaxReport)}},
		foot:     func(*form) string { return action.Keyed("{submit} save · {close} keeps the draft") },
		submit: func(_ surroundings, f *form) wish {
			return wish{said: "Reported on " + string(r.Handle), command: model.ReportWorkItem{WorkItemID: r.ID, Text: f.text(0)}}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}

// blockingAny is about the marked items, or the one under the cursor.
func blockingAny(c Console) dialog {
	if len(c.marked()) > 0 {
		return bulkBlocking(c)
	}
	return blocking(c)
}

// blocking sets a blocker, or shows the one there is, which enter clears.
func blocking(c Console) dialog {
	r := *c.row()
	if r.CanUnblock() {
		return unblocking(c, r)
	}
	f := &form{
		seen:     r.Revision,
		about:    subject{r.ID, "UpdateWorkItem"},
		title:    fmt.Sprintf("Block %s  %s", r.Handle, text.Cut(c.show(r.Objective), 50)),
		draftKey: "block:" + string(r.ID),
		head:     func(surroundings, *form) []string { return nil },
		fields:   []formField{{label: "Blocked by", Field: widget.NewField("", 1, model.MaxBlocker)}},
		foot:     func(*form) string { return action.Keyed("{submit-line} block · {close} keeps the draft") },
		tail:     func(s surroundings, _ *form) []string { return s.releaseLines(r) },
		submit: func(s surroundings, f *form) wish {
			if f.fields[0].Empty() {
				return wish{trouble: "say what blocks it, or esc"}
			}
			return wish{said: "Blocked " + string(r.Handle), command: model.UpdateWorkItem{
				WorkItemID: r.ID, BlockedBy: model.SetTo(f.text(0)), SeenRevision: s.sawIn(f, r),
			}}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}

// unblocking shows a blocker and what clearing it does.
func unblocking(c Console, r model.Row) dialog {
	return &form{
		seen:  c.revision(),
		about: subject{r.ID, "UpdateWorkItem"},
		title: fmt.Sprintf("Unblock %s", r.Handle),
		head: func(s surroundings, _ *form) []string {
			out := []string{s.itemLine("Item", r, scheduled(r)), "", s.mutedLine("Blocked by")}
			out = append(out, s.wrapped(r.BlockedBy, d80(s.layout.w)-2, s.styles.Blocked)...)
			if r.Wait.Kind != "" {
				out = append(out, "", s.mutedLine("Its "+string(r.Wait.Kind)+" wait is cancelled with the blocker."))
			}
			return append(out, s.mutedLine("The focus stays where it is."))
		},
		foot: func(*form) string { return action.Keyed("{submit-line} clears the blocker · {close} cancel") },
		submit: func(s surroundings, f *form) wish {
			return wish{said: "Unblocked " + string(r.Handle), command: model.UpdateWorkItem{
				WorkItemID: r.ID, BlockedBy: model.Clear(), SeenRevision: s.sawIn(f, r),
			}}
		},
	}
}

// reviewing shows what was heard beside what is waited for.
func reviewing(c Console) dialog {
	r := *c.row()
	f := unblocking(c, r).(*form)
	f.title = fmt.Sprintf("Review %s", r.Handle)
	f.head = func(s surroundings, _ *form) []string {
		out := []string{s.itemLine("Item", r, scheduled(r)), "", s.mutedLine("Blocked by")}
		out = append(out, s.wrapped(r.BlockedBy, d80(s.layout.w)-2, s.styles.Blocked)...)
		out = append(out, "")
		if d := s.detail(); d != nil {
			for _, x := range d.ActiveWaits {
				out = append(out, s.waitLines(x, d80(s.layout.w)-2)...)
			}
		}
		return append(out, s.mutedLines(action.Keyed("A trigger clears nothing by itself. {pick} picks for review, {wait} waits again."))...)
	}
	return f
}

// creating asks for a new item's objective and the seed of its plan.
func creating(c Console) dialog {
	f := &form{
		title:    fmt.Sprintf("New work item for %s", c.place.agent),
		draftKey: "new:" + string(c.place.agent),
		head:     func(surroundings, *form) []string { return nil },
		fields: []formField{
			{label: "Objective", Field: widget.NewField("", 1, model.MaxObjective)},
			{label: "Plan seed   becomes plan.md; may stay empty", Field: widget.NewField("", 6, model.MaxReport)},
		},
		tail: func(s surroundings, _ *form) []string {
			return []string{"", s.mutedLine(action.Keyed("The focus stays. {pick} picks it."))}
		},
		foot: func(*form) string {
			return action.Keyed("{submit} create · {next-field} field · {close} keeps the draft")
		},
		submit: func(_ surroundings, f *form) wish {
			if f.fields[0].Empty() {
				return wish{trouble: "an objective is needed"}
			}
			return wish{said: "Created", command: model.CreateWorkItem{Objective: f.text(0), Plan: model.Text(f.fields[1].Value())}}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}

// rewording edits the objective.
func rewording(c Console) dialog {
	r := *c.row()
	objective := r.Objective
	if d := c.detail(); d != nil {
		objective = d.Objective
	}
	f := &form{
		about:    subject{r.ID, "UpdateWorkItem"},
		title:    fmt.Sprintf("Objective of %s", r.Handle),
		seen:     c.revision(),
		draftKey: "objective:" + string(r.ID),
		head: func(s surroundings, f *form) []string {
			if f.value(0) == strings.TrimSpace(f.initial) {
				return nil
			}
			return []string{s.mutedLine("Now: " + text.Cut(s.show(objective), d80(s.layout.w)-8)), ""}
		},
		fields: []formField{{label: "Objective", Field: widget.NewField(objective.String(), 3, model.MaxObjective)}},
		foot:   func(*form) string { return action.Keyed("{submit} save · {close} keeps the draft") },
		submit: func(s surroundings, f *form) wish {
			t := model.Text(strings.ReplaceAll(f.value(0), "\n", " "))
			return wish{said: "Objective saved", command: model.UpdateWorkItem{WorkItemID: r.ID, Objective: &t, SeenRevision: s.sawIn(f, r)}}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}
