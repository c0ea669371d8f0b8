package console

import (
	"cmp"
	"math"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// dialog is drawn over a screen and gets keys before it.
type dialog interface {
	// In is the context whose keys it gets.
	In() action.Context
	// Press handles a key. It reports whether the dialog stays open, and says what to do.
	Press(keyPress, facts) (open bool, m message)
	// Draw draws the dialog within the context's size.
	Draw(facts) drawnDialog
}

// deskKeys and textKeys are parts of the dialogs that get the keys of these contexts.
type (
	deskKeys struct{}
	textKeys struct{}
)

// In is part of dialog.
func (deskKeys) In() action.Context { return action.Desk }

// In is part of dialog.
func (textKeys) In() action.Context { return action.Text }

// paster is a dialog that accepts pasted text where it accepts typed text.
type paster interface{ Paste(string) (lost int) }

// textDialog is a dialog that holds typed text.
type textDialog interface {
	dialog
	// About is the item and the command that the dialog is for.
	About() dialogSubject
	// Draft is the typed text that is not saved, and the key under which it is kept. Without a key it is not kept.
	Draft() (key, text string)
	// Fill sets the text that was edited in the operator's editor.
	Fill(string) (lost int)
}

// refuser is a dialog that waits for an answer. If the answer is a refusal, Refused lets the operator continue.
type refuser interface{ Refused() }

// dialogSubject is the subject of a dialog. The dialog closes if its command can no longer be applied to the item, because
// somebody else changed the item.
type dialogSubject struct {
	Item    model.ItemID
	Command string
}

// keyPress is a pressed key, and the action that it means in the dialog's context.
type keyPress struct {
	tea.KeyPressMsg
	ID action.ID
}

// digit is the index of the choice that a digit names, or more than any list has.
func (k keyPress) digit() int {
	if k.Mod != 0 || k.Code < '1' || k.Code > '9' {
		return math.MaxInt
	}
	return int(k.Code - '1')
}

// facts is what a dialog may use when it handles a key or is drawn.
type facts struct {
	screen.Frame
	// W and H bound the size of dialogs. Under is the part of H that the layer above takes, where one of it stays beside the triage.
	W, H, Under int
	// State is the input of the actions' conditions, with the row under the cursor. Detail is the same item's; it is nil until it was read.
	State  action.State
	Detail *model.Detail
	// Drafts holds the texts of dialogs that were closed without saving.
	Drafts map[string]string
}

// drawnDialog is a dialog drawn as a box, with its size (0: as high as its lines need) and, if it accepts text, the cursor's place. Hint
// describes its keys. It is the screen's hint line while the dialog has the keys.
type drawnDialog struct {
	screen.Box
	W, H int
	// Sheet means that it is placed at the bottom of the screen, so that its subject stays readable above it.
	Sheet  bool
	Hint   string
	Cursor *tea.Position
}

// height is the height of its box.
func (d drawnDialog) height(x facts) int { return cmp.Or(d.H, min(len(d.Lines)+2, x.H)) }

// The messages of dialogs.
type (
	// trouble says what is wrong with the typed text.
	trouble string
	// run carries an action out.
	run action.ID
	// apply sends a command. The dialog stays until its receipt arrives; then Said is shown. Before, if set, is handled first.
	apply struct {
		Command model.Command
		Said    string
		Before  message
	}
	// draftKept says that the dialog was closed with this draft.
	draftKept struct{ Key, Draft string }
	// opens opens another dialog above the current one.
	opens struct{ dialog }
	// effect runs in the background. Waits means that the dialog takes no keys until the answer.
	effect struct {
		Do    tea.Cmd
		Waits bool
	}
	// editOutside opens a text of the dialog in the operator's editor.
	editOutside string
)

func (m run) handle(c *console)         { c.act(action.ID(m)) }
func (m opens) handle(c *console)       { c.open(m.dialog) }
func (m effect) handle(c *console)      { c.start(m.Do) }
func (m editOutside) handle(c *console) { c.start(c.fx.copyText(string(m))) }

func (m trouble) handle(c *console) {
	c.fail(text.Sentence(string(m)))
}

func (m draftKept) handle(c *console) {
	c.keepDraft(m.Key, m.Draft)
	if m.Draft == "" || m.Key == "" {
		return
	}
	c.say("Draft kept.")
}

// handle sends a dialog's command, after the job that must come before it.
func (m apply) handle(c *console) {
	if m.Before != nil {
		m.Before.handle(c)
	}
	j := c.fx.decided(c.agent, m.Command, m.Said)
	if e, ok := c.layers.editor(); ok {
		j.typedAs, _ = e.Draft()
	}
	c.post(j)
	if c.layers.top() != nil {
		c.outbox.awaited = c.outbox.seq
	}
}

// outcome reports whether a dialog stays open after a message, and whether it waits.
func outcome(m message) (open, waits bool) {
	switch m := m.(type) {
	case nil, trouble, editOutside:
		return true, false
	case apply:
		return true, true
	case effect:
		return m.Waits, m.Waits
	}
	return false, false
}

// Revision returns the revision of a row's item that is on screen now.
func (x facts) Revision(r model.Row) uint64 {
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
func (x facts) DialogW() int { return min(dialogW, x.W) }
func (x facts) Inner() int   { return x.DialogW() - 2 }
func (x facts) FieldW() int  { return x.DialogW() - 2 - 2 - 2 }

// SheetH is the greatest height of a sheet. Above it the plan stays readable.
func (x facts) SheetH() int { return min(x.H, max(x.H*2/3, leastSheet)) }

// leastSheet is the height that a sheet may take even on a low screen.
const leastSheet = 14

// Notes is secondary text, wrapped to the dialog's width.
func (x facts) Notes(s string) []string { return x.Said(s, x.Inner()) }

// Warn is a sentence with one warning mark before it.
func (x facts) Warn(s string) []string {
	return x.Warned(s, x.Inner())
}

// Cut shortens text from outside to w cells.
func (x facts) Cut(t model.Text, w int) string { return text.Cut(x.Show(t), w) }

// dialog returns a box as wide as a dialog. The hint names keys by the ids of their actions.
func (x facts) dialog(title, hint string, lines []string) drawnDialog {
	return drawnDialog{Box: screen.Box{Title: x.Strong.Paint(title), Focused: true, Lines: lines}, W: x.DialogW(), Hint: x.Keyed(hint)}
}
