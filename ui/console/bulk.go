package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// bulkShown is how many of the marked items a dialog names.
const bulkShown = 5

// bulkBlocking sets one blocker for all marked items, or moves their rechecks, in one
// transaction. When all of them are blocked, an empty blocker keeps each one's own.
func bulkBlocking(x widget.Context, rows []model.Row) widget.Dialog {
	f := &widget.Form{
		Title:    fmt.Sprintf("Block %d items of %s", len(rows), x.State.Agent),
		DraftKey: "block:" + string(x.State.Agent),
		Head:     func(x widget.Context, _ *widget.Form) []string { return bulkLines(x, rows) },
		Fields: []widget.FormField{
			{Label: "Blocked by   empty: each keeps its own blocker", Field: textField(1, model.MaxBlocker)},
			{Label: "Recheck", Field: textField(1, 40), Note: recheckNote},
			{Options: []string{"set the blocker", "clear the blockers and their waits"}},
		},
		Foot: "{submit-line} save all or none · {close} keeps the draft",
		Submit: func(x widget.Context, f *widget.Form) widget.Result {
			b := action.BlockRows{Clear: f.Fields[2].Chosen == 1, By: f.Text(0), Recheck: f.Value(1)}
			all, trouble := b.Command(rows, x.Now)
			if trouble != "" {
				return widget.Trouble(trouble)
			}
			said := fmt.Sprintf("Blocked %d items", len(rows))
			if b.Clear {
				said = fmt.Sprintf("Unblocked %d items", len(rows))
			}
			return widget.Apply{Said: said, Command: all}
		},
	}
	return f.WithDraft(x.Drafts)
}

// recheckNote shows the instant that a time means.
func recheckNote(x widget.Context, f *widget.Form) string {
	if f.Fields[1].Empty() {
		return "in one hour, or like 30m, 16:00, tomorrow 9"
	}
	at, err := text.ParseTime(f.Value(1), x.Now)
	if err != nil {
		return err.Error()
	}
	return x.BothTimes(at)
}

// acknowledgeAll notes that the operator has seen what some rows need. Those that need
// nothing are passed by.
func (c Console) acknowledgeAll(rows []model.Row) (Console, tea.Cmd) {
	return c.send(action.AcknowledgeRows(rows), fmt.Sprintf("Acknowledged what %d marked %s", len(rows), screen.Plural(len(rows), "item needs", "items need")))
}

// bulkLines name the items that an act is about.
func bulkLines(x widget.Context, rows []model.Row) []string {
	var out []string
	for i, r := range rows {
		if i == bulkShown && len(rows) > bulkShown+1 {
			out = append(out, x.Note(fmt.Sprintf("and %d more", len(rows)-i)))
			break
		}
		out = append(out, " "+onScreen(x).RowInk(r).Paint(onScreen(x).RowMark(r))+" "+x.Muted.Paint(string(r.Handle))+" "+text.Cut(x.Show(r.Objective), x.Inner()-16))
	}
	for _, r := range rows {
		if r.IsCurrent {
			out = append(out, x.Notes("Among them is the current item: its focus is released.")...)
		}
	}
	return append(out, "")
}
