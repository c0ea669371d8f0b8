// Package widget holds the building blocks of the console's dialogs and screens: styles, boxes, text fields, forms, menus and pagers. A
// widget gets the styles and a size, and returns a result value. It does not import the console.
//
// Reading order: dialog.go (what a dialog gets and what it asks for), form.go, menu.go and pager.go (the dialogs), field.go (text input),
// styles.go (colours and frames).
package widget

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// Dialog is drawn over a screen and gets keys before it.
type Dialog interface {
	// In is the context whose keys it gets.
	In() action.Context
	// Press handles a key. It returns the dialog, or nil if the key closed it, and what the dialog asks for.
	Press(Key, Context) (Dialog, Result)
	// Draw draws the dialog within the context's size.
	Draw(Context) Drawn
}

// Paster is a dialog that accepts pasted text where it accepts typed text.
type Paster interface{ Paste(string) }

// Editor is a dialog that holds typed text.
type Editor interface {
	Dialog
	// About is the item and the command that the dialog is for.
	About() Subject
	// Draft is the typed text that is not saved, and the key under which it is kept. Without a key it is not kept.
	Draft() (key, text string)
	// Fill sets the text that was edited in the operator's editor.
	Fill(string)
}

// Refuser is a dialog that waits for an answer. If the answer is a refusal, Refused lets the operator continue.
type Refuser interface{ Refused() }

// Subject is the subject of a dialog. The dialog closes if its command can no longer be applied to the item, because somebody else changed
// the item.
type Subject struct {
	Item    model.ItemID
	Command string
}

// Key is a pressed key, and the action that it means in the dialog's context.
type Key struct {
	tea.KeyPressMsg
	ID action.ID
}

// Context is what a dialog may use when it handles a key or is drawn.
type Context struct {
	Frame
	// W and H bound the size of dialogs.
	W, H int
	// State is the input of the actions' conditions, with the row under the cursor. Detail is the same item's; it is nil until it was read.
	State  action.State
	Detail *model.Detail
	// Drafts holds the texts of dialogs that were closed without saving.
	Drafts map[string]string
}

// Drawn is a dialog drawn as a box, with its size and, if it accepts text, the cursor's place. Hint describes its keys. It is the screen's
// hint line while the dialog has the keys.
type Drawn struct {
	Box
	W, H int
	// Sheet means that it is placed at the bottom of the screen, so that its subject stays readable above it.
	Sheet  bool
	Hint   string
	Cursor *tea.Position
}

// Result is a dialog's request to its owner; nil means no request.
type Result interface{ result() }

// The kinds of Result.
type (
	// Trouble says what is wrong with the typed text.
	Trouble string
	// Run carries an action out.
	Run action.ID
	// Apply sends a command. The dialog stays until its receipt arrives; then Said is shown. Before, if set, is handled first.
	Apply struct {
		Command model.Command
		Said    string
		Before  tea.Msg
	}
	// Keep says that the dialog was closed with this draft.
	Keep struct{ Key, Draft string }
	// Open opens another dialog above the current one.
	Open struct{ Dialog }
	// Effect runs in the background. Waits means that the dialog takes no keys until the answer.
	Effect struct {
		Do    tea.Cmd
		Waits bool
	}
	// EditOutside opens a text of the dialog in the operator's editor.
	EditOutside string
	// Intent is handled at once by the part of the console that it is for.
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

// outcome reports whether a dialog that asks for r stays open, and whether it waits.
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

// Revision returns the revision of a row's item that is on screen now.
func (x Context) Revision(r model.Row) uint64 {
	if x.Detail != nil && x.Detail.ID == r.ID {
		return x.Detail.Revision
	}
	return r.Revision
}

// The greatest widths of a dialog, and of a dialog that is only read.
const (
	dialogW = 80
	readerW = 110
)

// DialogW is the width of a dialog, Inner the width within its border, FieldW the text width of a field.
func (x Context) DialogW() int { return min(dialogW, x.W) }
func (x Context) Inner() int   { return x.DialogW() - 2 }
func (x Context) FieldW() int  { return x.DialogW() - 2 - 2 - 2 }

// SheetH is the greatest height of a sheet. Above it the plan stays readable.
func (x Context) SheetH() int { return min(x.H, max(x.H*2/3, leastSheet)) }

// leastSheet is the height that a sheet may take even on a low screen.
const leastSheet = 14

// Note is one line of secondary text. Notes may be longer than the dialog's width and is wrapped.
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

// Cut shortens text from outside to w cells.
func (x Context) Cut(t model.Text, w int) string { return text.Cut(x.Show(t), w) }

// Dialog returns a box as wide as a dialog and as high as its lines need. The hint names keys by the ids of their actions.
func (x Context) Dialog(title, hint string, lines []string) Drawn {
	d := Drawn{Box: Box{Title: x.Strong.Paint(title), Focused: true, Lines: lines}, W: x.DialogW(), Hint: x.Keys.Keyed(hint)}
	d.H = min(len(lines)+2, x.H)
	return d
}
