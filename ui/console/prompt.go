package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/ui/action"
	"vise/ui/console/widget"
)

// prompted is what a prompt asks for.
type prompted int

const (
	filterPrompt prompted = iota
	searchPrompt
)

// prompt is a line that is typed in the screen itself: a filter, or what a plan is searched
// for. The screen draws it, and narrows with each key.
type prompt struct {
	what prompted
	widget.Field
}

// promptMsg is what is typed into a prompt: still, or to the end. Dropped: it is given up.
type promptMsg struct {
	what           prompted
	text           string
	ended, dropped bool
}

func newPrompt(what prompted, text string) *prompt {
	return &prompt{what, widget.NewField(text, 1, maxFilter)}
}

func (p *prompt) typed() promptMsg { return promptMsg{what: p.what, text: p.Value()} }

// In is part of widget.Dialog.
func (p *prompt) In() action.Context { return action.Text }

// Paste is part of widget.Dialog.
func (p *prompt) Paste(s string) { p.Insert(s) }

// Press is part of widget.Dialog. Enter keeps what is typed, esc gives it up; in a filter the
// arrows move among what is left.
func (p *prompt) Press(k widget.Key, _ widget.Context) (widget.Dialog, widget.Result) {
	m := p.typed()
	switch {
	case k.ID == action.Close:
		m.ended, m.dropped = true, true
		return nil, widget.Intent{Msg: m}
	case k.ID == action.SubmitLine:
		m.ended = true
		return nil, widget.Intent{Msg: m}
	case p.what == filterPrompt && k.Code == tea.KeyUp:
		return p, widget.Run(action.Up)
	case p.what == filterPrompt && k.Code == tea.KeyDown:
		return p, widget.Run(action.Down)
	}
	next := *p
	next.Field.Press(k.KeyPressMsg, maxFilter)
	return &next, widget.Intent{Msg: next.typed()}
}

// Draw is part of widget.Dialog: the screen draws it.
func (p *prompt) Draw(widget.Context) widget.Drawn { return widget.Drawn{} }
