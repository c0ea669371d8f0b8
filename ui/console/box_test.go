package console

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"vise/model"
	"vise/ui/console/screen"
)

// inBox opens the box and types.
func inBox(wd *world, words string) {
	wd.press(":")
	wd.write(words)
	wd.settle()
}

func TestTheBoxFindsItemsOfAllAgentsByTheirWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.change("as codex-web")
		wd.change("create far Feed the zebra")
		wd.settle()
		inBox(wd, "zebra")
		holds(t, wd, "the box", "WORK ITEMS", "Feed the zebra", "codex-web")
		wd.press("enter")
		wd.settle()
		if c := wd.console.(console); c.place.agent != "codex-web" || c.place.cursor != wd.names["far"] {
			t.Errorf("the console is at %s, %s", c.place.agent, c.place.cursor)
		}
		inBox(wd, "claude-main")
		holds(t, wd, "the box", "AGENTS")
		wd.press("enter")
		wd.settle()
		if c := wd.console.(console); c.place.agent != testAgent {
			t.Errorf("the console is at %s", c.place.agent)
		}
	})
}

// New results do not move under the cursor.
func TestTheCursorOfTheBoxStaysOnItsLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Paint the mouse")
		wd.settle()
		wd.press(":")
		wd.write("mouse")
		c := wd.console.(console)
		before := c.layers.top().(*box).Chosen(c.facts())
		wd.settle()
		c = wd.console.(console)
		b := c.layers.top().(*box)
		if len(b.hits.rows) != 1 || b.At == 0 || b.Chosen(c.facts()).Title != before.Title || before.Title != "mouse on" {
			t.Errorf("the cursor is on %q, was on %q, with %d found", b.Chosen(c.facts()).Title, before.Title, len(b.hits.rows))
		}
	})
}

func TestTheBoxShowsRecentActsFirstAndWhatCannotBeDoneLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		wd.press("p")
		wd.settle()
		wd.press("@plan-status", "esc")
		wd.settle()
		c := wd.console.(console)
		lines := openBox(&c).(*box).lines(c.facts(), "")
		if lines[0].Group != "RECENT" || lines[0].Title != "Plan status…" {
			t.Errorf("the first line is %+v", lines[0])
		}
		lines = openBox(&c).(*box).lines(c.facts(), "pick")
		if last := lines[len(lines)-1]; last.Group != "NOT NOW" || !strings.Contains(last.Off, "already current") {
			t.Errorf("the last line is %+v", last)
		}
	})
}

func TestAThemeIsShownWhileTheCursorIsOnIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saved := ""
		wd := newWorld(t, 120, 36, func(o *Options) {
			o.SaveSetting = func(_ context.Context, name, value string) error { saved = name + " " + value; return nil }
		})
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		shown := func() *screen.Styles { return wd.console.(console).styles }
		before := shown()
		inBox(wd, "theme light")
		if shown() == before || wd.console.(console).terminal.theme != "light" {
			t.Error("the theme is not shown")
		}
		wd.press("esc")
		wd.settle()
		if wd.console.(console).terminal.theme != "auto" || saved != "" {
			t.Errorf("after esc the theme is %q", wd.console.(console).terminal.theme)
		}
		inBox(wd, "theme light")
		wd.press("enter")
		wd.settle()
		if wd.console.(console).terminal.theme != "light" || saved != "theme light" {
			t.Errorf("the theme is %q, saved %q", wd.console.(console).terminal.theme, saved)
		}
	})
}

func TestAVerbIsTakenWithItsArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		wd := newWorld(t, 120, 36, func(o *Options) {
			o.LineVerbs = []string{"new", "block"}
			o.ReadLine = func(_ context.Context, words []string, on Subject) (model.Command, error) {
				asked = append(asked, strings.Join(words, "|")+" "+string(on.Item))
				if words[1] == "badly" {
					return nil, errors.New("no such words")
				}
				return model.CreateWorkItem{Objective: model.Text(strings.Join(words[1:], " "))}, nil
			}
		})
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		inBox(wd, `new badly`)
		wd.press("enter")
		wd.settle()
		holds(t, wd, "a refusal", "No such words.", "new badly")
		wd.press("esc", "esc")
		inBox(wd, `new Fix "the flaky" test`)
		wd.press("enter")
		wd.settle()
		if c := wd.console.(console); c.layers.top() != nil || c.row() == nil || c.row().Objective != "Fix the flaky test" {
			t.Errorf("it is not made:\n%s", frameOf(wd))
		}
		inBox(wd, "block the vault is shut")
		wd.press("enter")
		wd.settle()
		if want := "block|the|vault|is|shut " + string(wd.console.(console).truth.row.ID); len(asked) != 3 || !strings.HasPrefix(asked[2], "block|the|vault|is|shut wi-") {
			t.Errorf("asked %q, want %q", asked, want)
		}
	})
}
