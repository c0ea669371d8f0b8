package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// menu is a list that is searched by typing; enter grants the line at the cursor. Lines
// that cannot be run stay in it, with the reason.
type menu struct {
	title string
	lines []menuLine
	find  widget.Field
	at    int
	// searchable: typing narrows it. Otherwise digits choose.
	searchable bool
	// keyed: its lines have keys of their own.
	keyed   bool
	waiting bool
	foot    string
}

// menuLine is a line of a menu. A line without a wish is a heading or only says something.
type menuLine struct {
	group, title, does, key string
	// off is why it cannot be run; empty when it can.
	off  string
	wish wish
	// posture stops or resumes the agent that the line shows; empty on other lines.
	posture wish
}

const maxSearch = 100

func (m *menu) refused() { m.waiting = false }

func (m *menu) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	a, _ := action.Of(action.Menu, k)
	shown := m.matching()
	switch {
	case a.ID == action.MenuClose:
		return nil, wish{}
	case m.waiting:
		return m, wish{}
	case a.ID == action.MenuDown:
		m.at = min(m.at+1, max(len(shown)-1, 0))
	case a.ID == action.MenuUp:
		m.at = max(m.at-1, 0)
	case a.ID == action.MenuRun:
		return m.run(shown, m.at)
	case a.ID == action.MenuPosture:
		return m.setPosture(shown, s.Console)
	case m.searchable:
		m.find.Press(k, maxSearch)
		m.at = 0
	case k.Code >= '1' && int(k.Code-'1') < len(shown):
		return m.run(shown, int(k.Code-'1'))
	case k.String() == "j":
		m.at = min(m.at+1, max(len(shown)-1, 0))
	case k.String() == "k":
		m.at = max(m.at-1, 0)
	}
	return m, wish{}
}

func (m *menu) run(shown []menuLine, at int) (dialog, wish) {
	if at >= len(shown) {
		return m, wish{}
	}
	l := shown[at]
	if l.off != "" {
		return m, wish{trouble: l.off}
	}
	if l.wish.command != nil {
		m.waiting = true
		return m, l.wish
	}
	return nil, l.wish
}

// matching are the lines that hold the words typed; without any, those that hold their
// letters in order.
func (m *menu) matching() []menuLine {
	q := strings.ToLower(strings.TrimSpace(m.find.Value()))
	if q == "" {
		return m.lines
	}
	var out []menuLine
	for _, l := range m.lines {
		if strings.Contains(strings.ToLower(l.title+" "+l.does+" "+l.key), q) {
			out = append(out, l)
		}
	}
	if len(out) > 0 {
		return out
	}
	names := make([]string, len(m.lines))
	for i, l := range m.lines {
		names[i] = strings.ToLower(l.title)
	}
	for _, f := range fuzzy.Find(q, names) {
		out = append(out, m.lines[f.Index])
	}
	return out
}

func (m *menu) paste(s string) dialog {
	if m.searchable {
		m.find.Insert(s)
	}
	return m
}

func (m *menu) draw(w, h int, s surroundings) drawn {
	k := s.styles
	d := drawn{w: dialogWidth(w)}
	d.Title, d.Focused, d.Foot = k.Strong.Paint(m.title), true, k.Muted.Paint(m.foot)
	shown := m.matching()
	if m.searchable {
		lines, x, _ := m.find.Draw(fieldWidth(w), s.styles)
		d.Lines = append(d.Lines, " "+k.Key.Paint("/")+" "+lines[0], "")
		d.cursor = &tea.Position{X: 3 + x}
		d.Right = k.Muted.Paint(fmt.Sprintf("%d of %d", len(shown), len(m.lines)))
	}
	body, cursor := m.body(shown, d80(w), s)
	room := max(h-2-len(d.Lines), 1)
	top := min(max(cursor-room+2, 0), max(len(body)-room, 0))
	d.Lines = append(d.Lines, body[top:min(top+room, len(body))]...)
	d.h = min(len(d.Lines)+2, h)
	return d
}

// body draws the lines under their group's headings; cursor is where the chosen one is.
func (m *menu) body(shown []menuLine, w int, s surroundings) (out []string, cursor int) {
	k, group := s.styles, ""
	for i, l := range shown {
		if l.group != group && l.group != "" {
			group = l.group
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, " "+k.Accent.Paint(group))
		}
		if i == m.at {
			cursor = len(out)
		}
		out = append(out, m.line(l, i, w, s))
	}
	if len(shown) == 0 {
		out = append(out, s.mutedLine("Nothing matches."))
	}
	return out, cursor
}

