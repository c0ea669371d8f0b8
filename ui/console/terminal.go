package console

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// terminal is what the terminal can do, and its colours.
type terminal struct {
	// theme is the theme on screen.
	theme    string
	dark     bool
	profile  colorprofile.Profile
	clusters bool
	// via is the way to send it notifications.
	via config.Via
	// screen: GNU screen may be in between. It forwards only sequences that are wrapped for it. Over SSH only
	// TERM can show this, and TERM can be the same inside tmux, which drops such wrapped sequences.
	screen bool
}

// in is t with the facts of an environment.
func (t terminal) in(env tea.EnvMsg) terminal {
	tmux := env.Getenv("TMUX") != ""
	t.via, t.screen = config.TerminalVia(env.Getenv), !tmux && (env.Getenv("STY") != "" || strings.HasPrefix(env.Getenv("TERM"), "screen"))
	return t
}

func (p terminal) styles(o Options) *screen.Styles {
	return screen.NewStyles(o.Settings.Palette(p.dark).On(p.profile), p.clusters && !o.ascii())
}

// restyled sets the colours and glyphs for the terminal.
func (c *console) restyled() {
	c.styles, c.terminal.theme = c.terminal.styles(c.opt), c.opt.Settings.Theme
	c.drawPlan()
}

// unicodeCore reports whether the terminal has mode 2027, which Bubble Tea then switches on. With it, joined
// emoji and flags are shown whole; without it, only their first part is shown.
func unicodeCore(m tea.ModeReportMsg) bool {
	return m.Mode == ansi.ModeUnicodeCore && !m.Value.IsNotRecognized() && m.Value != ansi.ModePermanentlyReset
}

// notifications are sent while the operator does not look at the terminal. Each need notifies once. Needs that
// come within the batch time share one notification.
type notifications struct {
	// known are the needs that were notified or seen on screen.
	known map[string]bool
	// begun: the needs at the start are known. collecting: a notification is being gathered.
	begun, collecting bool
	attention         focus
}

// focus says whether the terminal has the focus. Some terminals never report it.
type focus int

const (
	focusUnknown focus = iota
	focusHere
	focusAway
)

func keyOfNeed(x model.Inboxed) string { return string(x.ID) + " " + x.Matter() }

// fresh are the needs of an inbox that were not notified yet. Needs that the operator acknowledged are never
// included.
func (n notifications) fresh(inbox []model.Inboxed) (out []model.Inboxed) {
	for _, x := range inbox {
		if !x.Seen && !n.known[keyOfNeed(x)] && (n.attention == focusAway || x.Urgent()) {
			out = append(out, x)
		}
	}
	return out
}

// knowing is n with every need of an inbox known.
func (n notifications) knowing(inbox []model.Inboxed) notifications {
	n.known, n.begun = map[string]bool{}, true
	for _, x := range inbox {
		n.known[keyOfNeed(x)] = true
	}
	return n
}

// notifyLater starts to gather a notification if a new need appears while the terminal does not have the focus.
func (c *console) notifyLater() {
	n := &c.notifications
	switch {
	case !n.begun || n.attention == focusHere:
		*n = n.knowing(c.truth.inbox)
		return
	case n.collecting || len(n.fresh(c.truth.inbox)) == 0:
		return
	}
	n.collecting = true
	c.start(c.fx.after(max(time.Duration(c.opt.Settings.Notifications.Batch), time.Millisecond), notifyGathered))
}

// notifyGathered sends one notification for the gathered needs that still exist.
func notifyGathered(c *console) {
	n := &c.notifications
	n.collecting = false
	needs := n.fresh(c.truth.inbox)
	*n = n.knowing(c.truth.inbox)
	if len(needs) == 0 || n.attention == focusHere || c.opt.Settings.QuietHours.Hold(c.now) {
		return
	}
	via := c.opt.Settings.Notifications.Via
	if via == config.ViaAuto || via == "" {
		via = cmp.Or(c.terminal.via, config.ViaBell)
	}
	title, body := notificationOf(needs)
	c.start(c.fx.notify(via, title, body))
}

