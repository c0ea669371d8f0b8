// Package widget holds the parts that the console's dialogs and screens are made of: styles, boxes,
// text fields, forms, menus and pagers. A widget knows the styles and a size, and gives a result
// value; it knows nothing of the console.
//
// Reading order: dialog.go (what a dialog may know and what it asks for), form.go, menu.go and
// pager.go (the dialogs), field.go (text that is typed), styles.go (how everything looks).
package widget

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// Dialog is what lies over a screen and hears keys before it.
type Dialog interface {
	// In is the context whose keys it hears.
	In() action.Context
	// Press is the dialog after a key, nil when that closed it, and what it asks for.
	Press(Key, Context) (Dialog, Result)
	// Draw is the dialog within the context's size.
	Draw(Context) Drawn
}

// Paster is a dialog into which text can be pasted, where it types.
type Paster interface{ Paste(string) }

// Editor is a dialog that holds what was typed.
type Editor interface {
	Dialog
	// About is the item and the command that it is for.
	About() Subject
	// Draft is what was typed and is not saved, and the key that it is kept under; no key:
	// it is not kept.
	Draft() (key, text string)
	// Fill takes a text that was edited outside.
	Fill(string)
}

// Refuser is a dialog that waits for an answer, and goes on when that is a refusal.
type Refuser interface{ Refused() }

// Subject is what a dialog is about: when its command is no longer offered for the item,
// because somebody else was faster, the dialog closes.
type Subject struct {
	Item    model.ItemID
	Command string
}

// Key is a key that was pressed, and the action that it means in the dialog's context.
type Key struct {
	tea.KeyPressMsg
	ID action.ID
}

// Context is what a dialog may know when a key comes or it is drawn.
type Context struct {
	Frame
	// W and H are the size that dialogs may take.
	W, H int
	// State is what actions ask, the row under the cursor among it; Detail is that of the
	// same item, nil until it is read.
	State  action.State
	Detail *model.Detail
	// Drafts are what was typed into dialogs that were closed without saving.
	Drafts map[string]string
}

// Drawn is a dialog as a box, with its size and the place of the cursor in it, if it types. Hint
// says what its keys do: it is the hint line of the screen while the dialog has the keys.
type Drawn struct {
	Box
	W, H int
	// Sheet: it lies at the bottom of the screen, so that what it is about is readable above it.
	Sheet  bool
	Hint   string
	Cursor *tea.Position
}

// Result is what a dialog asks of whoever shows it; nil asks for nothing.
type Result interface{ result() }

// The results.
type (
	// Trouble is what is wrong with what was typed.
	Trouble string
	// Run carries an action out.
	Run action.ID
	// Apply sends a command. The dialog stays until its receipt; then Said is shown. Before is
	// handled ahead of it; nil: nothing is.
	Apply struct {
		Command model.Command
		Said    string
		Before  tea.Msg
	}
	// Keep says that the dialog was closed with this draft.
	Keep struct{ Key, Draft string }
	// Open lays another dialog over what is left.
	Open struct{ Dialog }
	// Effect is carried out aside. Waits: the dialog takes no keys until it is answered.
	Effect struct {
		Do    tea.Cmd
		Waits bool
	}
	// EditOutside gives a text of the dialog to the operator's editor.
	EditOutside string
	// Intent is handled at once by the part of the console that it concerns.
	Intent struct{ tea.Msg }
)

func (Trouble) result()     {}
func (Run) result()         {}
func (Apply) result()       {}
func (Keep) result()        {}
func (Open) result()        {}
func (Effect) result()      {}
func (EditOutside) result() {}
func (Intent) result()      {}

// outcome reports what becomes of a dialog that asks for r.
func outcome(r Result) (stays, waits bool) {
	switch r := r.(type) {
	case nil, Trouble, EditOutside:
		return true, false
	case Apply:
		return true, true
	case Effect:
		return r.Waits, r.Waits
	}
	return false, false
}

// Revision is the revision of a row's item that is on screen now.
func (x Context) Revision(r model.Row) uint64 {
	if x.Detail != nil && x.Detail.ID == r.ID {
		return x.Detail.Revision
	}
	return r.Revision
}

// The widest that a dialog, and one that is only read, gets.
const (
	dialogW = 80
	readerW = 110
)

// DialogW is the width of a dialog, Inner that within its border, FieldW the width of the
// text of a field.
func (x Context) DialogW() int { return min(dialogW, x.W) }
func (x Context) Inner() int   { return x.DialogW() - 2 }
func (x Context) FieldW() int  { return x.DialogW() - 2 - 2 - 2 }

// SheetH is the most lines that a sheet gets: above it the plan stays readable.
func (x Context) SheetH() int { return min(x.H, max(x.H*2/3, leastSheet)) }

// leastSheet is what a sheet may take of a low screen.
const leastSheet = 14

// Note is a line that says something by the way, Notes one that may be longer than the
// dialog is wide.
func (x Context) Note(s string) string    { return " " + x.Muted.Paint(s) }
func (x Context) Notes(s string) []string { return x.Said(s, x.Inner()) }

// Warn is a sentence with one warning mark before it.
func (x Context) Warn(s string) []string {
	var out []string
	mark := x.Glyph.Warning
	for _, l := range text.Wrap(x.Safe(s), x.Inner()-4) {
		out = append(out, " "+x.NeedsYou.Paint(mark+" "+l))
		mark = " "
	}
	return out
}

// Cut is text from outside on so many cells.
func (x Context) Cut(t model.Text, w int) string { return text.Cut(x.Show(t), w) }

// Dialog is a box of lines as wide as a dialog and as high as it needs. The hint names keys
// by the ids of their actions.
func (x Context) Dialog(title, hint string, lines []string) Drawn {
	d := Drawn{Box: Box{Title: x.Strong.Paint(title), Focused: true, Lines: lines}, W: x.DialogW(), Hint: x.Keys.Keyed(hint)}
	d.H = min(len(lines)+2, x.H)
	return d
}
