package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/clip"
)

// copyDialog waits for the key after y, and shows which there are.
type copyDialog struct{}

func copyMenu(Console) dialog { return copyDialog{} }

func (d copyDialog) press(k tea.KeyPressMsg, _ surroundings) (dialog, wish) {
	a, ok := action.Of(action.Copy, k)
	switch {
	case !ok:
		return d, wish{}
	case a.ID == action.CopyBack:
		return nil, wish{}
	}
	return nil, wish{run: a.ID}
}

func (d copyDialog) paste(string) dialog { return d }

func (d copyDialog) draw(w, h int, s surroundings) drawn {
	out := drawn{w: min(48, w)}
	out.Title, out.Focused = s.styles.Strong.Paint("Copy"), true
	state := s.state()
	for _, a := range action.Table {
		if a.In != action.Copy || a.ID == action.CopyBack {
			continue
		}
		ink, does := s.styles.Text, a.Does
		if ok, why := a.Enabled(state); !ok {
			ink, does = s.styles.Faint, "off: "+s.show(model.Text(why))
		}
		out.Lines = append(out.Lines, " "+s.styles.Key.Paint(a.Key())+"  "+ink.Paint(a.Title+": "+does))
	}
	out.Foot = s.styles.Muted.Paint(action.Keyed("{copy-back} close"))
	out.h = min(len(out.Lines)+2, h)
	return out
}

// copyOf copies what an action names: of the marked rows, or of the cursor's.
func copyOf(id action.ID) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		at := clip.Subject{Row: *c.row(), Detail: c.detail(), Plan: c.plan.Artifact.Path}
		var marked []clip.Subject
		for _, r := range c.marked() {
			s := clip.Subject{Row: r}
			if r.ID == at.Row.ID {
				s = at
			}
			marked = append(marked, s)
		}
		got, trouble := clip.Of(id, at, marked)
		if trouble != "" {
			return c.say(trouble)
		}
		return c.clip(got.What, got.Text)
	}
}
