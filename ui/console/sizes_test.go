package console

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
)

// sized are the sizes at which an act must be possible, and nothing that is not on the screen may be done.
var sized = [][2]int{{200, 60}, {120, 36}, {80, 24}, {50, 20}, {40, 10}}

// atSize opens a console of that size in which others made the changes, and the operator pressed the keys among them.
func atSize(t *testing.T, size [2]int, before []string, do func(*world, *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		var r *recorder
		wd := newWorld(t, size[0], size[1], func(o *Options) {
			r = &recorder{faulty: o.Session.Ledger.(*faulty)}
			o.Session.Ledger = r
		})
		defer wd.end()
		for _, line := range before {
			wd.settle()
			if key, ok := strings.CutPrefix(line, "press "); ok {
				wd.press(key)
			} else {
				wd.change(line)
			}
		}
		wd.settle()
		r.asked = nil
		do(wd, r)
	})
}

// strike presses keys, of which one with = in front is typed, and returns what was sent, and the frame before the last key.
func (wd *world) strike(r *recorder, keys ...string) (sent []model.Command, seen string) {
	for _, k := range keys {
		wd.settle()
		seen = ansi.Strip(frameOf(wd))
		if words, ok := strings.CutPrefix(k, "="); ok {
			wd.write(words)
		} else {
			wd.press(k)
		}
	}
	wd.settle()
	return r.asked, seen
}

// Every act of every dialog can be done at every size, if need be after scrolling, and what is final says so on the screen on which it is done.
func TestEveryActIsPossibleAtEverySizeAndWhatIsFinalSaysSo(t *testing.T) {
	storetest.Slow(t)
	long := "create a Split the rate limiter out of the gateway and keep every header byte for byte as it was before, whatever the cost"
	finals := []acted{
		{"", []string{long, "todos a - Measure it | - Move it | - Document it | - Announce it"}, []string{"c", "=Done.", "ctrl+s"}, "Round", ""},
		{"", []string{long, "evidence claude-main require", "began a /src", "todos a - Measure it"}, []string{"c", "ctrl+s"}, "Round", ""},
	}
	for _, x := range append(finals, actsThatSend...) {
		for _, size := range sized {
			atSize(t, size, x.before, func(wd *world, r *recorder) {
				sent, seen := wd.strike(r, x.keys...)
				for n := 0; len(sent) == 0 && n < 30; n++ {
					wd.strike(r, "pgdown")
					sent, seen = wd.strike(r, x.keys[len(x.keys)-1])
				}
				if len(sent) == 0 || model.CommandName(sent[0]) != x.command {
					t.Errorf("%v, %q: sent %v, want %s:\n%s", size, x.keys, sent, x.command, frameOf(wd))
				}
				if x.command == "Round" && !strings.Contains(seen, "Final: it cannot be reopened.") {
					t.Errorf("%v: it was completed on a screen that does not say that this is final:\n%s", size, seen)
				}
			})
		}
	}
}

// choosingOf is a dialog in which each choice has a key of its own.
type choosingOf struct {
	before, open []string
	choices      map[string]string // the beginning of what is on the screen, by the key that chooses it
	then         []string          // the keys that send it
}

// Each choice can be reached at every size, and one that is not on the screen cannot be chosen.
func TestAChoiceIsMadeOnlyWhereItIsSeen(t *testing.T) {
	storetest.Slow(t)
	why := strings.Repeat("It matters, because the reasons are many and long. ", 6)
	ask := "ask a Which one is it to be? " + why
	answers := map[string]string{}
	for n := range 5 {
		name := fmt.Sprintf("choice%d", n+1)
		ask += " | " + name + " " + why[:120]
		answers[fmt.Sprint(n+1)] = name
	}
	offers := []string{"create a Split", "complete a", "offer a turn_final It works. " + why, "offer a turn_final It works twice. " + why}
	all := []choosingOf{
		{before: []string{"create a Split", ask}, open: []string{"."}, choices: answers},
		{before: []string{"create a Split", ask}, open: []string{"i"}, choices: answers, then: []string{"ctrl+s"}},
		{before: []string{"create a Split", "pick a", "permission claude-main Bash " + why}, open: []string{"."},
			choices: map[string]string{"y": "once", "n": "deny"}},
		{before: offers, open: []string{"."}, choices: map[string]string{"1": "the turn's last text"}},
		{before: offers, open: []string{"P"}, choices: map[string]string{"1": "1 ", "4": "none of them"}},
		{before: []string{"create a Split", "status a needs_input"}, open: []string{"A"},
			choices: map[string]string{"1": "until something new", "2": "for an hour", "4": "until tomorrow"}},
		{before: []string{"create a Split"}, open: []string{"@plan-status"}, choices: map[string]string{"2": "ready", "3": "needs input"}},
		{before: []string{"create a Split"}, open: []string{"@priority"}, choices: map[string]string{"1": "high", "3": "low"}},
	}
	for _, x := range all {
		for key, words := range x.choices {
			for _, size := range sized {
				atSize(t, size, x.before, func(wd *world, r *recorder) {
					wd.strike(r, x.open...)
					for n := 0; ; n++ {
						_, seen := wd.strike(r, key)
						took := len(r.asked) > 0
						if f, ok := wd.console.(console).layers.top().(*form); ok && x.then != nil {
							took = !f.Fields[0].Empty()
						}
						if took && !strings.Contains(seen, words) {
							t.Errorf("%v, %q %q: %q was chosen on a screen without it:\n%s", size, x.open, key, words, seen)
						}
						if took {
							break
						}
						if n > 0 { // the first shows it
							t.Errorf("%v, %q %q: %q cannot be chosen:\n%s", size, x.open, key, words, frameOf(wd))
							break
						}
					}
					if wd.strike(r, x.then...); len(r.asked) != 1 {
						t.Errorf("%v, %q %q: sent %v:\n%s", size, x.open, key, r.asked, frameOf(wd))
					}
				})
			}
		}
	}
}
