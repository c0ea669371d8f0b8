package console

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// form is a dialog of fields, drawn as a sheet at the bottom. Most dialogs are forms.
type form struct {
	Title string
	// Head and Tail return the lines above and below the fields; they may be nil.
	Head, Tail func(facts, *form) []string
	Fields     []formField
	// Foot describes the keys. EmptyFoot replaces it while the first field is empty; "" keeps Foot.
	Foot, EmptyFoot string
	// DraftKey is the key of the draft with the fields' texts.
	DraftKey string
	// Canned are answers that digits insert while the focused field is empty.
	Canned []string
	// Submit makes a result from the fields.
	Submit func(facts, *form) message
	// Chord means that only the save key submits; enter never does.
	Chord bool
	// Seen is the revision of the item from which the form was filled; 0 without an item. After a refusal the revision on screen counts,
	// since the operator has then seen the change.
	Seen uint64
	// For is the item and the command that the form is for.
	For dialogSubject
	at  int
	// waiting means that the form was submitted and has no answer yet.
	waiting bool
	// initial is the fields' content before any typing. It is not kept as a draft.
	initial string
}

// formField is a text field, or a choice among options.
type formField struct {
	Label string
	screen.Field
	Options []string
	Chosen  int
	// Name identifies a choice in a draft. A draft's choice applies only to the choice of that name, whatever its position is now.
	Name string
	// Check means that its two options are a box without and with its mark. Only one of them is drawn.
	Check bool
	// Shown reports whether the field is shown; nil means always.
	Shown func(*form) bool
	// Note returns a text that is drawn after the label.
	Note func(facts, *form) string
}

const (
	draftMark  = "\x1e" // separates the texts of a draft
	choiceMark = "\x1f" // separates a choice's name from its number
)

// Value is the text of a field without surrounding blanks. Text is the same for a command.
func (f *form) Value(i int) string    { return strings.TrimSpace(f.Fields[i].Value()) }
func (f *form) Text(i int) model.Text { return model.Text(f.Value(i)) }

// Visible reports whether a field is shown now. Changed reports whether the first field has changed.
func (f *form) Visible(i int) bool  { return f.Fields[i].Shown == nil || f.Fields[i].Shown(f) }
func (f *form) Changed() bool       { return f.Value(0) != strings.TrimSpace(f.initial) }
func (f *form) focused() *formField { return &f.Fields[f.at] }
func (ff formField) isChoice() bool { return len(ff.Options) > 0 }

// types reports whether the focused field takes text.
func (f *form) types() bool { return len(f.Fields) > 0 && !f.focused().isChoice() && !f.waiting }

// WithDraft fills the fields from a draft.
func (f *form) WithDraft(drafts map[string]string) *form {
	f.initial = f.draftText()
	s := drafts[f.DraftKey]
	parts := strings.Split(s, draftMark)
	for i := range f.Fields {
		if s != "" && i < len(parts) && !f.Fields[i].isChoice() {
			f.Fields[i].Set(parts[i])
		}
		f.Fields[i].redo(parts)
	}
	return f
}

