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
		switch program, err := e.native.Copy(e.ctx, text); {
		case program == "" && err == nil:
			return nil
		case program == "":
			return notCopied(what, err)
		case err != nil:
			return sayMsg(what + " sent to the terminal's clipboard (OSC 52); " + program + " refused it")
		default:
			return sayMsg(what + " copied with " + program)
		}
	}
}

func notCopied(what string, err error) tea.Msg {
	return complainMsg{fmt.Errorf("%s was not copied: %w", what, err)}
}

// clipLong copies a text that a terminal would cut: with the desktop's program, else as the
// path of a file that holds it.
func (e *effects) clipLong(what, text string) tea.Cmd {
	return func() tea.Msg {
		if e.native != nil {
			if program, err := e.native.Copy(e.ctx, text); program != "" && err == nil {
				return sayMsg(what + " copied with " + program)
			}
		}
		if e.EditBuffers == nil {
			return notCopied(what, fmt.Errorf("%d bytes are more than a terminal takes (%d)", len(text), action.MostCopied))
		}
		path, err := e.EditBuffers.Copy(e.ctx, "copy", text)
		if err != nil {
			return notCopied(what, err)
		}
		said := what + " is too long for a terminal. It is in a file, whose path was sent (OSC 52): " + model.Text(path).String()
		return tea.BatchMsg{func() tea.Msg { return sayMsg(said) }, tea.SetClipboard(path)}
	}
}
