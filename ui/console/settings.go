package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/themes"
	"vise/ui/config"
)

// settingsMsg brings the settings as they are after a change of their files.
type settingsMsg struct {
	settings config.Settings
	err      error
}

// nextSettings parks until the operator changes the configuration or a theme.
func (c Console) nextSettings() tea.Cmd {
	next := c.opt.NextSettings
	if next == nil {
		return nil
	}
	return func() tea.Msg {
		s, err := next(c.fx.ctx)
		return settingsMsg{s, err}
	}
}

// handle takes settings that changed. Of files in which something is wrong nothing is
// taken: what held before holds, and the screen says what is wrong.
func (m settingsMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err != nil {
		return c, nil // nothing watches any more: the console is about to end
	}
	if bad := m.settings.Problems.Bad(); len(bad) > 0 {
		c, complain := c.complain(bad)
		return c, tea.Batch(complain, c.nextSettings())
	}
	c.opt.Settings, c.keys = m.settings, m.settings.Table()
	c, restyled := c.restyled()
	said := "Settings taken."
	if len(m.settings.Problems) > 0 {
		said += " " + m.settings.Problems.Error()
	}
	c, shown := c.say(said)
	cmds := []tea.Cmd{restyled, shown, c.nextSettings()}
	if c.opt.followsBackground() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return c, tea.Batch(cmds...)
}

// ascii reports whether glyphs are drawn in ASCII.
func (o Options) ascii() bool {
	switch o.Settings.Glyphs {
	case config.GlyphsASCII:
		return true
	case config.GlyphsUnicode:
		return false
	}
	return o.ASCII
}

// palette is the theme that fits the settings and the terminal.
func (o Options) palette(p terminal) themes.Palette { return o.Settings.Palette(p.dark).On(p.profile) }

// followsBackground reports whether the terminal's background decides anything.
func (o Options) followsBackground() bool {
	return !o.NoColor && o.Settings.Theme == config.ThemeAuto
}

// mouse is what the console takes of the mouse. A drag stays the terminal's in any case.
func (o Options) mouse() tea.MouseMode {
	if o.Settings.Mouse {
		return tea.MouseModeCellMotion
	}
	return tea.MouseModeNone
}
