package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// form is a dialog of fields, drawn as a sheet at the bottom. Each field says what it asks, what it must hold, and where its text goes in a
// command; the form draws and edits the fields, keeps their texts as a draft, and checks them.
type form struct {
	textKeys
	Title string
	// Head returns the lines above the fields, which scroll where there is no room. Tail returns the lines below them, which are left out
	// there. Warn returns sentences that the operator must have on the screen to submit, and Final the last of them. Each may be nil.
	Head, Tail, Warn func(facts) []string
	Final            string
	Fields           []formField
	// Foot describes the keys.
	Foot string
	// DraftKey is the key of the draft with the fields' texts.
	DraftKey string
	// Canned are answers, drawn below the head, that digits insert while the focused field is empty.
	Canned []string
	// Submit makes a message. The fields are right then, and their texts are where they go.
	Submit func(facts) message
	// Chord means that only the save key submits; enter never does.
	Chord bool
	// Seen is the revision of the item from which the form was filled; 0 without an item. After a refusal the revision on screen counts,
	// since the operator has then seen the change.
	Seen uint64
	// For is the item and the command that the form is for.
	For   dialogSubject
	at    int
	shown excerpt
	// waiting means that the form was submitted and has no answer yet.
	waiting bool
	// initial is the fields' content before any typing. It is not kept as a draft.
	initial string
}

// formField is a text field, or a choice among options.
type formField struct {
	Label string
	screen.Field
	// Into is where the text goes, without surrounding blanks; from a field that is not shown, nothing does.
	Into *model.Text
	// Need is said if the field is empty; "" if it may be.
	Need string
	// Instant is where a text goes that is a time, which is drawn after the label.
	Instant *time.Time
	Options []string
	Chosen  int
	// Proposed is what an empty field stands for, drawn in its place.
	Proposed string
	// Name identifies a choice in a draft. A draft's choice applies only to the choice of that name, whatever its position is now.
	Name string
	// Shown reports whether the field is shown; nil means always.
	Shown func() bool
	// Note returns a text that is drawn after the label.
	Note func(facts) string
}

// lineField is a field of one line. Its text goes into a command.
func lineField(label string, limit int, into *model.Text, need string) formField {
	return textField(label, 1, limit, into, need)
}

func textField(label string, rows, limit int, into *model.Text, need string) formField {
	return formField{Label: label, Field: screen.NewField("", rows, limit), Into: into, Need: need}
}

const (
	draftMark  = "\x1e" // separates the texts of a draft
	choiceMark = "\x1f" // separates a choice's name from its number
)

// Value is the text of a field without surrounding blanks, or what is proposed.
func (f *form) Value(i int) string {
	return cmp.Or(strings.TrimSpace(f.Fields[i].Value()), f.Fields[i].Proposed)
}

// Visible reports whether a field is shown now. Changed reports whether the first field has changed.
func (f *form) Visible(i int) bool  { return f.Fields[i].Shown == nil || f.Fields[i].Shown() }
func (f *form) Changed() bool       { return f.Value(0) != strings.TrimSpace(f.initial) }
func (f *form) focused() *formField { return &f.Fields[f.at] }
func (ff formField) isChoice() bool { return len(ff.Options) > 0 }

// types reports whether the focused field takes text.
func (f *form) types() bool { return len(f.Fields) > 0 && !f.focused().isChoice() && !f.waiting }

// begin fills the fields from the draft.
func (f *form) begin(drafts map[string]string) {
	f.initial = f.draftText()
	s := drafts[f.DraftKey]
	parts := strings.Split(s, draftMark)
	for i := range f.Fields {
		ff := &f.Fields[i]
		if s != "" && i < len(parts) && !ff.isChoice() {
			ff.Set(parts[i])
		}
		for _, p := range parts {
			name, n, ok := strings.Cut(p, choiceMark)
			if chosen, err := strconv.Atoi(n); ok && err == nil && ff.Name != "" && name == ff.Name && chosen < len(ff.Options) {
				ff.Chosen = max(chosen, 0)
			}
		}
	}
}

func (f *form) draftText() string {
	parts := make([]string, len(f.Fields))
	any := false
	for i, ff := range f.Fields {
		parts[i] = ff.Value()
		any = any || !ff.isChoice() && !ff.Empty()
		if ff.Name != "" {
			parts[i] = ff.Name + choiceMark + strconv.Itoa(ff.Chosen)
			any = any || ff.Chosen != 0
		}
	}
	if s := strings.Join(parts, draftMark); any && s != f.initial {
		return s
	}
	return ""
}

