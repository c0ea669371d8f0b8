package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	service "vise/store/home"
	"vise/ui/config"
)

// consoleRunIn is a run of the console whose home would be in dir.
func consoleRunIn(t *testing.T, dir string) *consoleRun {
	ctx, stop := context.WithCancel(t.Context())
	a := &Env{Context: ctx, flags: globals{home: dir}, now: time.Now, getenv: func(string) string { return "" }, ttyIn: true, ttyOut: true}
	r := newConsoleRun(a)
	t.Cleanup(func() {
		stop()
		r.close()
		if a.home != nil {
			a.home.Close()
		}
	})
	return r
}

func TestTheFirstRunWritesNothingBeforeAChoice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	b := consoleRunIn(t, dir)
	first, err := b.firstRun()
	if err != nil || len(first.Agents) == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("a home was made without a choice")
	}
	session, err := first.Start(t.Context(), []model.AgentID{"builder"}, "")
	if err != nil || session.Agent != "builder" || session.Ledger == nil || session.Plans == nil || session.Demo {
		t.Errorf("got %+v, %v", session, err)
	}
	if !service.Marked(dir, service.MarkConsole) {
		t.Error("drivers do not know of the person at the console that made the home")
	}
}

// onRead does something when it is read, and then ends.
type onRead func()

func (f onRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

func TestDriversKnowOfAPersonAtAConsoleOfLines(t *testing.T) {
	dir, _, _ := newHome(t)
	r := consoleRunIn(t, dir)
	there := false
	r.in, r.out, r.err = onRead(func() { there = service.Marked(dir, service.MarkConsole) }), io.Discard, io.Discard
	if err := r.openAccessible(config.Settings{}); err != nil || !there {
		t.Errorf("a person is there: %v; %v", there, err)
	}
}

// The first run makes an agent of the same name for each program that is found. The first of them has the item that it is started on.
func TestTheFirstRunMakesAnAgentForEachProgram(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"claude", "codex"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho 9.9.9\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	b := consoleRunIn(t, filepath.Join(t.TempDir(), "home"))
	first, err := b.firstRun()
	if want := []model.AgentID{"claude", "codex"}; err != nil || !slices.Equal(first.Agents, want) {
		t.Fatalf("agents %v, not %v: %v", first.Agents, want, err)
	}
	session, err := first.Start(t.Context(), first.Agents, "Add jitter")
	if err != nil || session.Agent != "claude" {
		t.Fatalf("the desk of %q: %v", session.Agent, err)
	}
	err = session.Ledger.View(t.Context(), func(r model.Reader) error {
		for _, a := range first.Agents {
			if _, known := r.Agent(a); !known {
				t.Errorf("%s is not known", a)
			}
		}
		if focus, _ := model.Focus(r, "claude"); focus.Objective != "Add jitter" {
			t.Errorf("claude works on %q", focus.Objective)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	b.agent = "shop" // the operator named one: all programs work as this agent
	if got := firstAgents(b.Env, first.Programs); !slices.Equal(got, []model.AgentID{"shop"}) {
		t.Errorf("agents %v", got)
	}
}

func TestTheDemoLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	home := filepath.Join(t.TempDir(), "home")
	b := consoleRunIn(t, home)
	session, err := b.start(t.Context(), nil, "")
	if err != nil || !session.Demo {
		t.Fatalf("%+v, %v", session, err)
	}
	text := session.Plans.Plan(t.Context(), "claude-main", "wi-limiter")
	if text.Artifact.Condition != model.PlanOK || text.Text == "" {
		t.Errorf("got %+v", text)
	}
	if said, err := b.startAgent(t.Context(), "claude-main", false); err == nil {
		t.Errorf("an agent of the demo was started: %s", said)
	}
	b.close()
	b.atEnd = nil
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a home was made")
	}
}

func TestAnEditedPlanIsToldAndNotedInTheLedger(t *testing.T) {
	home, err := files.NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := store.NewMem(home)
	h := service.On(l, home, service.Options{})
	t.Cleanup(func() { h.Close() })
	in, err := l.Apply(t.Context(), model.Envelope{Key: "k", Actor: model.Operator, Agent: "a", Command: model.CreateWorkItem{Objective: "o", Plan: "one"}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := watchPlans(t.Context(), h, service.NewHosts(t.Context(), service.HostOptions{}), "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.watch.Close()
	defer beside(t.Context(), h.KeepPlans)()
	if p := e.Plan(t.Context(), "a", in.WorkItemID); p.Text != "one" {
		t.Fatalf("got %+v", p)
	}
	e.Watch("a", []model.ItemID{in.WorkItemID})
	if err := files.WriteAtomic(home.PlanPath("a", in.WorkItemID), []byte("two")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	for notified := false; !notified; {
		news, err := e.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		notified = slices.Contains(news.Items, in.WorkItemID)
	}
	if p := e.Plan(t.Context(), "a", in.WorkItemID); p.Text != "two" {
		t.Errorf("it is read as %q", p.Text)
	}
	noted := func() (is bool) {
		err := l.View(ctx, func(r model.Reader) error {
			w, _ := r.Item(in.WorkItemID)
			if is = w.PlanArtifact.Preview == "two"; is && r.Entries(in.WorkItemID, 1)[0].Actor != model.Watcher {
				t.Errorf("it is revision %d, noted by %s", w.Revision, r.Entries(in.WorkItemID, 1)[0].Actor)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	for after := uint64(0); !noted(); {
		if after, err = l.Follow(ctx, after); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDraftsOutliveTheConsole(t *testing.T) {
	home := t.TempDir()
	d := newDrafts(home)
	if all, err := d.Load(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for key, text := range map[string]string{"new": "half a thought", "report wi-1": "so far"} {
		if err := d.Save(t.Context(), key, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Save(t.Context(), "new", ""); err != nil {
		t.Fatal(err)
	}
	all, err := newDrafts(home).Load(t.Context())
	if err != nil || len(all) != 1 || all["report wi-1"] != "so far" {
		t.Errorf("%v, %v", all, err)
	}
	if err := os.WriteFile(d.path, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Save(t.Context(), "new", "text"); err == nil {
		t.Error("a file that does not read was written over")
	}
}

// What waits for a time is counted up to a limit, which is said.
func TestTheEndOfTheConsoleCountsTimers(t *testing.T) {
	home, err := files.NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := store.NewMem(home)
	h := service.On(l, home, service.Options{Dir: t.TempDir()})
	t.Cleanup(func() { h.Close() })
	now := time.Now()
	apply := func(key string, c model.Command) model.Receipt {
		in, err := l.Apply(t.Context(), model.Envelope{Key: key, Actor: model.Operator, Agent: "a", Command: c})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	for n := range dueCounted + 2 {
		want := map[int]string{0: "", 1: "for 1 timer until", dueCounted - 1: "for 99 timers until", dueCounted: "for 100 or more timers until",
			dueCounted + 1: "for 100 or more timers until"}
		if said, says := exitMessage(t.Context(), h, now), want[n]; !strings.Contains(said, says) || n == 0 && said != "" {
			t.Errorf("with %d it says %q", n, said)
		}
		in := apply(fmt.Sprint("make", n), model.CreateWorkItem{Objective: "o"})
		apply(fmt.Sprint("wait", n), model.WaitFor{WorkItemID: in.WorkItemID, Wake: model.WakeTimer, Reason: "r", WakeAt: now.Add(time.Hour)})
	}
}
