package console

import (
	"cmp"
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

// notifications leave the terminal while nobody looks at it: one for each need, however often
// it is seen again, and one for all that happens within a while.
type notifications struct {
	// known are the needs that were notified, or seen on screen.
	known map[string]bool
	// begun: what there was at the start is known. gathering: a notification is being put
	// together.
	begun, gathering bool
	focus            focus
}

// focus is whether the operator looks at the terminal. Some never say.
type focus int

const (
	focusUnknown focus = iota
	focusHere
	focusAway
)

// notifyMsg comes when what happened was gathered for long enough.
type notifyMsg struct{ at time.Time }

func keyOfNeed(x model.Inboxed) string { return string(x.ID) + " " + x.Matter() }

// fresh are the needs of an inbox that nobody was notified of yet. One that was acknowledged
// never is.
func (n notifications) fresh(inbox []model.Inboxed) (out []model.Inboxed) {
	for _, x := range inbox {
		if !x.Seen && !n.known[keyOfNeed(x)] && (n.focus == focusAway || x.Urgent()) {
			out = append(out, x)
		}
	}
	return out
}

// knowing is n with all that is in an inbox known.
func (n notifications) knowing(inbox []model.Inboxed) notifications {
	n.known, n.begun = map[string]bool{}, true
	for _, x := range inbox {
		n.known[keyOfNeed(x)] = true
	}
	return n
}

// notifyLater begins to gather a notification when something new needs the operator, who looks
// elsewhere.
func (c Console) notifyLater() (Console, tea.Cmd) {
	n := &c.notifications
	switch {
	case !n.begun || n.focus == focusHere:
		*n = n.knowing(c.truth.inbox)
		return c, nil
	case n.gathering || len(n.fresh(c.truth.inbox)) == 0:
		return c, nil
	}
	n.gathering = true
	wait, now := max(time.Duration(c.opt.Settings.Notifications.Batch), time.Millisecond), c.fx.now
	return c, tea.Tick(wait, func(time.Time) tea.Msg { return notifyMsg{now()} })
}

// handle makes one notification of what was gathered and is still so.
func (m notifyMsg) handle(c Console) (Console, tea.Cmd) {
	n := &c.notifications
	c.now, n.gathering = later(c.now, m.at), false
	needs := n.fresh(c.truth.inbox)
	*n = n.knowing(c.truth.inbox)
	if len(needs) == 0 || n.focus == focusHere || c.opt.Settings.QuietHours.Hold(c.now) {
		return c, nil
	}
	via := c.opt.Settings.Notifications.Via
	if via == config.ViaAuto || via == "" {
		via = cmp.Or(c.terminal.via, config.ViaBell)
	}
	title, body := notificationOf(needs)
	return c, c.fx.notify(via, title, body)
}

// focused takes that the operator looks at the terminal, or away from it.
func (c Console) focused(f focus) (Console, tea.Cmd) {
	if c.notifications.focus = f; f == focusHere {
		c.notifications = c.notifications.knowing(c.truth.inbox)
	}
	return c, nil
}

// bodyCells bounds the text of a notification.
const bodyCells = 200

// notificationOf is what a notification says of some needs.
func notificationOf(needs []model.Inboxed) (title, body string) {
	x := needs[0]
	word, _ := screen.NeedOf(x)
	title = "vise: " + string(x.Handle) + " " + word
	body = x.Objective.String()
	if len(needs) > 1 {
		title = fmt.Sprintf("vise: %d items need you", len(needs))
		var names []string
		for _, x := range needs {
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
		part := func(attributes, s string) string {
			return "\x1b]99;i=vise:e=1:" + attributes + ";" + base64.StdEncoding.EncodeToString([]byte(s)) + "\x1b\\"
		}
		return tea.Raw(part("d=0:p=title", title) + part("d=1:p=body", body))
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
