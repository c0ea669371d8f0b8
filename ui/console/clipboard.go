package console

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
)

// Native are the desktop's own clipboard and notifications, where there is a desktop.
type Native interface {
	// Copy puts text on the clipboard, and says with which program; empty: there is none.
	Copy(ctx context.Context, text string) (program string, err error)
	// Notify shows a notification.
	Notify(ctx context.Context, title, body string) error
}

// clippedMsg says how a text went to the clipboard.
type clippedMsg struct {
	what, program string
	// path is the file that holds a text too long for a terminal.
	path string
	err  error
}

// clip hands text to the terminal's clipboard (OSC 52), which works over SSH and which
// nothing confirms, and to the desktop's own where there is one. The toast says which.
func (c Console) clip(what, text string) (Console, tea.Cmd) {
	if len(text) > action.MostCopied {
		return c, c.fx.clipLong(what, text)
	}
	c, said := c.say(what + " sent to the terminal's clipboard (OSC 52)")
	send := []tea.Cmd{said, tea.SetClipboard(text), c.fx.clipNative(what, text)}
	if c.terminal.screen {
		send = append(send, tea.Raw(action.ClipboardSequence(text, true)))
	}
	return c, tea.Batch(send...)
}

func (e *effects) clipNative(what, text string) tea.Cmd {
	if e.native == nil {
		return nil
	}
	return func() tea.Msg {
		program, err := e.native.Copy(e.ctx, text)
		if program == "" && err == nil {
			return nil
		}
		return clippedMsg{what: what, program: program, err: err}
	}
}

// clipLong copies a text that a terminal would cut: with the desktop's program, else as the
// path of a file that holds it.
func (e *effects) clipLong(what, text string) tea.Cmd {
	return func() tea.Msg {
		if e.native != nil {
			if program, err := e.native.Copy(e.ctx, text); program != "" && err == nil {
				return clippedMsg{what: what, program: program}
			}
		}
		if e.Papers == nil {
			return clippedMsg{what: what, err: fmt.Errorf("%d bytes are more than a terminal takes (%d)", len(text), action.MostCopied)}
		}
		path, err := e.Papers.Copy(e.ctx, "copy", text)
		return clippedMsg{what: what, path: path, err: err}
	}
}

func (m clippedMsg) handle(c Console) (Console, tea.Cmd) {
	switch {
	case m.err != nil && m.program != "":
		return c.say(m.what + " sent to the terminal's clipboard (OSC 52); " + m.program + " refused it")
	case m.err != nil:
		return c.complain(fmt.Errorf("%s was not copied: %w", m.what, m.err))
	case m.path != "":
		c, said := c.say(m.what + " is too long for a terminal. It is in a file, whose path was sent (OSC 52): " + model.Text(m.path).String())
		return c, tea.Batch(said, tea.SetClipboard(m.path))
	}
	return c.say(m.what + " copied with " + m.program)
}
