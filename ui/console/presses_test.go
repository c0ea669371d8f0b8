package console

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
)

// done is one of the most frequent acts, with its keys. A text after = is typed, and not counted.
type done struct {
	act         string
	stage, keys []string
	says        string
}

var doneMost = []done{
	{"Pick", []string{"create a Split"}, []string{"space"}, "Picked wi-"},
	{"Tick the todo in progress", []string{"create a Split", "todos a x read | > move | - test", "pick a"},
		[]string{"space"}, "2/3"},
	{"Answer a choice", []string{"create a Split", "ask a Which? | LRU | LFU"}, []string{"space", "1"},
		"Answered wi-"},
	{"Go to the next need", []string{"create a Split", "create b Merge", "ask b Which?"}, []string{"."}, "1 of 1"},
	{"Go back to the previous need", []string{"create a One", "create b Two", "create c Three", "ask a 1?", "ask b 2?", "ask c 3?", "press ."},
		[]string{","}, "3 of 3"},
	{"Hide finished work", []string{"create a Split", "complete a"}, []string{"space", "1"}, "Hid wi-"},
	{"Hide all finished work (three), in the inbox", []string{"create a One", "create b Two", "create c Three", "complete a", "complete b",
		"complete c", "press 2", "press tab"}, []string{"*", "space", "1"}, "Nothing needs you."},
	{"Retry what is stalled", []string{"create a Split", "pick a", "stall claude-main"}, []string{"space", "1"}, "Trying wi-"},
	{"Clear the blocker of current work", []string{"create a Split", "block a the vault", "pick a"}, []string{"space", "enter"}, "Unblocked wi-"},
	{"Complete what has all todos done", []string{"create a Split", "todos a x read", "pick a"}, []string{"space", "=Done.", "ctrl+s"}, "Completed wi-"},
	{"Open an item of another agent", []string{"create a Split", "as codex-web", "create b One", "create c Two", "create d Feed the zebra"},
		[]string{":", "=zebra", "enter"}, "plan.md is empty"},
}

// TestWhatIsDoneMostTakesFewPresses presses and counts the keys for the page: go test ./ui/console -run Presses
// -update.
func TestWhatIsDoneMostTakesFewPresses(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Presses for what is done most\n\n<!-- Written by: go test ./ui/console -run Presses -update -->\n\n" +
		"Typed words, in brackets, are not counted.\n\n| Act | Keys |\n|---|---|\n")
	for _, x := range doneMost {
		t.Run(x.act, func(t *testing.T) { synctest.Test(t, x.does) })
		names, n := []string{}, 0
		for _, k := range x.keys {
			if words, typed := strings.CutPrefix(k, "="); typed {
				names = append(names, "("+words+")")
				continue
			}
			names, n = append(names, "`"+k+"`"), n+1
		}
		fmt.Fprintf(&page, "| %s | %s %d |\n", x.act, strings.Join(names, " "), n)
	}
	const path = framesAt + "presses.md"
	if *updateFrames {
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if doc, err := os.ReadFile(path); err != nil || string(doc) != page.String() {
		t.Errorf("%s is another (%v): go test ./ui/console -run Presses -update", path, err)
	}
}

// does prepares the act and presses the keys.
func (x done) does(t *testing.T) {
	wd := newWorld(t, 120, 36, nil)
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
	for _, k := range x.keys {
		if words, typed := strings.CutPrefix(k, "="); typed {
			wd.write(words)
		} else {
			wd.press(k)
		}
		wd.settle()
	}
	holds(t, wd, x.act+" with "+strings.Join(x.keys, " "), x.says)
	if c := wd.console.(console); c.layers.top() != nil && !c.layers.toZero() {
		t.Errorf("%T is still open", c.layers.top())
	}
}
