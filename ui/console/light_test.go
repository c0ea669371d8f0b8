package console

import (
	"image/color"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

func TestAConsoleThatIsStartedAgainHasTheColoursOfItsTerminalAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		for _, background := range []color.Color{color.White, color.Black} {
			wd.send(tea.BackgroundColorMsg{Color: background})
			before := wd.console.(console)
			o, m := before.opt, before.memo()
			o.Memo = &m
			again := New(t.Context(), o)
			if again.terminal != before.terminal || again.styles.Text != before.styles.Text {
				t.Errorf("on %v it begins with %+v", background, again.terminal)
			}
		}
	})
}
