package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
)

// copyDialog waits for the key after the one that copies, and shows which there are.
type copyDialog struct{}

// In is part of widget.Dialog.
func (copyDialog) In() action.Context { return action.Copy }

// Paste is part of widget.Dialog.
func (copyDialog) Paste(string) {}

// Press is part of widget.Dialog.
func (d copyDialog) Press(k widget.Key, _ widget.Context) (widget.Dialog, widget.Result) {
	switch k.ID {
	case "":
		return d, nil
	case action.CopyBack:
		return nil, nil
	}
	return nil, widget.Run(k.ID)
}

// Draw is part of widget.Dialog.
func (d copyDialog) Draw(x widget.Context) widget.Drawn {
	var lines []string
	for _, a := range x.Keys {
		if a.In != action.Copy || a.ID == action.CopyBack {
			continue
		}
		ink, does := x.Text, a.Does
		if why := x.Keys.Refusal(a, x.State); why != "" {
			ink, does = x.Faint, "off: "+x.Show(model.Text(why))
		}
		lines = append(lines, " "+x.Key.Paint(a.Key())+"  "+ink.Paint(a.Title+": "+does))
	}
	out := x.Dialog("Copy", "{copy-back} close", lines)
	out.W = min(48, x.W)
	return out
}

// copying copies what an action names: of the marked rows, or of the cursor's.
func copying(id action.ID) act {
	return func(c Console) (Console, tea.Cmd) {
		at := action.CopySubject{Row: *c.row(), Detail: c.detail(), Plan: c.plan.Artifact.Path}
		var marked []action.CopySubject
		for _, r := range c.marked() {
			s := action.CopySubject{Row: r}
			if r.ID == at.Row.ID {
				s = at
			}
			marked = append(marked, s)
		}
		got, trouble := action.CopyOfItems(id, at, marked)
		if trouble != "" {
			return c.say(trouble)
		}
		return c.clip(got.What, got.Text)
	}
}
