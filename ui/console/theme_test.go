package console

import (
	"image/color"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

var colour = regexp.MustCompile(`\x1b\[[0-9;]*[34]8;`)

// The first frame does not wait for the terminal's answer; if the background is light, the frame is drawn again.
func TestALightTerminalGetsTheLightPalette(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.change("plan a # Plan\\n\\n*soon*\\n")
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

// Joined emoji are shown by their first part until the terminal says that it measures them as one character; the
// borders do not move.
func TestATerminalThatMeasuresClustersShowsThemWhole(t *testing.T) {
	const family = "👩‍👩‍👧"
	for value, whole := range map[ansi.ModeSetting]bool{
		ansi.ModeReset: true, ansi.ModeSet: true, ansi.ModePermanentlySet: true,
		ansi.ModeNotRecognized: false, ansi.ModePermanentlyReset: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			wd := newWorld(t, 80, 24, nil)
			defer wd.end()
			wd.change("create a Move the " + family + " counter")
			wd.change("plan a # The " + family + "\\n")
			wd.settle()
			before := wd.frame()
			if strings.Contains(strings.Join(before, "\n"), family) {
				t.Error("joined emoji before the terminal said anything")
			}
			wd.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: value})
			wd.settle()
			after := wd.frame()
			if got := strings.Count(strings.Join(after, "\n"), family); got == 0 && whole || got > 0 && !whole {
				t.Errorf("mode 2027 reported as %d: %d joined emoji in\n%s", value, got, strings.Join(after, "\n"))
			}
			for i := range after {
				if b, a := ansi.StringWidth(before[i]), ansi.StringWidth(after[i]); b != a {
					t.Errorf("line %d was %d cells wide and is %d: %q", i, b, a, after[i])
				}
			}
		})
	}
}

// Without colours, weight, reverse and marks remain. That is so with the flag, and if the terminal has no colours.
func TestWithoutColoursNoneIsWritten(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"flag": func(o *Options) { o.NoColor = true }, "terminal": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 120, 36, set)
				defer wd.end()
				wd.change("create a Add jitter")
				wd.change("block a ops")
				wd.change("plan a # Plan\\n\\n*soon* `code`\\n\\n```go\\nfunc main() {}\\n```\\n")
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
		wd.change("create a Add jitter")
		wd.change("ask a why?")
		wd.settle()
		if got := wd.console.View().WindowTitle; got != "vise 1" {
			t.Errorf("got %q", got)
		}
	})
}

// A sign of a text that ASCII replaces is as wide as what replaces it, also where the terminal measures joined characters as one: no mark
// that made it an emoji is left behind it.
func TestNoMarkOfAnEmojiIsLeftBehindASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, func(o *Options) { o.ASCII = true })
		defer wd.end()
		wd.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet})
		wd.change("create a Press ▶️ here")
		wd.settle()
		if got := strings.Join(wd.frame(), "\n"); !strings.Contains(got, "Press >  here") || strings.Contains(got, "\ufe0f") {
			t.Errorf("got\n%s", got)
		}
	})
}
