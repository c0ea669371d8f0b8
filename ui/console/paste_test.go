package console

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/store/storetest"
)

// After a paste of 10 MB a field has as much text as it takes, and the console stays responsive.
func TestAHugePasteFitsAFieldAndStaysFluid(t *testing.T) {
	storetest.Slow(t)
	for name, unit := range map[string]string{"words": "some words ", "lines": "line\n", "cjk": "日本語", "escapes": "\x1b[31m\x9b", "no UTF-8": "\xff\xfe", "marks": "e\u0301"} {
		huge := strings.Repeat(unit, 10<<20/len(unit))
		places := []string{"c", "/"}
		if name == "words" {
			places = []string{"c", "o", "b", "w", "m", "i", "t", "/", "?", ":"}
		}
		for _, open := range places {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 100, 30, nil)
				defer wd.end()
				wd.change("create a Rotate signing keys")
				wd.change("ask a Which? | one")
				wd.settle()
				wd.press(open)
				wd.settle()
				if open == "t" {
					wd.press("o")
				}
				began := cpu(t)
				wd.send(tea.PasteMsg{Content: huge})
				wd.settle()
				if spent := cpu(t) - began; spent > 4*time.Second*slower {
					t.Errorf("%s into %s took %s", name, open, spent)
				}
				if !strings.Contains("?bw", open) && !strings.Contains(ansi.Strip(wd.console.View().Content), "Cut: only ") {
					t.Errorf("%s in %s: nothing says that the paste was cut", name, open)
				}
				began = cpu(t)
				for range 4 {
					wd.press("x", "left")
				}
				v := wd.console.View()
				if spent := cpu(t) - began; spent > 2*time.Second*slower {
					t.Errorf("%s in %s: nine frames took %s", name, open, spent)
				}
				if bad := storetest.Harmful(v.Content); bad != "" {
					t.Errorf("%s in %s: the frame holds %s", name, open, bad)
				}
				wd.measured(v.Content)
			})
		}
	}
}

// cpu returns the processor time of the process: the clock of the bubble stands still.
func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
