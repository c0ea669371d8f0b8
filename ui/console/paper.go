package console

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// paper is what the terminal can show.
type paper struct {
	dark    bool
	profile colorprofile.Profile
}

func (p paper) skin(o Options) *skin {
	return newSkin(o.palette(p), o.ascii())
}

func (c Console) repainted() (Console, tea.Cmd) {
	c.skin = c.paper.skin(c.opt)
	return c.drawPlan()
}

func (c Console) profiled(p colorprofile.Profile) (Console, tea.Cmd) {
	if c.opt.NoColor {
		return c, nil
	}
	c.paper.profile = p
	return c.repainted()
}