// redo repeats the choice that a draft holds under the field's name.
func (ff *formField) redo(parts []string) {
	for _, p := range parts {
		name, n, ok := strings.Cut(p, choiceMark)
		if chosen, err := strconv.Atoi(n); ok && err == nil && ff.Name != "" && name == ff.Name && chosen < len(ff.Options) {
			ff.Chosen = max(chosen, 0)
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

// In is part of dialog.
func (f *form) In() action.Context { return action.Text }

// About, Draft and Fill are part of textDialog. Refused is part of refuser.
func (f *form) About() dialogSubject      { return f.For }
func (f *form) Draft() (key, text string) { return f.DraftKey, f.draftText() }
func (f *form) Refused()                  { f.waiting, f.Seen = false, 0 }
func (f *form) Revision(x facts, r model.Row) uint64 {
	return cmp.Or(f.Seen, x.Revision(r))
}

// Fill puts text from the operator's editor into the focused field.
func (f *form) Fill(s string) {
	if f.types() {
		f.focused().Set(strings.TrimSuffix(s, "\n"))
	}
}

// Paste is part of paster.
func (f *form) Paste(s string) {
	if f.types() {
		f.focused().Insert(s)
	}
}

// Press is part of dialog.
func (f *form) Press(k keyPress, x facts) (dialog, message) {
	switch {
	case k.ID == action.Close: // a submitted command continues without the dialog, and may be refused
		key, draft := f.Draft()
		return nil, draftKept{key, draft}
	case f.waiting:
	case k.ID == action.Submit, k.ID == action.SubmitLine && f.enterSubmits():
		return f.submitted(x)
	case len(f.Fields) == 0:
	case k.ID == action.EditOutside && !f.focused().isChoice():
		return f, editOutside(f.focused().Value())
	case k.ID == action.NextField:
		f.move(1)
	case k.ID == action.PrevField:
		f.move(-1)
	case f.focused().isChoice():
		f.choose(k)
	case f.takesCanned(k):
		f.focused().Set(f.Canned[k.Code-'1'])
	case !f.focused().Press(k.KeyPressMsg, x.FieldW()):
		f.upDown(k)
	}
	return f, nil
}

func (f *form) submitted(x facts) (dialog, message) {
	r := f.Submit(x, f)
	stays, waits := outcome(r)
	if f.waiting = waits; !stays {
		return nil, r
	}
	return f, r
}

// enterSubmits reports whether enter submits. In a field of several lines enter breaks the line.
func (f *form) enterSubmits() bool {
	return !f.Chord && (len(f.Fields) == 0 || f.focused().isChoice() || f.focused().Rows == 1)
}

func (f *form) takesCanned(k keyPress) bool {
	return k.Mod == 0 && f.focused().Empty() && k.Code >= '1' && int(k.Code-'1') < len(f.Canned)
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
	case k.Code >= '1' && int(k.Code-'1') < n:
		ff.Chosen = int(k.Code - '1')
	default:
		f.upDown(k)
	}
}

// Draw is part of dialog.
func (f *form) Draw(x facts) drawnDialog {
	foot := f.Foot
	switch {
	case f.waiting:
		foot = "saving… · {close} lets it go on behind"
	case f.EmptyFoot != "" && f.Fields[0].Empty():
		foot = f.EmptyFoot
	}
	d := x.dialog(f.Title, foot, nil)
	d.W, d.Sheet = x.W, true
	if f.Head != nil {
		d.Lines = f.Head(x, f)
	}
	focus := 0
	for i := range f.Fields {
		if f.Visible(i) {
			f.drawField(&d, i, x)
		}
		if i == f.at {
			focus = len(d.Lines) - 1
		}
	}
	if d.Cursor != nil {
		focus = d.Cursor.Y
	}
	if f.Tail != nil {
		d.Lines = append(d.Lines, f.Tail(x, f)...)
	}
	d.H = min(len(d.Lines)+2, x.SheetH())
	if off := focus - (d.H - 3); off > 0 { // the focused line would be below the box
		d.Lines = d.Lines[min(off, len(d.Lines)):]
		if d.Cursor != nil {
			d.Cursor.Y -= off
		}
	}
	return d
}

func (f *form) drawField(d *drawnDialog, i int, x facts) {
	ff := f.Fields[i]
	label := ff.Label
	if ff.Note != nil {
		label = strings.TrimRight(label+"   "+ff.Note(x, f), " ")
	}
	if label != "" {
		d.Lines = append(d.Lines, x.Note(label))
	}
	mark := " "
	if i == f.at {
		mark = x.Key.Paint(">")
	}
	if ff.isChoice() {
		d.Lines = append(d.Lines, text.Cut(" "+mark+" "+ff.choices(x), x.Inner()))
		return
	}
	lines, cx, cy := ff.Draw(x.FieldW(), x.Styles)
	if i == f.at {
		d.Cursor = &tea.Position{X: 3 + cx, Y: len(d.Lines) + cy}
	}
	for _, l := range lines {
		d.Lines = append(d.Lines, " "+mark+" "+l)
		mark = " "
	}
}

func (ff formField) choices(x facts) string {
	if ff.Check {
		return x.Text.Paint(ff.Options[ff.Chosen])
	}
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
