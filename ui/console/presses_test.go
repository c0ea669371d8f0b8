package console

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/action"
	"vise/ui/config"
)

// done is one of the most frequent acts: with the keys of the preset classic, and with the present keys. A text after =
// is typed, and not counted.
type done struct {
	act         string
	stage       []string
	before, now []string
	says        string
}

var doneMost = []done{
	{"Pick", []string{"create a Split"}, []string{"p"}, []string{"space"}, "Picked wi-"},
	{"Tick the todo in progress", []string{"create a Split", "todos a x read | > move | - test", "pick a"},
		[]string{"t", "j", "space", "ctrl+s"}, []string{"space"}, "2/3"},
	{"Answer a choice", []string{"create a Split", "ask a Which? | LRU | LFU"}, []string{"i", "1", "ctrl+s"}, []string{"space", "1", "ctrl+s"},
		"Answered wi-"},
	{"Go to the next need", []string{"create a Split", "create b Merge", "ask b Which?"}, []string{"."}, []string{"."}, "1 of 1"},
	{"Go back to the previous need", []string{"create a One", "create b Two", "create c Three", "ask a 1?", "ask b 2?", "ask c 3?", "press ."},
		[]string{".", "."}, []string{","}, "1 of 3"},
	{"Acknowledge finished work", []string{"create a Split", "complete a", "press ."}, []string{"A"}, []string{"space"}, "Acknowledged wi-"},
	{"Acknowledge all finished work (three), in the inbox", []string{"create a One", "create b Two", "create c Three", "complete a", "complete b",
		"complete c", "press 2", "press tab"}, []string{"A", "A", "A"}, []string{"*", "space"}, "Nothing needs you."},
	{"Retry what is stalled", []string{"create a Split", "pick a", "stall claude-main", "press ."}, []string{"r"}, []string{"space"}, "Trying wi-"},
	{"Clear the blocker of current work", []string{"create a Split", "block a the vault", "pick a"}, []string{"b", "enter"},
		[]string{"space", "enter"}, "Unblocked wi-"},
	{"Complete what has all todos done", []string{"create a Split", "todos a x read", "pick a"}, []string{"c", "=Done.", "ctrl+s"},
		[]string{"space", "=Done.", "ctrl+s"}, "Completed wi-"},
	{"Open an item of another agent", []string{"create a Split", "as codex-web", "create b One", "create c Two", "create d Feed the zebra"},
		[]string{"a", "down", "enter", "j", "j"}, []string{":", "=zebra", "enter"}, "plan.md is empty"},
}

// TestWhatIsDoneMostTakesFewPresses presses and counts the keys for the page: go test ./ui/console -run Presses
// -update.
func TestWhatIsDoneMostTakesFewPresses(t *testing.T) {
	var page strings.Builder
	page.WriteString("| Act | Before | Now |\n|---|---|---|\n")
	for _, x := range doneMost {
		cells := []string{x.act}
		for preset, keys := range map[string][]string{"classic": x.before, "standard": x.now} {
			t.Run(x.act+" "+preset, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { x.does(t, preset, keys) }) })
		}
		for _, keys := range [][]string{x.before, x.now} {
			names, n := []string{}, 0
			for _, k := range keys {
				if words, typed := strings.CutPrefix(k, "="); typed {
					names = append(names, "("+words+")")
					continue
				}
				names, n = append(names, "`"+k+"`"), n+1
			}
			cells = append(cells, fmt.Sprintf("%s %d", strings.Join(names, " "), n))
		}
		page.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	const path, heading = "../../docs/console.md", "## Presses for what is done most"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), heading)
	intro, table, ok2 := strings.Cut(rest, "| Act |")
	end := strings.Index(table, "\n\n")
	if !ok || !ok2 || end < 0 {
		t.Fatalf("%s has no table under %q", path, heading)
	}
	want := before + heading + intro + page.String() + table[end+1:]
	if *updateFrames {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(doc) != want {
		t.Errorf("the table of %s is another: go test ./ui/console -run Presses -update", path)
	}
}

// does prepares the act and presses the keys.
func (x done) does(t *testing.T, preset string, keys []string) {
	wd := newWorld(t, 120, 36, func(o *Options) {
		o.Settings = config.Defaults()
		o.Settings.Keys = map[action.ID]config.Keys{action.Preset: {preset}}
	})
	defer wd.end()
	for _, line := range x.stage {
		if k, press := strings.CutPrefix(line, "press "); press {
			wd.settle()
			wd.press(k)
			continue
		}
		wd.change(line)
	}
	wd.settle()
	for _, k := range keys {
		if words, typed := strings.CutPrefix(k, "="); typed {
			wd.write(words)
		} else {
			wd.press(k)
		}
		wd.settle()
	}
	holds(t, wd, x.act+" with "+strings.Join(keys, " "), x.says)
	if c := wd.console.(console); c.layers.top() != nil && !c.layers.toZero() {
		t.Errorf("%T is still open", c.layers.top())
	}
}
