package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/bulk"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// bulkShown is how many of the marked items a dialog names.
const bulkShown = 5

// bulkBlocking sets one blocker for all marked items, or moves their rechecks, in one
// transaction. When all of them are blocked, an empty blocker keeps each one's own.
func bulkBlocking(c Console) dialog {
	rows := c.marked()
	f := &form{
		title:    fmt.Sprintf("Block %d items of %s", len(rows), c.place.agent),
		draftKey: "block:" + string(c.place.agent),
		head:     func(s surroundings, _ *form) []string { return s.bulkLines(rows) },
		fields: []formField{
			{label: "Blocked by   empty: each keeps its own blocker", Field: widget.NewField("", 1, model.MaxBlocker)},
			{label: "Recheck", Field: widget.NewField("", 1, 40), note: recheckNote},
			{options: []string{"set the blocker", "clear the blockers and their waits"}},
		},
		foot: func(*form) string { return action.Keyed("{submit-line} save all or none · {close} keeps the draft") },
		submit: func(s surroundings, f *form) wish {
			b := bulk.Blocking{Clear: f.fields[2].chosen == 1, By: f.text(0), Recheck: f.value(1)}
			all, trouble := b.Command(rows, s.now)
			if trouble != "" {
				return wish{trouble: trouble}
			}
			said := fmt.Sprintf("Blocked %d items", len(rows))
			if b.Clear {
				said = fmt.Sprintf("Unblocked %d items", len(rows))
			}
			return wish{said: said, command: all}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}

// recheckNote shows the instant that a time means.
func recheckNote(s surroundings, f *form) string {
	if f.fields[1].Empty() {
		return "in one hour, or like 30m, 16:00, tomorrow 9"
	}
	at, err := text.ParseTime(f.value(1), s.now)
	if err != nil {
		return err.Error()
	}
	return s.bothTimes(at)
}

// acknowledgeAll notes that the operator has seen what some rows need. Those that need
// nothing are passed by.
func (c Console) acknowledgeAll(rows []model.Row) (Console, tea.Cmd) {
	return c.send(bulk.Acknowledge(rows), fmt.Sprintf("Acknowledged what %d marked %s", len(rows), plural(len(rows), "item needs", "items need")))
}

// bulkLines name the items that an act is about.
func (s surroundings) bulkLines(rows []model.Row) []string {
	var out []string
	for i, r := range rows {
		if i == bulkShown && len(rows) > bulkShown+1 {
			out = append(out, s.mutedLine(fmt.Sprintf("and %d more", len(rows)-i)))
			break
		}
		out = append(out, " "+inkOfRow(s.styles, r).Paint(s.glyphOfRow(r))+" "+s.styles.Muted.Paint(string(r.Handle))+" "+text.Cut(s.show(r.Objective), d80(s.layout.w)-16))
	}
	for _, r := range rows {
		if r.IsCurrent {
			out = append(out, s.mutedLines("Among them is the current item: its focus is released.")...)
		}
	}
	return append(out, "")
}
