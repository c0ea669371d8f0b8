package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// menu is a list from which one line is chosen. Lines that are not available stay in it, with the reason.
type menu struct {
	Title string
	Lines []menuLine
	// At is the index of the cursor's line among the matching lines.
	At int
	// Searchable means that typing narrows the list. Otherwise a line is chosen by its own key, or by its number if it has none.
	Searchable bool
	// hidden: it does not appear yet. An operator who knows the letter does not see it.
	hidden bool
	// Foot describes the keys; "" stands for a digit for each line, and the keys of every menu.
	Foot string
	// Below returns lines below the menu about the line at the cursor, which scroll if they are too long; nil: there are none.
	Below func(facts) []string
	shown excerpt
	// Of returns the lines for the typed words, which then name their keys; nil means the lines of Lines that contain them.
	Of func(x facts, words string) []menuLine
	// Limit says which part could not be searched; it follows "Nothing matches."
	Limit   string
	find    screen.Field
	waiting bool
}

// menuLine is a line of a menu. A line without a result only shows text.
type menuLine struct {
	Group, Title, Does, Key string
	// Off is why it is not available; empty if it is.
	Off    string
	Result message
	// as is the Desk's action with the same effect, whose key works too in the run to zero; it may be empty.
	as action.ID
}

func (l menuLine) isText() bool { return l.Result == nil && l.Does == "" && l.Off == "" && l.Key == "" }

const maxSearch = 100

// In is part of dialog.
func (m *menu) In() action.Context {
	if m.Searchable {
		return action.Text
	}
	return action.Desk
}

// Refused is part of refuser.
func (m *menu) Refused() { m.waiting = false }

// Press is part of dialog.
func (m *menu) Press(k keyPress, x facts) (open bool, r message) {
	shown, before := m.Shown(x), m.At
	step := func(n int) { m.At = max(min(m.At+n, len(shown)-1), 0) }
	switch {
	case m.Below != nil && pages(k) && m.shown.Scroll(k, len(m.Below(x)), m.room(x)):
	case k.ID == action.Back:
		return false, nil
	case m.waiting:
	case m.byKey(k, shown) >= 0:
		_, at, top := m.window(shown, x, x.H-2)
		if m.At = m.byKey(k, shown); !m.hidden && (at[m.At] < top || at[m.At] >= top+x.H-2) {
			return true, sayMsg(notSeen)
		}
		return m.run(shown[m.At])
	case k.ID == action.Down, k.ID == action.NextPane:
		step(1)
	case k.ID == action.Up, k.ID == action.PrevPane:
		step(-1)
	case k.ID == action.Open:
		return m.run(m.Chosen(x))
	case m.Searchable:
		m.field().Press(k.KeyPressMsg, maxSearch)
		m.At = 0
	case closes(k):
		return false, nil
	default:
		return true, unused(k)
	}
	if m.At != before {
		m.shown = excerpt{}
	}
	return true, nil
}

// byKey is the index of the line that a key chooses by itself, or -1.
func (m *menu) byKey(k keyPress, shown []menuLine) int {
	switch n := k.digit(); {
	case m.Searchable:
		return -1
	case n < len(shown) && shown[n].Key == "":
		return n
	}
	return slices.IndexFunc(shown, func(l menuLine) bool {
		return l.Key != "" && (l.Key == k.String() || l.Key == action.Latin(k.KeyPressMsg))
	})
}

// field is the input of the search.
func (m *menu) field() *screen.Field {
	if m.find.Rows == 0 {
		m.find = screen.NewField("", 1, maxSearch)
	}
	return &m.find
}

func (m *menu) run(l menuLine) (open bool, r message) {
	switch {
	case l.Off != "":
		return true, trouble(l.Off)
	case l.Result == nil:
		return true, nil
	}
	_, m.waiting = outcome(l.Result)
	return m.waiting, l.Result
}

// Shown returns the lines that contain the typed words. If there are none, it returns the lines that contain their letters in order.
func (m *menu) Shown(x facts) []menuLine {
	q := strings.TrimSpace(m.Typed())
	switch {
	case m.Of != nil:
		return m.Of(x, q)
	case q == "":
		return m.Lines
	}
	if out := narrowed(m.Lines, q); len(out) > 0 {
		return out
	}
	return near(m.Lines, q)
}