// About, Draft and Fill are part of textDialog. Refused is part of refuser.
func (f *form) About() dialogSubject      { return f.For }
func (f *form) Draft() (key, text string) { return f.DraftKey, f.draftText() }
func (f *form) Refused()                  { f.waiting, f.Seen = false, 0 }
func (f *form) Revision(x facts, r model.Row) uint64 {
	return cmp.Or(f.Seen, x.Revision(r))
}

// Fill puts text from the operator's editor into the focused field.
func (f *form) Fill(s string) (lost int) {
	if f.types() {
		lost = f.focused().Set(strings.TrimSuffix(s, "\n"))
	}
	return lost
}

// Paste is part of paster.
func (f *form) Paste(s string) (lost int) {
	if f.types() {
		lost = f.focused().Insert(s)
	}
	return lost
}

// Press is part of dialog.
func (f *form) Press(k keyPress, x facts) (open bool, m message) {
	l := f.layout(x)
	switch {
	case pages(k) && f.shown.Scroll(k, len(l.head), l.room):
	case k.ID == action.Back: // a submitted command continues without the dialog, and may be refused
		key, draft := f.Draft()
		return false, draftKept{key, draft}
	case f.waiting:
	case k.ID == action.Submit, k.ID == action.Open && f.enterSubmits():
		if l.cut {
			return true, trouble("what you must know before does not fit: enlarge the terminal")
		}
		return f.submitted(x)
	case len(f.Fields) == 0:
	case k.ID == action.EditOutside && !f.focused().isChoice():
		return true, editOutside(f.focused().Value())
	case k.ID == action.NextPane:
		f.move(1)
	case k.ID == action.PrevPane:
		f.move(-1)
	case f.focused().isChoice():
		f.choose(k)
	case f.focused().Empty() && k.digit() < len(f.Canned):
		if !f.shown.shows(l.canned[k.digit()], l.room) {
			return true, sayMsg(notSeen)
		}
		f.focused().Set(f.Canned[k.digit()])
	case !f.focused().Press(k.KeyPressMsg, x.FieldW()):
		f.upDown(k)
	}
	return true, nil
}

// submitted puts the texts where they go, or says which of them is wrong.
func (f *form) submitted(x facts) (open bool, m message) {
	for i, ff := range f.Fields {
		value := ""
		if f.Visible(i) {
			value = f.Value(i)
			if value == "" && ff.Need != "" {
				return true, trouble(x.Keyed(ff.Need))
			}
		}
		if ff.Into != nil {
			*ff.Into = model.Text(value)
		}
		if ff.Instant == nil {
			continue
		}
		var err error
		if *ff.Instant = (time.Time{}); value != "" {
			*ff.Instant, err = model.ParseTime(value, x.Now)
		}
		if err != nil {
			return true, trouble(err.Error())
		}
	}
	m = f.Submit(x)
	open, f.waiting = outcome(m)
	return open, m
}

// enterSubmits reports whether enter submits. In a field of several lines enter breaks the line.
func (f *form) enterSubmits() bool {
	return !f.Chord && (len(f.Fields) == 0 || f.focused().isChoice() || f.focused().Rows == 1)
}

func (f *form) upDown(k keyPress) {
	if by := map[string]int{"up": -1, "down": 1}[k.String()]; by != 0 {
		f.move(by)
	}
}

func (f *form) move(by int) {
	for range f.Fields {
		f.at = (f.at + by + len(f.Fields)) % len(f.Fields)
		if f.Visible(f.at) {
			return
		}
	}
}

func (f *form) choose(k keyPress) {
	ff := f.focused()
	n := len(ff.Options)
	switch s := k.String(); {
	case s == "left":
		ff.Chosen = (ff.Chosen + n - 1) % n
	case s == "right" || s == "space":
		ff.Chosen = (ff.Chosen + 1) % n
	case k.digit() < n:
		ff.Chosen = k.digit()
	default:
		f.upDown(k)
	}
}

// Draw is part of dialog.
func (f *form) Draw(x facts) drawnDialog {
	foot := f.Foot
	if f.waiting {
		foot = "saving… · {back} lets it go on behind"
	}
	d, l := x.dialog(f.Title, foot, nil), f.layout(x)
	d.W, d.Sheet, d.Cursor = x.W, true, l.cursor
	d.Lines, d.Foot = f.shown.window(x, l.head, l.room)
	off := min(max(l.focus-l.free+1, 0), len(l.fields)) // the focused line would be too far down
	if d.Cursor != nil {
		d.Cursor.Y += len(d.Lines) - off
	}
	d.Lines = slices.Concat(d.Lines, l.fields[off:min(off+l.free, len(l.fields))], l.tail, l.warn)
	d.H = min(len(d.Lines)+2, x.SheetH())
	return d
}

