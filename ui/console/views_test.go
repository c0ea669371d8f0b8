package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// Each view and each dialog over it fits every screen, down to one cell.
func TestEveryViewFitsEveryScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {50, 20}, {40, 10}, {39, 9}, {20, 2}, {3, 3}, {1, 1}, {200, 12}, {41, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, size[0], size[1], nil)
				wd.populate()
				for _, view := range []string{"1", "2", "3"} {
					for _, then := range []string{"", "?", ":", "x", "y", "a", "o", "i", "A", "P", "/", "z", "tab", "tab", "G", "home", "f", "}", "m"} {
						wd.press(view)
						if then != "" {
							wd.press(then)
						}
						wd.settle()
						wd.measured(wd.console.View().Content)
						wd.press("esc", "esc")
					}
					wd.send(tea.MouseClickMsg{X: size[0] / 2, Y: size[1] / 2, Button: tea.MouseLeft})
					wd.send(tea.MouseWheelMsg{X: size[0] / 2, Y: size[1] / 2, Button: tea.MouseWheelDown})
					wd.settle()
					wd.measured(wd.console.View().Content)
				}
				wd.end()
			})
		})
	}
}

// In every view a key that cannot do its work says why, and so do help and the palette.
func TestWhatCannotBeDoneSaysWhyOnEveryView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		wd.populate()
		for _, view := range []string{"1", "2", "3"} {
			wd.press("esc", "esc", view)
			wd.pass(time.Second)
			c := wd.console.(console)
			listed := map[string]string{}
			on, off := boxActs(c.facts(), nil)
			for _, l := range append(on, off...) {
				listed[l.Title] = l.Off
			}
			for _, l := range openBox(&c).(*box).lines(c.facts(), "") {
				if l.Off != "" {
					t.Errorf("view %s: the box opens on %s, which is off", view, l.Title)
				}
			}
			for _, a := range action.Standard() {
				why := c.keys.Refusal(a, c.state())
				if a.In != action.Desk || why == "" || a.Key() == "" || a.ID == action.Submit {
					continue
				}
				if listed[a.Title] != why {
					t.Errorf("view %s: %s is off because %q, and help says %q", view, a.ID, why, listed[a.Title])
				}
				next := c
				next.act(a.ID)
				if said := strings.ToLower(next.note.text); !strings.Contains(said, strings.ToLower(strings.TrimSuffix(why, "."))) {
					t.Errorf("view %s: %s says %q, not %q", view, a.ID, said, why)
				}
			}
		}
		wd.end()
	})
}

// With several agents an act is sent for the item's own agent, and the mouse only selects.
func TestTheMouseSelectsOnTheFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		wd.populate()
		wd.press("2")
		wd.settle()
		c := wd.console.(console)
		panes := c.fleetView().Panes()
		wd.send(tea.MouseClickMsg{X: 10, Y: panes[screen.FleetInbox].Y + 2, Button: tea.MouseLeft})
		wd.settle()
		c = wd.console.(console)
		if e := c.place.fleet.Entry(); e == nil || e.ID != c.place.fleet.Entries[1].ID {
			t.Errorf("the click selected %+v", e)
		}
		if c.outbox.seq != 0 {
			t.Error("a click changed something")
		}
		wd.end()
	})
}

// An inbox that is longer than the screen is read as far as the cursor goes, also while keys are pressed.
func TestALongInboxIsReadAsFarAsTheCursorGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		for i := range 150 {
			name := fmt.Sprint("q", i)
			wd.create(name, "Ask "+name)
			wd.change("ask " + name + " which?")
		}
		wd.press("2", "tab")
		wd.settle()
		for range 149 {
			wd.press("j")
			wd.settle()
		}
		c := wd.console.(console)
		if e := c.place.fleet.Entry(); e == nil || e.ID != wd.names["q149"] {
			t.Errorf("the cursor is on %+v of %d", e, len(c.place.fleet.Entries))
		}
		wd.end()
	})
}

// The header counts the entries through which the key goes: the inbox, across agents, in its order, and from its end to
// its beginning.
func TestTheWalkIsTheInbox(t *testing.T) {
	for _, view := range []string{"1", "2", "3"} {
		synctest.Test(t, func(t *testing.T) {
			wd := newWorld(t, 120, 36, nil)
			defer wd.end()
			for _, line := range []string{
				"create a Keep logs", "ask a How long?", "create b Remove proto", "complete b", "as codex-web", "create c Pick policy", "ask c LRU?",
				"create d Land PR", "await d ci run/1", "trigger d ci passed",
			} {
				wd.change(line)
			}
			wd.settle()
			wd.press(view)
			wd.settle()
			c := wd.console.(console)
			list := c.inbox()
			if len(list) != 4 || !strings.Contains(frameOf(wd), "2 ask · 2 review") {
				t.Fatalf("the inbox has %d entries:\n%s", len(list), frameOf(wd))
			}
			at := slices.IndexFunc(list, func(x model.Inboxed) bool { return x.ID == c.place.cursor })
			for i := range len(list) + 1 {
				wd.press(".")
				wd.settle()
				if i > 0 || at < 0 { // it begins with the one under the cursor
					at = (at + 1) % len(list)
				}
				c = wd.console.(console)
				if said := fmt.Sprintf("%d of %d", at+1, len(list)); c.place.cursor != list[at].ID || !strings.Contains(frameOf(wd), said) {
					t.Fatalf("view %s: at %s, want %s and %q:\n%s", view, c.place.cursor, list[at].ID, said, frameOf(wd))
				}
			}
		})
	}
}
