package widget

import (
	"fmt"
	"slices"
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
	Keyed bool
	Foot  string
	// Of are the lines for the words that are typed; nil: those of Lines that hold them.
	Of      func(x Context, words string) []MenuLine
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
	shown := m.Shown(x)
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
		m.field().Press(k.KeyPressMsg, maxSearch)
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

// field is where that is typed.
func (m *Menu) field() *Field {
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

// Shown are the lines that hold the words typed; without any, those that hold their
// letters in order.
func (m *Menu) Shown(x Context) []MenuLine {
	q := strings.TrimSpace(m.Typed())
	switch {
	case m.Of != nil:
		return m.Of(x, q)
	case q == "":
		return m.Lines
	}
	if out := Narrowed(m.Lines, q); len(out) > 0 {
		return out
	}
	return Near(m.Lines, q)
}

// Typed is what the menu is searched for.
func (m *Menu) Typed() string { return m.find.Value() }

// Chosen is the line at the cursor; nothing where there is none.
func (m *Menu) Chosen(x Context) MenuLine {
	if shown := m.Shown(x); m.At < len(shown) {
		return shown[m.At]
	}
	return MenuLine{}
}

// Narrowed are the lines that hold all words, those first whose title begins with them, then those whose title holds them.
func Narrowed(lines []MenuLine, words string) []MenuLine {
	holds := func(s string) bool {
		s = strings.ToLower(s)
		return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(s, w) })
	}
	var begins, first, then []MenuLine
	for _, l := range lines {
		switch {
		case strings.HasPrefix(strings.ToLower(l.Title), strings.ToLower(words)):
			begins = append(begins, l)
		case holds(l.Title):
			first = append(first, l)
		case holds(l.Title + " " + l.Does + " " + l.Key):
			then = append(then, l)
		}
	}
	return slices.Concat(begins, first, then)
}

// Near are the lines whose title holds the letters in order.
func Near(lines []MenuLine, letters string) (out []MenuLine) {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = strings.ToLower(l.Title)
	}
	for _, f := range fuzzy.Find(strings.ToLower(letters), names) {
		out = append(out, lines[f.Index])
	}
	return out
}

// Paste is part of Dialog.
func (m *Menu) Paste(s string) {
	if m.Searchable {
		m.field().Insert(s)
	}
}

// Draw is part of Dialog.
func (m *Menu) Draw(x Context) Drawn {
	d := x.Dialog(m.Title, m.Foot, nil)
	shown := m.Shown(x)
	m.At = max(min(m.At, len(shown)-1), 0)
	if m.Searchable {
		lines, cx, _ := m.field().Draw(x.FieldW(), x.Styles)
		d.Lines = append(d.Lines, " "+x.Key.Paint("/")+" "+lines[0], "")
		if !m.waiting {
			d.Cursor = &tea.Position{X: 3 + cx}
		}
		if d.Right = x.Muted.Paint(fmt.Sprintf("%d of %d", len(shown), len(m.Lines))); m.Of != nil {
			d.Right = x.Muted.Paint(fmt.Sprint(len(shown)))
		}
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