// formLayout is what a form shows.
type formLayout struct {
	head, fields, tail, warn []string
	// canned are the first line of each canned answer in the head, and that after its last one.
	canned [][2]int
	// room and free are the numbers of lines for the head and the fields.
	room, free int
	// focus is the line of the focused field, cursor its place among the fields' lines; nil if no text is typed.
	focus  int
	cursor *tea.Position
	// cut: not even the warnings fit.
	cut bool
}

// layout fits the form into the height: the text fields shrink first, then the tail goes and the head scrolls, then each warning gets one
// line. The fields scroll to the focus.
func (f *form) layout(x facts) (l formLayout) {
	lines := func(of func(facts) []string) []string {
		if of == nil {
			return nil
		}
		return of(x)
	}
	l.head, l.tail = lines(f.Head), lines(f.Tail)
	for i, words := range f.Canned {
		first := len(l.head)
		l.head = append(l.head, x.Hang("   "+x.Key.Paint(strconv.Itoa(i+1))+" ", x.Text, x.Show(model.Text(words)), x.Inner()-6)...)
		l.canned = append(l.canned, [2]int{first, len(l.head)})
	}
	said, short := lines(f.Warn), []string(nil)
	for _, s := range said {
		l.warn = append(l.warn, x.Warn(s)...)
		short = append(short, x.Warn(text.Cut(s, x.Inner()-4))...)
	}
	if f.Final != "" {
		l.warn, short = append(l.warn, x.Note(f.Final)), append(short, x.Note(f.Final))
	}
	h := x.SheetH() - 2
	over := func() int { return len(l.head) + len(l.fields) + len(l.tail) + len(l.warn) - h }
	for rows := mostRows; rows > 0 && (l.fields == nil || over() > 0); rows-- {
		l.fields, l.focus, l.cursor = f.drawFields(x, rows)
	}
	if over() > 0 {
		l.tail = nil
	}
	least := min(len(l.head), 1)
	if least+min(len(l.fields), leastFields)+len(l.warn) > h {
		l.warn = short
	}
	l.room = max(h-len(l.fields)-len(l.warn), least)
	l.free = max(h-min(len(l.head), l.room)-len(l.warn), 0)
	l.cut = l.free == 0 && len(l.fields) > 0 || len(l.warn) > h
	return l
}

const (
	// mostRows is the number of rows of the largest text field.
	mostRows = 6
	// leastFields is the number of lines of a field with its label.
	leastFields = 2
)

// drawFields draws the fields, each in at most so many rows, and returns the line of the focus and the place of the cursor.
func (f *form) drawFields(x facts, rows int) (lines []string, focus int, cursor *tea.Position) {
	for i := range f.Fields {
		if f.Visible(i) {
			var at *tea.Position
			if lines, at = f.drawField(lines, i, rows, x); at != nil {
				cursor = at
			}
		}
		if i == f.at {
			focus = len(lines) - 1
		}
	}
	if cursor != nil {
		focus = cursor.Y
	}
	return lines, focus, cursor
}

// drawField adds a field's lines to the others.
func (f *form) drawField(lines []string, i, rows int, x facts) (_ []string, cursor *tea.Position) {
	ff := f.Fields[i]
	label := ff.Label
	switch {
	case ff.Instant != nil && !ff.Empty():
		label += "   " + x.instant(ff.Value())
	case ff.Note != nil:
		label = strings.TrimRight(label+"   "+ff.Note(x), " ")
	}
	if label != "" {
		lines = append(lines, x.Note(label))
	}
	mark := " "
	if i == f.at {
		mark = x.Key.Paint(">")
	}
	if ff.isChoice() {
		return append(lines, text.Cut(" "+mark+" "+ff.choices(x), x.Inner())), nil
	}
	ff.Rows = min(ff.Rows, rows)
	drawn, cx, cy := ff.Draw(x.FieldW(), x.Styles)
	if i == f.at {
		cursor = &tea.Position{X: 3 + cx, Y: len(lines) + cy}
	}
	if ff.Value() == "" {
		drawn[0] = x.Faint.Paint(ff.Proposed)
	}
	for _, l := range drawn {
		lines = append(lines, " "+mark+" "+l)
		mark = " "
	}
	return lines, cursor
}

// instant says which time a text means.
func (x facts) instant(s string) string {
	at, err := model.ParseTime(strings.TrimSpace(s), x.Now)
	if err != nil {
		return x.Blocked.Paint(err.Error())
	}
	return x.Accent.Paint(x.BothTimes(at))
}

func (ff formField) choices(x facts) string {
	var b strings.Builder
	for n, o := range ff.Options {
		o = strconv.Itoa(n+1) + " " + o
		if n == ff.Chosen {
			o = x.Selected.Paint(x.Mark(o))
		} else {
			o = " " + o + " "
		}
		b.WriteString(o + " ")
	}
	return b.String()
}
