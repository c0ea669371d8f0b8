package console

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// dialog is what stands over the desk and gets every key first; nil when none does.
type dialog interface {
	// press is the dialog after a key, nil when that closed it, and what it asks for.
	press(tea.KeyPressMsg, surroundings) (dialog, wish)
	// paste is the dialog with text put where it types.
	paste(string) dialog
	// draw is the dialog for a screen of at most w×h.
	draw(w, h int, s surroundings) drawn
}

// surroundings are what a dialog may ask when it reacts or draws.
type surroundings struct {
	Console
}

// drawn is a dialog as a box, with its size and the place of the cursor in it, if it types.
type drawn struct {
	widget.Box
	w, h   int
	cursor *tea.Position
}

// wish is what a dialog asks of the console. The zero wish asks for nothing.
type wish struct {
	// command is sent; the dialog stays until its receipt, and says said when it came.
	command model.Command
	said    string
	// act is carried out on a file todo.
	act *FileAct
	// before is carried out on a thread ahead of the command.
	before *ThreadAct
	// draft is kept under draftKey when the dialog closes without saving.
	draftKey, draft string
	keepDraft       bool
	// run is an action to carry out.
	run action.ID
	// agent is a desk to go to.
	agent model.AgentID
	// trouble is what is wrong with what was typed.
	trouble string
	// choice and survey are the first run's.
	choice *Choice
	survey string
	quit   bool
	// next closes the dialog and goes on with it.
	next func(Console) (Console, tea.Cmd)
	// outside is a text for the operator's editor; settle ends a conflict over a plan.
	outside *string
	settle  *settlement
}

// form is a dialog of fields. Most dialogs are one.
type form struct {
	title string
	// head and tail are what is drawn above and below the fields.
	head, tail func(surroundings, *form) []string
	fields     []formField
	at         int
	// foot says what the keys do; label what saving is called, which head may change.
	foot func(*form) string
	// draftKey names the draft of the fields' texts.
	draftKey string
	// canned are offered on digits while the field in focus is empty.
	canned []string
	// submit makes the wish of what was typed.
	submit func(surroundings, *form) wish
	// waiting: it was submitted and the answer has not come.
	waiting bool
	// chord: only ctrl+s submits, enter never does.
	chord bool
	// seen is the revision of the item that the form was filled from, 0 without one. After
	// a refusal the one on screen counts: the operator has been told what changed.
	seen uint64
	// about is the item and command that the form is for.
	about subject
	// initial is what the fields held before anything was typed: no draft.
	initial string
}

// formField is a text, or a choice among options.
type formField struct {
	label string
	widget.Field
	options []string
	chosen  int
	// name marks a choice in a draft: a draft's choice counts for the choice of that name
	// alone, whatever its place is now.
	name string
	// check: its two options are a box without and with its mark, of which one is drawn.
	check bool
	// shown says whether the field matters; nil: always.
	shown func(*form) bool
	// note is drawn behind the label.
	note func(surroundings, *form) string
}

// subject is what a dialog is about: when its command is no longer offered for the item,
// because somebody else was faster, the dialog closes.
type subject struct {
	item    model.ItemID
	command string
}

const (
	draftMark  = "\x1e" // between the texts of a draft
	choiceMark = "\x1f" // between a choice's name and its number
)

func (f *form) value(i int) string    { return strings.TrimSpace(f.fields[i].Value()) }
func (f *form) text(i int) model.Text { return model.Text(f.value(i)) }
func (f *form) visible(i int) bool    { return f.fields[i].shown == nil || f.fields[i].shown(f) }
func (f *form) focused() *formField   { return &f.fields[f.at] }
func (ff formField) isChoice() bool   { return len(ff.options) > 0 }

// withDraft fills the fields with what was typed before.
func (f *form) withDraft(s string) *form {
	f.initial = f.draftText()
	parts := strings.Split(s, draftMark)
	for i := range f.fields {
		if s != "" && i < len(parts) && !f.fields[i].isChoice() {
			f.fields[i].Set(parts[i])
		}
		f.fields[i].redo(parts)
	}
	return f
}

// redo makes the choice again that a draft holds under the field's name.
func (ff *formField) redo(parts []string) {
	for _, p := range parts {
		name, n, ok := strings.Cut(p, choiceMark)
		if chosen, err := strconv.Atoi(n); ok && err == nil && ff.name != "" && name == ff.name && chosen < len(ff.options) {
			ff.chosen = max(chosen, 0)
		}
	}
}

func (f *form) draftText() string {
	parts := make([]string, len(f.fields))
	any := false
	for i, ff := range f.fields {
		parts[i] = ff.Value()
		any = any || !ff.isChoice() && !ff.Empty()
		if ff.name != "" {
			parts[i] = ff.name + choiceMark + strconv.Itoa(ff.chosen)
			any = any || ff.chosen != 0
		}
	}
	if s := strings.Join(parts, draftMark); any && s != f.initial {
		return s
	}
	return ""
}

func (f *form) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	a, _ := action.Of(action.Text, k)
	switch {
	case a.ID == action.Close:
		return nil, wish{draftKey: f.draftKey, draft: f.draftText(), keepDraft: f.draftKey != ""}
	case f.waiting:
		return f, wish{}
	case a.ID == action.Submit, a.ID == action.SubmitLine && f.enterSubmits():
		return f.submitted(s)
	case len(f.fields) == 0:
		return f, wish{}
	case a.ID == action.EditOutside && !f.focused().isChoice():
		value := f.focused().Value()
		return f, wish{outside: &value}
	case a.ID == action.NextField:
		f.move(1)
	case a.ID == action.PrevField:
		f.move(-1)
	case f.focused().isChoice():
		f.choose(k)
	case f.takesCanned(k):
		f.focused().Set(f.canned[k.Code-'1'])
	default:
		f.edit(k, s)
	}
	return f, wish{}
}

