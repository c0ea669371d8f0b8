package console

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/config"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// calls are the notifications that leave the terminal while nobody looks at it: one for
// each need, however often it is seen again, and one for all that happens within a while.
type calls struct {
	// told are the needs that were called for, or seen on screen. A need that was
	// acknowledged is never told.
	told map[string]bool
	// begun: what there was at the start is known. gathering: a call is being put together.
	begun, gathering bool
	focus            focus
	notes            notifies
}

// focus is whether the operator looks at the terminal. Some never say.
type focus int

const (
	focusUnknown focus = iota
	focusHere
	focusAway
)

// notifies is how the terminal takes notifications, and whether its clipboard needs help.
type notifies struct {
	via config.Via
	// screen: GNU screen may stand between, which passes on only what is wrapped for it. Over
	// SSH nothing but TERM tells, and that may be a tmux's too: it drops what is wrapped so.
	screen bool
}

// terminalOf reads the terminal's kind from its environment. Inside tmux and screen only
// the bell gets through unasked.
func terminalOf(env tea.EnvMsg) notifies {
	t, tmux := notifies{via: config.ViaBell}, env.Getenv("TMUX") != ""
	t.screen = !tmux && (env.Getenv("STY") != "" || strings.HasPrefix(env.Getenv("TERM"), "screen"))
	if t.screen || tmux {
		return t
	}
	switch name := env.Getenv("TERM"); {
	case env.Getenv("KITTY_WINDOW_ID") != "", strings.Contains(name, "kitty"), strings.HasPrefix(name, "foot"):
		t.via = config.ViaOSC99
	case env.Getenv("TERM_PROGRAM") == "WezTerm", env.Getenv("TERM_PROGRAM") == "ghostty", strings.HasPrefix(name, "rxvt"):
		t.via = config.ViaOSC777
	}
	return t
}

// callMsg comes when what happened was gathered for long enough.
type callMsg struct{ at time.Time }

func keyOfNeed(x model.Inboxed) string { return string(x.ID) + " " + x.Matter() }

// news are the needs that nobody was called for yet.
func (c Console) news() (out []model.Inboxed) {
	for _, x := range c.truth.inbox {
		if !x.Seen && !c.outbox.calls.told[keyOfNeed(x)] && (c.outbox.calls.focus == focusAway || x.Urgent()) {
			out = append(out, x)
		}
	}
	return out
}

// allTold takes what is in the inbox now as known.
func (c Console) allTold() Console {
	told := map[string]bool{}
	for _, x := range c.truth.inbox {
		told[keyOfNeed(x)] = true
	}
	c.outbox.calls.told, c.outbox.calls.begun = told, true
	return c
}

// noticed begins to gather a call when something new needs the operator, who looks elsewhere.
func (c Console) noticed() (Console, tea.Cmd) {
	x := c.outbox.calls
	if !x.begun || x.focus == focusHere {
		return c.allTold(), nil
	}
	if x.gathering || len(c.news()) == 0 {
		return c, nil
	}
	c.outbox.calls.gathering = true
	now := c.fx.now
	return c, tea.Tick(max(time.Duration(c.opt.Settings.Notifications.Batch), time.Millisecond), func(time.Time) tea.Msg { return callMsg{now()} })
}

// handle makes one notification of what was gathered and is still so.
func (m callMsg) handle(c Console) (Console, tea.Cmd) {
	c.now, c.outbox.calls.gathering = later(c.now, m.at), false
	news := c.news()
	quiet := len(news) == 0 || c.outbox.calls.focus == focusHere || c.opt.Settings.QuietHours.Hold(c.now)
	c = c.allTold()
	if quiet {
		return c, nil
	}
	title, body := callWords(news)
	return c, c.fx.notify(c.viaOf(), title, body)
}

// viaOf is the way of notifications: the operator's choice, else what the terminal knows.
func (c Console) viaOf() config.Via {
	switch via := c.opt.Settings.Notifications.Via; {
	case via != config.ViaAuto && via != "":
		return via
	case c.outbox.calls.notes.via != "":
		return c.outbox.calls.notes.via
	}
	return config.ViaBell
}

// bodyCells bounds the text of a notification.
const bodyCells = 200

// callWords are what a notification says of some needs.
func callWords(news []model.Inboxed) (title, body string) {
	x := news[0]
	word, _ := screen.NeedOf(x)
	title = "vise: " + string(x.Handle) + " " + word
	body = x.Objective.String()
	if len(news) > 1 {
		title = fmt.Sprintf("vise: %d items need you", len(news))
		var names []string
		for _, x := range news {
			names = append(names, string(x.Handle)+" "+x.Objective.String())
		}
		body = strings.Join(names, ", ")
	}
	plain := func(s string) string { return text.Cut(text.Safe(strings.ReplaceAll(s, ";", ","), false), bodyCells) }
	return plain(title), plain(model.Text(x.AgentID).String() + ": " + body)
}

// notify sends a notification on its way. What cannot be sent rings the bell.
func (e *effects) notify(via config.Via, title, body string) tea.Cmd {
	switch via {
	case config.ViaOff:
		return nil
	case config.ViaOSC99:
		coded := base64.StdEncoding.EncodeToString
		return tea.Raw("\x1b]99;i=vise:e=1:d=0:p=title;" + coded([]byte(title)) + "\x1b\\\x1b]99;i=vise:e=1:d=1:p=body;" + coded([]byte(body)) + "\x1b\\")
	case config.ViaOSC777:
		return tea.Raw("\x1b]777;notify;" + title + ";" + body + "\x1b\\")
	case config.ViaNative:
		return func() tea.Msg {
			if e.native == nil || e.native.Notify(e.ctx, title, body) != nil {
				return tea.RawMsg{Msg: "\a"}
			}
			return nil
		}
	}
	return tea.Raw("\a")
}

// focused takes that the operator looks at the terminal, or away from it.
func (c Console) focused(f focus) (Console, tea.Cmd) {
	if c.outbox.calls.focus = f; f == focusHere {
		return c.allTold(), nil
	}
	return c, nil
}