// focused records a change of the terminal's focus.
func (n notifications) focused(f focus, inbox []model.Inboxed) notifications {
	if n.attention = f; f == focusHere {
		return n.knowing(inbox)
	}
	return n
}

// bodyCells is the greatest width of a notification's text, in cells.
const bodyCells = 200

// notificationOf is the text of a notification about some needs.
func notificationOf(needs []model.Inboxed) (title, body string) {
	x := needs[0]
	title = "vise: " + string(x.Handle) + ": " + action.NeedWord(x)
	body = x.Objective.String()
	if len(needs) > 1 {
		title = fmt.Sprintf("vise: %d items need you", len(needs))
		var names []string
		for _, x := range needs {
			names = append(names, string(x.Handle)+" "+x.Objective.String())
		}
		body = strings.Join(names, ", ")
	}
	plain := func(s string) string {
		return text.Whole(text.Cut(text.Safe(strings.ReplaceAll(s, ";", ","), false), bodyCells))
	}
	return plain(title), plain(clean(x.AgentID) + ": " + body)
}

// notify sends a notification. If that is not possible, it rings the bell.
func (e *effects) notify(via config.Via, title, body string) tea.Cmd {
	switch via {
	case config.ViaOff:
		return nil
	case config.ViaNative:
		return func() tea.Msg {
			if e.native == nil || e.native.Notify(e.ctx, title, body) != nil {
				return tea.RawMsg{Msg: "\a"}
			}
			return nil
		}
	}
	return tea.Raw(via.Sequence(title, body))
}

// native is the desktop's own clipboard and notifications, if there is a desktop.
type native interface {
	// Copy puts text on the clipboard, and returns the name of the program that did it; empty: there is none.
	Copy(ctx context.Context, text string) (program string, err error)
	// Notify shows a notification.
	Notify(ctx context.Context, title, body string) error
}

const (
	// mostCopied bounds the bytes for a terminal's clipboard. Terminals cut longer sequences.
	mostCopied = 64 << 10
	// screenChunk is how many bytes GNU screen passes on in one piece.
	screenChunk = 768
)

// clip copies text to the terminal's clipboard (OSC 52), and to the desktop's clipboard if there is one. OSC 52
// works over SSH, but no terminal confirms it. The message says which way was used.
func (c *console) clip(what, text string) {
	if len(text) > mostCopied {
		c.start(c.fx.clipLong(what, text))
		return
	}
	if c.terminal.screen {
		c.start(tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenChunk)))
	}
	said := what + " sent to the terminal's clipboard (OSC 52)"
	c.say(said)
	c.start(tea.SetClipboard(text), c.fx.clipNative(what, text))
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

// clipLong copies a text that a terminal would cut: with the desktop's program, or else as the path of a file
// with the text.
func (e *effects) clipLong(what, text string) tea.Cmd {
	return func() tea.Msg {
		if e.native != nil {
			if program, err := e.native.Copy(e.ctx, text); program != "" && err == nil {
				return sayMsg(what + " copied with " + program)
			}
		}
		path, err := e.EditBuffers.Copy(e.ctx, "copy", text)
		if err != nil {
			return notCopied(what, err)
		}
		said := what + " is too long for a terminal. It is in a file, whose path was sent (OSC 52): " + clean(path)
		return tea.BatchMsg{func() tea.Msg { return sayMsg(said) }, tea.SetClipboard(path)}
	}
}

// copying copies a part of the marked rows, or else of the row under the cursor.
func copying(x action.CopyChoice) act {
	return func(c *console) {
		if c.row() == nil {
			c.say("No work item is selected.")
			return
		}
		at := action.CopySubject{Row: *c.row(), Detail: c.detail(), Plan: c.plan.Artifact.Path}
		var marked []action.CopySubject
		for _, r := range c.marked() {
			s := action.CopySubject{Row: r}
			if r.ID == at.Row.ID {
				s = at
			}
			marked = append(marked, s)
		}
		got, trouble := x.Of(at, marked)
		if trouble != "" {
			c.say(trouble)
			return
		}
		c.clip(got.What, got.Text)
	}
}
