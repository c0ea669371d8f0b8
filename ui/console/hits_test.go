package console

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
)

// search types a filter in a view, and settles.
func search(wd *world, view, words string) {
	wd.press(view, "esc", "/")
	wd.write(words)
	wd.settle()
}

func holds(t *testing.T, wd *world, what string, wants ...string) {
	t.Helper()
	f := frameOf(wd)
	for _, want := range wants {
		if !strings.Contains(f, want) {
			t.Errorf("%s: %q is not there:\n%s", what, want, f)
		}
	}
}

func TestEachViewSearchesTheWholeLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create old Tidy the zebra crossing")
		wd.change("create done Fix the flaky test")
		wd.change("complete done The zebra was the reason.")
		for i := range allRows + 20 { // the desk reads none of them
			wd.create("", fmt.Sprintf("Item %d", i))
		}
		wd.change("as codex-web")
		wd.change("create far Feed the zebra")
		wd.settle()

		search(wd, "1", "zebra")
		holds(t, wd, "the desk", "Tidy the zebra crossing", "Fix the flaky test")
		if strings.Contains(frameOf(wd), "Feed the zebra") {
			t.Error("the desk shows another agent's item")
		}
		wd.press("enter")
		search(wd, "2", "zebra")
		holds(t, wd, "the fleet", "Found", "Tidy the zebra crossing", "Fix the flaky test", "Feed the zebra")
		if strings.Contains(frameOf(wd), "Completed with") {
			t.Error("what needs nothing is told as a need")
		}
		wd.press("enter", "enter")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "‹1 Desk›") || !strings.Contains(f, "zebra") {
			t.Errorf("enter does not open what was found:\n%s", f)
		}
		wd.press("g")
		search(wd, "a", "zebra")
		holds(t, wd, "the activity", "Tidy the zebra crossing", "Feed the zebra")
		wd.press("enter")
		search(wd, "3", "zebra")
		holds(t, wd, "the reports", "Fix the flaky test")
		if strings.Contains(frameOf(wd), "Feed the zebra") {
			t.Error("the reports show what is not finished")
		}
	})
}

func TestWhatIsFoundFollowsTheLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		for i := range allRows + 20 {
			wd.create("", fmt.Sprintf("Item %d", i))
		}
		wd.change("create a Tidy the zebra crossing")
		wd.settle()
		search(wd, "1", "zebra")
		wd.press("enter")
		wd.pass(5 * time.Second)
		wd.change("create b Paint the zebra")
		wd.change("reword a Tidy the crossing")
		wd.pass(5 * time.Second)
		holds(t, wd, "the desk", "Paint the zebra")
		if c := wd.console.(console); c.queue.Row(wd.names["a"]) != nil {
			t.Error("what the filter keeps no more is still there")
		}
	})
}

// The next letter ends a search. Until then the search shows its progress.
func TestASearchSaysHowFarItIsAndEndsWithTheNextLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		for i := range 250 { // more than one step reads
			wd.create("", fmt.Sprintf("Zebra %d", i))
		}
		wd.settle()
		wd.press("/")
		wd.write("z")
		c := wd.console.(console)
		c.started = nil
		if lookOn(&c); c.started != nil {
			t.Error("a second step begins while one is under way")
		}
		first := c.fx.look(c.hits)().(hitsMsg)
		wd.pending = nil // the step that was just made here
		wd.send(first)
		holds(t, wd, "after a step", "searched 200 of 250 …")
		wd.write("x")
		if c := wd.console.(console); c.hits.asked.words == "z" && !c.hits.underWay {
			t.Error("the search for z goes on")
		}
		wd.settle()
		holds(t, wd, "after the next letter", "all was searched")
	})
}

func TestOnlySoMuchIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		var all model.Import
		all.AgentID = testAgent
		for i := range 1100 {
			all.Items = append(all.Items, model.Imported{Item: model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%05d", i)), State: model.Open,
				PlanStatus: model.Draft, Objective: "Zebra", CreatedAt: time.Now(), UpdatedAt: time.Now()}})
			if len(all.Items) == 500 {
				wd.doAs(model.Operator, all)
				all.Items = nil
			}
		}
		wd.doAs(model.Operator, all)
		wd.settle()
		search(wd, "1", "zebra")
		holds(t, wd, "the desk", "only the first 1,000")
		if n := len(wd.console.(console).hits.items.Found); n != 1000 {
			t.Errorf("%d are kept", n)
		}
	})
}