// Typed is the text that the menu is searched for.
func (m *menu) Typed() string { return m.find.Value() }

// Chosen is the line at the cursor, or an empty line if there is none.
func (m *menu) Chosen(x facts) menuLine {
	if shown := m.Shown(x); m.At < len(shown) {
		return shown[m.At]
	}
	return menuLine{}
}

// narrowed returns the lines that contain all words. Lines whose title begins with them come first, then lines whose title contains them.
func narrowed(lines []menuLine, words string) []menuLine {
	holds := func(s string) bool {
		s = strings.ToLower(s)
		return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(s, w) })
	}
	var begins, first, then []menuLine
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

// near returns the lines whose title contains the letters in order.
func near(lines []menuLine, letters string) (out []menuLine) {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = strings.ToLower(l.Title)
	}
	for _, f := range fuzzy.Find(strings.ToLower(letters), names) {
		out = append(out, lines[f.Index])
	}
	return out
}

// Paste is part of paster.
func (m *menu) Paste(s string) (lost int) {
	if m.Searchable {
		lost = m.field().Insert(s)
	}
	return lost
}

// Draw is part of dialog.
func (m *menu) Draw(x facts) drawnDialog {
	shown := m.Shown(x)
	foot := m.Foot
	if foot == "" {
		n := len(slices.DeleteFunc(slices.Clone(shown), menuLine.isText))
		foot = fmt.Sprintf("1-%d or {open} choose · {back} close", n)
	}
	d := x.dialog(m.Title, foot, nil)
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
	height := max(x.H-2-len(d.Lines), 1)
	body, _, top := m.window(shown, x, height)
	d.Lines = append(d.Lines, body[top:min(top+height, len(body))]...)
	if m.Below != nil {
		if lines := m.Below(x); len(lines) > 0 {
			lines, d.Foot = m.shown.window(x, lines, m.room(x))
			d.Lines = append(append(d.Lines, ""), lines...)
		}
	}
	return d
}

// room is the number of lines that fit below the menu, without the border, a gap and the line that says which they are.
func (m *menu) room(x facts) int { return max(x.H-2-len(m.Lines)-2, 2) }

// window draws the lines below the headings of their groups. at are their line numbers, top is the first of the height visible ones.
func (m *menu) window(shown []menuLine, x facts, height int) (out []string, at []int, top int) {
	group := ""
	for i, l := range shown {
		if l.Group != group && l.Group != "" {
			group = l.Group
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, " "+x.Accent.Paint(group))
		}
		at = append(at, len(out))
		out = append(out, m.line(l, i, x))
	}
	if len(shown) == 0 {
		return x.Notes(strings.TrimSpace("Nothing matches. " + m.Limit)), nil, 0
	}
	return out, at, min(max(at[m.At]-height+2, 0), max(len(out)-height, 0))
}

func (m *menu) line(l menuLine, i int, x facts) string {
	w, mark := x.Inner(), "  "
	if i == m.At {
		mark = x.Glyph.Cursor + " "
	}
	if l.isText() { // shown in full length
		return x.Accent.Paint(" "+mark) + x.Text.Paint(text.Cut(l.Title, w-3))
	}
	does, ink := l.Does, x.Text
	if l.Off != "" {
		does, ink = "off: "+l.Off, x.Faint
	}
	key, keys, titles := "", keyCells, titleCells
	if w < narrowMenu {
		l.Key, _, _ = strings.Cut(l.Key, " ")
		keys, titles = 7, 22
	}
	if m.Of != nil {
		key = text.Pad(l.Key, keys-1) + " "
	}
	if !m.Searchable {
		l.Title = cmp.Or(l.Key, strconv.Itoa(i+1)) + " " + l.Title
	}
	if does == "" {
		titles = w
	}
	title := text.Pad(l.Title, min(titles, max(w-len(key)-4, 8))) + " "
	return x.Strip(w, i == m.At, x.Key.Of(" "+mark), x.Key.Of(key), ink.Of(title), x.Muted.Of(does))
}

// The columns of a menu. A menu narrower than narrowMenu shows only one key and less of the title, so that the description or the reason
// fits.
const (
	keyCells   = 10
	titleCells = 26
	narrowMenu = 60
)
