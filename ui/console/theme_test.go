package console

import (
	"image/color"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

var colour = regexp.MustCompile(`\x1b\[[0-9;]*[34]8;`)

// The first frame does not wait for the terminal's answer; a light background repaints it.
func TestALightTerminalGetsTheLightPalette(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		defer wd.end()
		wd.deed("create a Add jitter")
		wd.deed("plan a # Plan\\n\\n*soon*\\n")
		wd.settle()
		dark, words := wd.console.View().Content, strings.Join(wd.frame(), "\n")
		wd.send(tea.BackgroundColorMsg{Color: color.White})
		wd.settle()
		if wd.console.View().Content == dark {
			t.Error("the frame has the same colours on a light background")
		}
		if got := strings.Join(wd.frame(), "\n"); got != words {
			t.Errorf("the words changed with the colours:\n%s", got)
		}
	})
}

// Without colours weight, reverse and marks are left; asked for by flag, or because the
// terminal has none.
func TestWithoutColoursNoneIsWritten(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"flag": func(o *Options) { o.NoColor = true }, "terminal": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 120, 36, set)
				defer wd.end()
				wd.deed("create a Add jitter")
				wd.deed("block a ops")
				wd.deed("plan a # Plan\\n\\n*soon* `code`\\n\\n```go\\nfunc main() {}\\n```\\n")
				wd.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
				wd.settle()
				content := wd.console.View().Content
				if at := colour.FindString(content); at != "" {
					t.Errorf("the frame holds the colour %q", at)
				}
				if !strings.Contains(content, "\x1b[1;7m") {
					t.Error("the selected row is not reversed")
				}
			})
		})
	}
}

func TestTheWindowTitleCountsWhoNeedsYou(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		defer wd.end()
		wd.settle()
		if got := wd.console.View().WindowTitle; got != "vise" {
			t.Errorf("got %q", got)
		}
		wd.deed("create a Add jitter")
		wd.deed("ask a why?")
		wd.settle()
		if got := wd.console.View().WindowTitle; got != "vise 1" {
			t.Errorf("got %q", got)
		}
	})
}
