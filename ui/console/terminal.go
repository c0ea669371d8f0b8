package console

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"vise/ui/config"
	"vise/ui/console/widget"
)

// terminal is what the terminal can do.
type terminal struct {
	dark     bool
	profile  colorprofile.Profile
	clusters bool
	// via is how it takes notifications.
	via config.Via
	// screen: GNU screen may stand between, which passes on only what is wrapped for it. Over
	// SSH nothing but TERM tells, and that may be a tmux's too: it drops what is wrapped so.
	screen bool
}

// in is t in an environment. Inside tmux and screen only the bell gets through unasked.
func (t terminal) in(env tea.EnvMsg) terminal {
	tmux := env.Getenv("TMUX") != ""
	t.via, t.screen = config.ViaBell, !tmux && (env.Getenv("STY") != "" || strings.HasPrefix(env.Getenv("TERM"), "screen"))
	switch name := env.Getenv("TERM"); {
	case t.screen || tmux:
	case env.Getenv("KITTY_WINDOW_ID") != "", strings.Contains(name, "kitty"), strings.HasPrefix(name, "foot"):
		t.via = config.ViaOSC99
	case env.Getenv("TERM_PROGRAM") == "WezTerm", env.Getenv("TERM_PROGRAM") == "ghostty", strings.HasPrefix(name, "rxvt"):
		t.via = config.ViaOSC777
	}
	return t
}

func (p terminal) styles(o Options) *widget.Styles {
	return widget.NewStyles(o.palette(p), o.ascii(), p.clusters)
}

// restyled is c in the colours and characters of its terminal.
func (c Console) restyled() (Console, tea.Cmd) {
	c.styles = c.terminal.styles(c.opt)
	return c.drawPlan()
}

// unicodeCore reports whether the terminal has mode 2027, which Bubble Tea then switches on:
// joined emoji and flags are shown whole. Until then they are shown by their first part.
func unicodeCore(m tea.ModeReportMsg) bool {
	return m.Mode == ansi.ModeUnicodeCore && !m.Value.IsNotRecognized() && m.Value != ansi.ModePermanentlyReset
}
