package console

import (
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
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
	out.title, out.focused = s.skin.strong.paint("Copy"), true
	state := s.state()
	for _, a := range action.Table {
		if a.In != action.Copy || a.ID == action.CopyBack {
			continue
		}
		ink := s.skin.text
		if ok, _ := a.Enabled(state); !ok {
			ink = s.skin.faint
		}
		out.lines = append(out.lines, " "+s.skin.key.paint(a.Key())+"  "+ink.paint(a.Title+": "+a.Does))
	}
	out.foot = s.skin.muted.paint("esc close")
	out.h = min(len(out.lines)+2, h)
	return out
}

// most is how much goes to the terminal's clipboard: terminals cut longer sequences.
const most = 64 << 10

// clip hands text to the terminal's clipboard (OSC 52). Nothing confirms it.
func (c Console) clip(what, text string) (Console, tea.Cmd) {
	if len(text) > most {
		return c.say(fmt.Sprintf("%s has %d bytes; terminals take %d. Copy the path instead (y p).", what, len(text), most))
	}
	c, said := c.say(what + " sent to the terminal's clipboard")
	return c, tea.Batch(said, tea.SetClipboard(text))
}

func (c Console) copyID() (Console, tea.Cmd) { return c.clip("The id", string(c.row().ID)) }

func (c Console) copyPath() (Console, tea.Cmd) {
	path := c.plan.file.Artifact.Path
	if path == "" {
		return c.say("The plan's path is not known.")
	}
	return c.clip("The plan's path", path)
}

// The clipboard gets what was written: the terminal encodes it, and shows none of it.
func (c Console) copyObjective() (Console, tea.Cmd) {
	o := c.row().Objective
	if d := c.detail(); d != nil {
		o = d.Objective
	}
	return c.clip("The objective", o.Raw()) // raw: to the clipboard, encoded, not shown
}

func (c Console) copyReport() (Console, tea.Cmd) {
	d := c.detail()
	if d == nil || d.Report == nil {
		return c.say("There is no report.")
	}
	return c.clip("The report", d.Report.Text.Raw()) // raw: to the clipboard, encoded, not shown
}

func (c Console) copyJSON() (Console, tea.Cmd) {
	d := c.detail()
	if d == nil {
		return c.say("The detail is not read yet.")
	}
	raw, err := json.MarshalIndent(struct {
		WorkItem model.View `json:"work_item"`
	}{d.View}, "", "  ")
	if err != nil {
		return c.complain(err)
	}
	return c.clip("The work item", string(raw))
}