// fill puts a text that was edited elsewhere into the field in focus.
func (f *form) fill(s string) {
	if len(f.fields) > 0 && !f.focused().isChoice() && !f.waiting {
		f.focused().Set(strings.TrimSuffix(s, "\n"))
	}
}

func (f *form) submitted(s surroundings) (dialog, wish) {
	w := f.submit(s, f)
	if w.next != nil {
		return nil, w
	}
	f.waiting = w.trouble == "" && (w.command != nil || w.choice != nil || w.survey != "")
	return f, w
}

// enterSubmits: not from a field of several lines, where it breaks the line.
func (f *form) enterSubmits() bool {
	return !f.chord && (len(f.fields) == 0 || f.focused().isChoice() || f.focused().Rows == 1)
}

func (f *form) edit(k tea.KeyPressMsg, s surroundings) {
	w := fieldWidth(s.layout.w)
	if f.focused().Press(k, w) {
		return
	}
	switch k.String() {
	case "up":
		f.move(-1)
	case "down":
		f.move(1)
	}
}

func (f *form) takesCanned(k tea.KeyPressMsg) bool {
	return k.Mod == 0 && f.focused().Empty() && k.Code >= '1' && int(k.Code-'1') < len(f.canned)
}

func (f *form) move(by int) {
	for range f.fields {
		f.at = (f.at + by + len(f.fields)) % len(f.fields)
		if f.visible(f.at) {
			return
		}
	}
}

func (f *form) choose(k tea.KeyPressMsg) {
	ff := f.focused()
	n := len(ff.options)
	switch s := k.String(); {
	case s == "left":
		ff.chosen = (ff.chosen + n - 1) % n
	case s == "right" || s == "space":
		ff.chosen = (ff.chosen + 1) % n
	case s == "up":
		f.move(-1)
	case s == "down":
		f.move(1)
	case k.Code >= '1' && int(k.Code-'1') < n:
		ff.chosen = int(k.Code - '1')
	}
}

func (f *form) paste(s string) dialog {
	if len(f.fields) > 0 && !f.focused().isChoice() && !f.waiting {
		f.focused().Insert(s)
	}
	return f
}

// The size of a dialog: at most this wide, never wider than the screen.
const dialogW = 80

func dialogWidth(screen int) int { return min(dialogW, screen) }

// fieldWidth is the room for a field's text in a dialog.
func fieldWidth(screen int) int { return dialogWidth(screen) - 2 - 2 - 2 }

func (f *form) draw(w, h int, s surroundings) drawn {
	k := s.styles
	d := drawn{w: dialogWidth(w)}
	d.Title, d.Focused, d.Foot = k.Strong.Paint(f.title), true, k.Muted.Paint(f.foot(f))
	if f.waiting {
		d.Foot = k.Muted.Paint(action.Keyed("saving… · {close} lets it go on behind"))
	}
	d.Lines = f.head(s, f)
	focus := 0
	for i := range f.fields {
		if f.visible(i) {
			f.drawField(&d, i, s)
		}
		if i == f.at {
			focus = len(d.Lines) - 1
		}
	}
	if d.cursor != nil {
		focus = d.cursor.Y
	}
	if f.tail != nil {
		d.Lines = append(d.Lines, f.tail(s, f)...)
	}
	d.h = min(len(d.Lines)+2, h)
	d.scrollTo(focus)
	return d
}

// scrollTo leaves lines out above when the line in focus would lie below the box.
func (d *drawn) scrollTo(line int) {
	off := line - (d.h - 3)
	if off <= 0 {
		return
	}
	d.Lines = d.Lines[min(off, len(d.Lines)):]
	if d.cursor != nil {
		d.cursor.Y -= off
	}
}

func (f *form) drawField(d *drawn, i int, s surroundings) {
	k, ff := s.styles, f.fields[i]
	label := ff.label
	if ff.note != nil {
		label = strings.TrimRight(label+"   "+ff.note(s, f), " ")
	}
	if label != "" {
		d.Lines = append(d.Lines, " "+k.Muted.Paint(label))
	}
	if ff.isChoice() {
		d.Lines = append(d.Lines, f.choiceLine(i, s))
		return
	}
	lines, x, y := ff.Draw(fieldWidth(s.layout.w), s.styles)
	mark := " "
	if i == f.at {
		mark = k.Key.Paint(">")
		d.cursor = &tea.Position{X: 3 + x, Y: len(d.Lines) + y}
	}
	for _, l := range lines {
		d.Lines = append(d.Lines, " "+mark+" "+l)
		mark = " "
	}
}

func (f *form) choiceLine(i int, s surroundings) string {
	k, ff := s.styles, f.fields[i]
	var b strings.Builder
	b.WriteString("   ")
	if i == f.at {
		b.Reset()
		b.WriteString(" " + k.Key.Paint(">") + " ")
	}
	for n, o := range ff.options {
		if ff.check && n != ff.chosen {
			continue
		}
		if ff.check {
			b.WriteString(k.Text.Paint(o))
			continue
		}
		o = strconv.Itoa(n+1) + " " + o
		if n == ff.chosen {
			o = k.Selected.Paint(k.Mark(o))
		} else {
			o = " " + o + " "
		}
		b.WriteString(o + " ")
	}
	return text.Cut(b.String(), d80(s.layout.w))
}

func d80(screen int) int { return dialogWidth(screen) - 2 }
