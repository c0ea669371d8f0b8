package console

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"vise/ui/console/widget"
)

// terminal is what the terminal can show.
type terminal struct {
	dark     bool
	profile  colorprofile.Profile
	clusters bool
}

func (p terminal) styles(o Options) *widget.Styles {
	return widget.NewStyles(o.palette(p), o.ascii(), p.clusters)
}

func (c Console) restyled() (Console, tea.Cmd) {
	c.styles = c.terminal.styles(c.opt)
	return c.drawPlan()
}

func (c Console) profiled(p colorprofile.Profile) (Console, tea.Cmd) {
	if c.opt.NoColor {
		return c, nil
	}
	c.terminal.profile = p
	return c.restyled()
}

// measured learns that the terminal has mode 2027, which Bubble Tea then switches on: joined
// emoji and flags are shown whole. Until then they are shown by their first part.
func (c Console) measured(m tea.ModeReportMsg) (Console, tea.Cmd) {
	if m.Mode != ansi.ModeUnicodeCore || m.Value.IsNotRecognized() || m.Value == ansi.ModePermanentlyReset {
		return c, nil
	}
	c.terminal.clusters = true
	return c.restyled()
}