func (m *menu) line(l menuLine, i, w int, s surroundings) string {
	k := s.styles
	mark := "  "
	if i == m.at {
		mark = k.Glyph.Cursor + " "
	}
	does, ink := l.does, k.Text
	if l.off != "" {
		does, ink = "off: "+l.off, k.Faint
	}
	key, keys, titles := "", keyCells, titleCells
	if w < narrowMenu {
		l.key, _, _ = strings.Cut(l.key, " ")
		keys, titles = 7, 20
	}
	if m.keyed {
		key = text.Pad(l.key, keys-1) + " "
	}
	title := text.Pad(l.title, min(titles, max(w-len(key)-3, 8))) + " "
	return k.Strip(w, i == m.at, k.Key.Of(" "+mark), k.Key.Of(key), ink.Of(title), k.Muted.Of(does))
}

// The columns of a menu; one that is narrower than narrowMenu shows a key only, and less of the
// title, so that there is room for what it does or why it cannot be.
const (
	keyCells   = 10
	titleCells = 26
	narrowMenu = 60
)

// helpMenu lists every key: those of this moment first.
func helpMenu(c Console) dialog {
	return &menu{title: "Keys and actions", searchable: true, keyed: true, find: widget.NewField("", 1, maxSearch),
		lines: actionLines(c, func(action.Action) bool { return true }), foot: action.Keyed("{menu-run} run · {menu-close} close")}
}

// palette lists what can be asked of the desk, by name.
func palette(c Console) dialog {
	return &menu{title: "Commands", searchable: true, keyed: true, find: widget.NewField("", 1, maxSearch), foot: action.Keyed("{menu-run} run · {menu-close} close"),
		lines: append(actionLines(c, func(a action.Action) bool {
			return (a.In == action.Desk || a.In == action.Copy) && a.Group != action.Move && a.ID != action.CopyBack
		}), filterLines(c)...)}
}

// actsMenu lists what can be done to the item under the cursor, and why the rest cannot.
func actsMenu(c Console) dialog {
	r := *c.row()
	return &menu{title: fmt.Sprintf("Actions of %s  %s", r.Handle, text.Cut(c.show(r.Objective), 40)), searchable: true, keyed: true,
		find: widget.NewField("", 1, maxSearch), foot: action.Keyed("{menu-run} run · {menu-close} close"),
		lines: actionLines(c, func(a action.Action) bool { return a.Group == action.Work || a.Group == action.Copying })}
}

func actionLines(c Console, want func(action.Action) bool) []menuLine {
	var out []menuLine
	state := c.state()
	for _, a := range action.Table {
		if !want(a) {
			continue
		}
		l := menuLine{group: string(a.Group), title: a.Title, does: a.Does, key: keysOf(a), wish: wish{run: a.ID}}
		if _, why := a.Enabled(state); why != "" {
			l.off = why
		}
		if a.In != action.Desk && a.In != action.Copy {
			l.off = "only in a " + string(a.In)
			l.does, l.off = a.Does, ""
			l.wish = wish{}
		}
		out = append(out, l)
	}
	return out
}

// keysOf spells an action's keys: y p for one behind the copy key.
func keysOf(a action.Action) string {
	var keys []string
	for _, k := range a.Keys {
		if !strings.HasPrefix(k, "alt+") {
			keys = append(keys, action.Shown(k))
		}
	}
	s := strings.Join(keys, " ")
	if a.In == action.Copy {
		return "y " + s
	}
	return s
}

// agentMenu chooses whose desk is shown.
func agentMenu(c Console) dialog {
	m := &menu{title: "Agents", searchable: true, find: widget.NewField("", 1, maxSearch), foot: action.Keyed("{menu-run} show desk · {menu-posture} stop or resume · {menu-close} close")}
	for i, a := range c.truth.agents {
		l := menuLine{title: string(a.ID), wish: wish{agent: a.ID}, does: agentWords(a, c), posture: postureWish(a)}
		if a.ID == c.place.agent {
			m.at = i
		}
		m.lines = append(m.lines, l)
	}
	return m
}

// statusMenu sets the plan status.
func statusMenu(c Console) dialog {
	r := *c.row()
	m := &menu{title: "Plan status of " + string(r.Handle), foot: action.Keyed("1-3 or {menu-run} choose · {menu-close} close")}
	for i, p := range []struct {
		status model.PlanStatus
		does   string
	}{
		{model.Draft, "the plan is being written"}, {model.Ready, "the plan can be carried out"},
		{model.NeedsInput, "the operator must say something first; releases the focus"},
	} {
		l := menuLine{title: fmt.Sprintf("%d %s", i+1, strings.ReplaceAll(string(p.status), "_", " ")), does: p.does}
		if p.status == r.PlanStatus {
			l.off, m.at = "it is so already", i
		}
		l.wish = wish{said: "Plan status is " + strings.ReplaceAll(string(p.status), "_", " "),
			command: model.UpdateWorkItem{WorkItemID: r.ID, PlanStatus: &p.status, SeenRevision: r.Revision}}
		m.lines = append(m.lines, l)
	}
	return m
}
