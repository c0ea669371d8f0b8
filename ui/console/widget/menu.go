package widget

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"vise/ui/action"
	"vise/ui/text"
)

// Menu is a list of which one line is chosen. Lines that cannot be run stay in it, with the
// reason.
type Menu struct {
	Title string
	Lines []MenuLine
	// At is the line at the cursor among those that match.
	At int
	// Searchable: typing narrows it. Otherwise digits choose.
	Searchable bool
	// Keyed: its lines have keys of their own.
	Keyed   bool
	Foot    string
	find    Field
	waiting bool
}

// MenuLine is a line of a menu. A line without a result only says something.
type MenuLine struct {
	Group, Title, Does, Key string
	// Off is why it cannot be run; empty when it can.
	Off    string
	Result Result
	// Other is the result of the second key of a menu, where it has one.
	Other Result
}

const maxSearch = 100

// In is part of Dialog.
func (m *Menu) In() action.Context { return action.Menu }

// Refused is part of Refuser.
func (m *Menu) Refused() { m.waiting = false }

// Press is part of Dialog.
func (m *Menu) Press(k Key, x Context) (Dialog, Result) {
	shown := m.matching()
	step := func(n int) { m.At = max(min(m.At+n, len(shown)-1), 0) }
	switch {
	case k.ID == action.MenuClose:
		return nil, nil
	case m.waiting:
	case k.ID == action.MenuDown:
		step(1)
	case k.ID == action.MenuUp:
		step(-1)
	case k.ID == action.MenuRun:
		return m.run(shown)
	case k.ID == action.MenuPosture:
		return m.other(shown, x)
	case m.Searchable:
		m.typed().Press(k.KeyPressMsg, maxSearch)
		m.At = 0
	case k.Code >= '1' && int(k.Code-'1') < len(shown):
		m.At = int(k.Code - '1')
		return m.run(shown)
	case k.String() == "j":
		step(1)
	case k.String() == "k":
		step(-1)
	default:
		return m, Trouble(action.Shown(k.String()) + " does nothing here")
	}
	return m, nil
}

// typed is what the menu is searched for.
func (m *Menu) typed() *Field {
	if m.find.Rows == 0 {
		m.find = NewField("", 1, maxSearch)
	}
	return &m.find
}

func (m *Menu) run(shown []MenuLine) (Dialog, Result) {
	switch {
	case m.At >= len(shown):
		return m, nil
	case shown[m.At].Result == nil && shown[m.At].Off == "":
		return m, nil
	case shown[m.At].Off != "":
		return m, Trouble(shown[m.At].Off)
	}
	return m.ask(shown[m.At].Result)
}

// other runs what the second key does to the line at the cursor, which changes the ledger.
func (m *Menu) other(shown []MenuLine, x Context) (Dialog, Result) {
	switch {
	case m.At >= len(shown) || shown[m.At].Other == nil:
		return m, nil
	case x.State.ReadOnly != "":
		return m, Trouble(x.State.ReadOnly)
	}
	return m.ask(shown[m.At].Other)
}

func (m *Menu) ask(r Result) (Dialog, Result) {
	if _, m.waiting = outcome(r); m.waiting {
		return m, r
	}
	return nil, r
}

// matching are the lines that hold the words typed; without any, those that hold their
// letters in order.
func (m *Menu) matching() []MenuLine {
	q := strings.ToLower(strings.TrimSpace(m.find.Value()))
	if q == "" {
		return m.Lines
	}
	var out []MenuLine
	for _, l := range m.Lines {
		if strings.Contains(strings.ToLower(l.Title+" "+l.Does+" "+l.Key), q) {
			out = append(out, l)
		}
	}
	if len(out) > 0 {
		return out
	}
	names := make([]string, len(m.Lines))
	for i, l := range m.Lines {
		names[i] = strings.ToLower(l.Title)
	}
	for _, f := range fuzzy.Find(q, names) {
		out = append(out, m.Lines[f.Index])
	}
	return out
}

// Paste is part of Dialog.
func (m *Menu) Paste(s string) {
	if m.Searchable {
		m.typed().Insert(s)
	}
}

// Draw is part of Dialog.
func (m *Menu) Draw(x Context) Drawn {
	d := x.Dialog(m.Title, m.Foot, nil)
	shown := m.matching()
	if m.Searchable {
		lines, cx, _ := m.typed().Draw(x.FieldW(), x.Styles)
		d.Lines = append(d.Lines, " "+x.Key.Paint("/")+" "+lines[0], "")
		d.Cursor = &tea.Position{X: 3 + cx}
		d.Right = x.Muted.Paint(fmt.Sprintf("%d of %d", len(shown), len(m.Lines)))
	}
	body, cursor := m.body(shown, x)
	height := max(x.H-2-len(d.Lines), 1)
	top := min(max(cursor-height+2, 0), max(len(body)-height, 0))
	d.Lines = append(d.Lines, body[top:min(top+height, len(body))]...)
	d.H = min(len(d.Lines)+2, x.H)
	return d
}

// body draws the lines under their group's headings; cursor is where the chosen one is.
func (m *Menu) body(shown []MenuLine, x Context) (out []string, cursor int) {
	group := ""
	for i, l := range shown {
		if l.Group != group && l.Group != "" {
			group = l.Group
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, " "+x.Accent.Paint(group))
		}
		if i == m.At {
			cursor = len(out)
		}
		out = append(out, m.line(l, i, x))
	}
	if len(shown) == 0 {
		out = append(out, x.Note("Nothing matches."))
	}
	return out, cursor
}

func (m *Menu) line(l MenuLine, i int, x Context) string {
	w, mark := x.Inner(), "  "
	if i == m.At {
		mark = x.Glyph.Cursor + " "
	}
	if l.Result == nil && l.Does == "" && l.Off == "" && l.Key == "" { // it says something, as long as it is
		return x.Accent.Paint(" "+mark) + x.Text.Paint(text.Cut(l.Title, w-3))
	}
	does, ink := l.Does, x.Text
	if l.Off != "" {
		does, ink = "off: "+l.Off, x.Faint
	}
	key, keys, titles := "", keyCells, titleCells
	if w < narrowMenu {
		l.Key, _, _ = strings.Cut(l.Key, " ")
		keys, titles = 7, 20
	}
	if m.Keyed {
		key = text.Pad(l.Key, keys-1) + " "
	}
	title := text.Pad(l.Title, min(titles, max(w-len(key)-3, 8))) + " "
	return x.Strip(w, i == m.At, x.Key.Of(" "+mark), x.Key.Of(key), ink.Of(title), x.Muted.Of(does))
}

// The columns of a menu; one that is narrower than narrowMenu shows a key only, and less of the
// title, so that what it does fits or why it cannot be.
const (
	keyCells   = 10
	titleCells = 26
	narrowMenu = 60
)
