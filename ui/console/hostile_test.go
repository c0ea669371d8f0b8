package console

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/storetest"
	"vise/ui/console/screen"
)

// Whatever a text from outside contains, and wherever it is shown, a frame has only visible characters and colours.
func TestNoTextDrivesTheTerminal(t *testing.T) {
	storetest.Slow(t)
	for name, payload := range storetest.Payloads {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 120, 36, nil)
				defer wd.end()
				wd.plant(payload)
				wd.settle()
				wd.tour(payload)
			})
		})
	}
}

// plant writes the payload everywhere an agent can write.
func (wd *world) plant(payload string) {
	wd.t.Helper()
	p := model.Text(strings.ToValidUTF8(payload, "?"))
	words := cutRunes(model.Text(strings.ReplaceAll(string(p), "\x00", "")), 400) + "."
	id := wd.create("a", "objective "+string(words))
	list := []model.Todo{{Text: "todo " + words, State: model.TodoInProgress}, {Text: words, State: model.TodoPending}}
	wd.do(model.UpdateWorkItem{WorkItemID: id, TodoList: &list})
	wd.do(model.PickWorkItem{WorkItemID: id, Reason: words})
	blocked := wd.create("b", "blocked "+string(words))
	wd.do(model.UpdateWorkItem{WorkItemID: blocked, BlockedBy: model.SetTo(words)})
	waits := wd.create("c", "waits "+string(words))
	wd.do(model.WaitFor{WorkItemID: waits, Wake: model.WakeExternal, Reason: words, Source: words, Resource: words, Condition: words})
	wd.do(model.Trigger{WorkItemID: waits, Source: words, Payload: words})
	asks := wd.create("d", "asks "+string(words))
	wd.do(model.WaitFor{WorkItemID: asks, Wake: model.WakeOperatorInput, Reason: words, Question: words, Choices: []model.Text{words, "2" + words}})
	answered := wd.create("f", "answered "+string(words))
	wd.do(model.WaitFor{WorkItemID: answered, Wake: model.WakeOperatorInput, Reason: words, Question: words})
	wd.doAs(model.Operator, model.Answer{WorkItemID: answered, Text: words})
	done := wd.create("e", "done "+string(words))
	wd.do(model.Round{Text: words, WorkItemID: done, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: done}}}})
	for _, id := range []model.ItemID{id, blocked, waits, asks, done} {
		wd.plans.put(id, "# Plan\n\n"+payload+"\n\n- "+payload+"\n\n> "+payload+"\n")
	}
}

func cutRunes(t model.Text, n int) model.Text {
	if r := []rune(string(t)); len(r) > n {
		return model.Text(r[:n])
	}
	return t
}

// tour shows every tab of every item, every dialog, and messages with the payload.
func (wd *world) tour(payload string) {
	wd.look("start")
	for item := range 6 {
		for range screen.TabCount {
			wd.press("]")
			wd.settle()
			wd.look("a tab")
		}
		wd.frame()
		keys := []string{"p", "c", "b", "w", "r", "@objective", "t", "@plan-status", "P", "x", "?", "y", "o", "m", "a"}
		if item > 0 && item < 5 {
			keys = nil
		}
		for _, key := range append(keys, "i") {
			wd.press(key)
			wd.settle()
			wd.look("dialog " + key)
			wd.send(tea.PasteMsg{Content: payload})
			wd.look("paste in " + key)
			wd.press("esc", "esc")
			wd.settle()
		}
		wd.press("j")
		wd.settle()
	}
	wd.press("/")
	wd.send(tea.PasteMsg{Content: payload})
	wd.settle()
	wd.look("filter")
	wd.press("esc")
	wd.tourOfReading(payload)
	wd.plans.news <- News{All: true, Mode: payload}
	wd.settle()
	wd.look("watch mode")
	wd.plans.spoil(wd.names["a"], PlanText{Artifact: model.PlanArtifact{Condition: model.PlanUnreadable, Path: payload}, Reason: payload})
	wd.press("home")
	wd.settle()
	wd.look("bad plan")
	wd.faulty.fail(model.Refuse(model.CodeBusy, "%s", payload).WithHint("%s", payload))
	wd.press("ctrl+r")
	wd.settle()
	wd.look("ledger trouble")
	for _, size := range [][2]int{{80, 24}, {50, 20}, {38, 9}, {41, 11}} {
		wd.w, wd.h = size[0], size[1]
		wd.send(tea.WindowSizeMsg{Width: wd.w, Height: wd.h})
		wd.settle()
		wd.look(fmt.Sprint(size))
	}
}

// tourOfReading shows the search, differences, marks and conflicts.
func (wd *world) tourOfReading(payload string) {
	wd.press("home", "enter", "/")
	wd.send(tea.PasteMsg{Content: payload})
	wd.settle()
	wd.look("search")
	wd.press("enter", "n", "L", "esc", "esc")
	wd.plans.put(wd.names["a"], payload+"\n\nmore\n"+payload)
	wd.settle()
	wd.press("d")
	wd.look("changes")
	wd.press("esc", "home", "v", "v", "b")
	wd.settle()
	wd.look("bulk")
	wd.press("esc", "esc", "esc")
	wd.send(savedMsg{edit: planEdit{agent: testAgent, item: wd.names["a"], base: payload, mine: "mine " + payload, path: payload, plan: true},
		theirs: PlanText{Text: model.Text("theirs " + payload)}, err: model.Refuse(model.CodeStale, "%s", payload)})
	wd.press("d")
	wd.look("conflict")
	wd.press("t")
	wd.look("conflict ended")
	wd.press("esc")
	wd.settle()
}

// webLinks are the sequences around a link to the web: its address is plain characters.
var webLinks = regexp.MustCompile("\x1b\\]8;(id=[0-9]+;https?://[!-~]+|;)\a")

// look checks the frame, as the program writes it and as a terminal shows it.
func (wd *world) look(where string) {
	wd.t.Helper()
	v := wd.console.View()
	for what, s := range map[string]string{"frame": v.Content, "title": v.WindowTitle} {
		if bad := storetest.Harmful(webLinks.ReplaceAllString(s, "")); bad != "" {
			wd.t.Errorf("%s: the %s holds %s", where, what, bad)
		}
	}
	wd.measured(v.Content)
}

// An item says so if its words contain characters that no terminal shows; so does its plan.
func TestHiddenCharactersAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 30, nil)
		defer wd.end()
		wd.create("a", "Read the log")
		wd.plans.put(wd.names["a"], "# Plan\n")
		wd.settle()
		if frame := strings.Join(wd.frame(), "\n"); strings.Contains(frame, "hidden characters") {
			t.Errorf("nothing is hidden:\n%s", frame)
		}
		words := model.Text("Read\u200b the log")
		wd.do(model.UpdateWorkItem{WorkItemID: wd.names["a"], Objective: &words})
		wd.plans.put(wd.names["a"], "# Pl\u202ean\n")
		wd.pass(3 * time.Second)
		frame := strings.Join(wd.frame(), "\n")
		if !strings.Contains(frame, " hidden characters ") || !strings.Contains(frame, "contains hidden characters") {
			t.Errorf("it is not said:\n%s", frame)
		}
	})
}
