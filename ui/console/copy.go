package console

import (
	"encoding/json"
	"fmt"
	"strings"

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
		ink, does := s.skin.text, a.Does
		if ok, why := a.Enabled(state); !ok {
			ink, does = s.skin.faint, "off: "+s.show(model.Text(why))
		}
		out.lines = append(out.lines, " "+s.skin.key.paint(a.Key())+"  "+ink.paint(a.Title+": "+does))
	}
	out.foot = s.skin.muted.paint(action.Keyed("{copy-back} close"))
	out.h = min(len(out.lines)+2, h)
	return out
}

// most is how much goes to the terminal's clipboard: terminals cut longer sequences.
const most = 64 << 10

// meant are the rows that a copy is of: the marked ones, else the cursor's.
func (c Console) meant() []model.Row {
	if rows := c.marked(); len(rows) > 0 {
		return rows
	}
	return []model.Row{*c.row()}
}

// clipRows copies a line for each row that is meant.
func (c Console) clipRows(one, many string, line func(model.Row) string) (Console, tea.Cmd) {
	rows := c.meant()
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = line(r)
	}
	if len(rows) > 1 {
		one = fmt.Sprintf("%d %s", len(rows), many)
	}
	return c.clip(one, strings.Join(lines, "\n"))
}

func (c Console) copyID() (Console, tea.Cmd) {
	return c.clipRows("The id", "ids", func(r model.Row) string { return string(r.ID) })
}

// objectiveOf is the whole objective where the detail is read, else what the row holds.
func (c Console) objectiveOf(r model.Row) string {
	if d := c.detail(); d != nil && d.ID == r.ID {
		return d.Objective.Raw() // raw: to the clipboard, encoded, not shown
	}
	return r.Objective.Raw() // raw: to the clipboard, encoded, not shown
}

func (c Console) copyMarkdown() (Console, tea.Cmd) {
	return c.clipRows("A Markdown line", "Markdown lines", func(r model.Row) string {
		box := " "
		if r.Class == model.CompletedRecent {
			box = "x"
		}
		return "- [" + box + "] " + c.objectiveOf(r) + " (" + string(r.Handle) + ")"
	})
}

// copyReference copies how an MCP client names the plan.
func (c Console) copyReference() (Console, tea.Cmd) {
	return c.clipRows("The MCP reference", "MCP references", func(r model.Row) string { return "vise://plan/" + string(r.ID) })
}

func (c Console) copyPath() (Console, tea.Cmd) {
	path := c.plan.file.Artifact.Path
	if path == "" {
		return c.say("The plan's path is not known.")
	}
	return c.clip("The plan's path", path)
}

// The clipboard gets what was written: the terminal encodes it, and shows none of it.
func (c Console) copyObjective() (Console, tea.Cmd) {
	return c.clipRows("The objective", "objectives", c.objectiveOf)
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
