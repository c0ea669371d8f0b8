package runner

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/acp"
	"vise/ui/config"
)

// until waits for a state of the ledger.
func (b *bench) until(holds func(model.Reader) bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	for revision, isSo := uint64(0), false; ; {
		b.view(func(r model.Reader) { revision, isSo = r.Revision(), holds(r) })
		if isSo {
			return
		}
		if _, err := b.ledger.Follow(ctx, revision); err != nil {
			b.t.Fatal(err)
		}
	}
}

// attended drives a program as for a person who can answer. The returned function ends that.
func (b *bench) attended(p Program) (end func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	d := b.driver(p)
	d.Once = false
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	return func() { cancel(); <-ended }
}

// asCodex is a script that is taken for the adapter of Codex.
func (b *bench) asCodex(script string) Program {
	p := b.program(script)
	link := b.t.TempDir() + "/codex-acp"
	if err := os.Symlink(p.Command[0], link); err != nil {
		b.t.Skip(err)
	}
	p.Command = []string{link}
	return p
}

func reportOf(w model.WorkItem) string { return w.ResultSummary.Raw() }

func TestEachCompletionOfATurnGetsItsOwnWords(t *testing.T) {
	for script, want := range map[string][]string{
		"acp-twice": {"Report of 0", "Report of 1", "Report of 2"}, "acp-silent": {""}, "acp-nameless": {"Done: it works."},
	} {
		b := newBench(t)
		var items []string
		for range want {
			items = append(items, string(b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID))
		}
		p := b.program(script)
		p.Env = append(p.Env, "ITEMS="+strings.Join(items, " "))
		b.drive(p)
		for i, id := range items {
			w := b.item(model.ItemID(id))
			if got := strings.Replace(reportOf(w), id, string(rune('0'+i)), 1); w.State != model.Completed || got != want[i] {
				t.Errorf("%s: item %d is %s, reported as %q; want %q", script, i, w.State, got, want[i])
			}
		}
	}
}

// However a turn is cut off, what was said in it is in the ledger.
func TestWhatWasSaidInATurnThatWasCutOffIsKept(t *testing.T) {
	storetest.Slow(t)
	for name, c := range map[string]struct {
		script string
		turn   config.Turn
		code   model.TurnCode
		words  []string
	}{
		"by replies":   {"acp-chatter", config.Turn{Rounds: 2}, model.ProgramTooLong, []string{"Round 0.", "Round 3.", "Round 4."}},
		"by time":      {"acp-cancel", config.Turn{Timeout: config.Span(time.Second)}, model.ProgramTimedOut, []string{"I think.", "I stopped."}},
		"by a kill":    {"acp-killed", config.Turn{}, model.ProgramFailed, []string{"Last words."}},
		"a long line":  {"acp-long", config.Turn{}, model.ProgramFailed, []string{"Last words."}},
		"by its error": {"acp-exits", config.Turn{}, model.ProgramFailed, []string{"Last words."}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
			p := b.program(c.script)
			p.Turn.Rounds, p.Turn.Timeout = cmp.Or(c.turn.Rounds, p.Turn.Rounds), cmp.Or(c.turn.Timeout, p.Turn.Timeout)
			b.drive(p)
			news, said := b.ended(), trace(b)
			for _, w := range c.words {
				if !strings.Contains(said, w) {
					t.Errorf("the ledger has %q, without %q", said, w)
				}
			}
			if news.Code != c.code || name == "a long line" && !strings.Contains(news.Reason.Raw(), "10 MiB") {
				t.Errorf("the turn ended as %+v", news)
			}
		})
	}
}

func TestAnOpenQuestionEndsWithItsTurn(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	end := b.attended(b.program("acp-leaves"))
	b.until(func(r model.Reader) bool {
		a, _ := r.Agent("ann")
		return a.TurnIndex > 0 && a.Turn == nil && len(a.Permissions) == 0
	})
	end()
	if got := len(b.entries(model.EventPermissionAsked)); got == 0 {
		t.Error("nothing was asked")
	}
	for _, p := range b.parts() {
		if p.Kind == acp.PartAsk && (p.Call.Title != "rm -rf build" || p.Text != "cancelled") {
			t.Errorf("the log has %+v", p)
		}
	}
}

func TestAFormIsAQuestionAndItsAnswerReachesTheProgram(t *testing.T) {
	b := newBench(t)
	id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
	end := b.attended(b.program("acp-form"))
	var asked []model.Wait
	for _, answer := range []model.Text{"LFU", "many", "7"} { // many is no number: it is asked again
		b.until(func(r model.Reader) bool {
			i := slices.IndexFunc(r.ItemWaits("ann", ""), func(x model.Wait) bool { return x.Status == model.WaitActive && x.TriggerCount == 0 })
			if i >= 0 {
				asked = append(asked, r.ItemWaits("ann", "")[i])
			}
			return i >= 0
		})
		b.do(model.Operator, model.Answer{WaitID: asked[len(asked)-1].ID, Text: answer})
	}
	if len(asked[0].Ask.Choices) != 2 || !strings.HasPrefix(asked[0].Ask.Question.Raw(), "Which cache?") {
		t.Errorf("asked %+v", asked[0])
	}
	b.until(func(r model.Reader) bool { // the next turn may have begun
		a, _ := r.Agent("ann")
		return a.TurnIndex > 1 || a.Turn == nil
	})
	end()
	for _, e := range b.entries(model.EventTurnStarted) {
		if n := model.DataOf[model.TurnNews](e); len(n.Messages) > 0 {
			t.Errorf("turn %d begins with the answer that the program has", n.Turn)
		}
	}
	b.view(func(r model.Reader) {
		if left := r.QueuedMessages("ann", 1); len(left) > 0 {
			t.Errorf("the answer that the program has waits: %+v", left)
		}
		if w, _ := model.Focus(r, "ann"); w.ID != id {
			t.Errorf("after the question the focus is %q", w.ID)
		}
	})
	if got := strings.Join(b.said(), " "); !strings.Contains(got, `"action":"accept"`) || !strings.Contains(got, `{"kind":"LFU","size":7}`) {
		t.Errorf("the program got %s", got)
	}
}

// After a restart the agent's session for the item goes on, in the mode that asks. What an old session repeats is not said again.
func TestASessionGoesOnAfterARestart(t *testing.T) {
	storetest.Slow(t)
	for can, want := range map[string]string{
		`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`: "session/resume", `{"loadSession":true}`: "session/load", `{}`: "session/new",
	} {
		b := newBench(t)
		id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
		b.do("agent:ann", model.PickWorkItem{WorkItemID: id})
		p := b.asCodex("acp-opens")
		p.Env = append(p.Env, "CAN="+can)
		for range 2 {
			b.do(model.Operator, model.Say{AgentID: "ann", Text: "go on"})
			b.drive(p)
		}
		said := strings.Join(b.said(), "|")
		if !strings.HasSuffix(said, "Opened by "+want+" in mode workspace-write") || strings.Contains(said, "earlier turn") {
			t.Errorf("%s: the ledger has %q", can, said)
		}
		if s := home.SessionsIn(b.dir, time.Now).Driven(); len(s) != 1 || s[0].Item != id {
			t.Errorf("%s: the sessions are %+v", can, s)
		}
	}
}

func TestAnAdapterRunsThePersonsOwnProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("CODEX_PATH", "")
	if err := os.WriteFile(dir+"/codex", []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	os.Unsetenv("CODEX_PATH")
	p := Program{Command: []string{"codex-acp"}}
	if got := p.Spec().Environment(); !slices.Contains(got, "CODEX_PATH="+dir+"/codex") {
		t.Errorf("the adapter gets %q", got)
	}
}

// What a session said when its driver was killed reaches the ledger once, with the report, and the permission that it asked for is gone.
func TestWhatAKilledDriversSessionSaidIsSettledOnce(t *testing.T) {
	storetest.Slow(t)
	for name, words := range map[string]string{
		"acp-dies-speaking": "Half a thou", "acp-dies-done": "Done: it works.", "acp-dies-asking": "May I?",
		"acp-dies-speaking, and its turn is over": "Half a thou", "acp-dies-done, and its turn is over": "Done: it works.",
	} {
		t.Run(name, func(t *testing.T) {
			script, _, isOver := strings.Cut(name, ",")
			b := newBench(t)
			go wake(t.Context(), b.ledger)
			id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
			driver := exec.Command(os.Args[0])
			driver.Env = append(os.Environ(), "VISE_TEST_SCRIPT=drives-acp", "SCRIPT="+script, "VISE_HOME="+b.dir)
			if err := driver.Start(); err != nil {
				t.Fatal(err)
			}
			b.until(func(r model.Reader) bool {
				a, _ := r.Agent("ann")
				w, _ := r.Item(id)
				return a.Turn != nil && (script != "acp-dies-asking" || len(a.Permissions) > 0) && (script != "acp-dies-done" || w.State == model.Completed)
			})
			await(func() bool {
				s := home.SessionsIn(b.dir, time.Now).Driven()
				return len(s) == 1 && s[0].ID != "" && slices.Contains(b.said(), words)
			})
			_ = driver.Process.Kill()
			_ = driver.Wait()
			h, err := home.Open(b.dir, home.Options{LeaveQueue: true})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if err := h.SweepPermissions(t.Context(), Alive); err != nil {
				t.Fatal(err)
			}
			if isOver {
				if _, err := b.driver(Program{}).scheduler().Settle(t.Context(), "ann"); err != nil || b.ended().Outcome != model.TurnInterrupted {
					t.Fatal(err)
				}
			}
			Settle(t.Context(), h, b.dir, h.Sessions)
			if said := trace(b) + reportOf(b.item(id)); !strings.Contains(said, words) {
				t.Errorf("the ledger has %q", said)
			}
			if got := reportOf(b.item(id)); script == "acp-dies-done" && got != words {
				t.Errorf("the report is %q", got)
			}
			var before, after uint64
			b.view(func(r model.Reader) {
				before = r.Revision()
				if a, _ := r.Agent("ann"); len(a.Permissions) > 0 {
					t.Errorf("it still asks %+v", a.Permissions)
				}
			})
			Settle(t.Context(), h, b.dir, h.Sessions)
			b.view(func(r model.Reader) { after = r.Revision() })
			if before != after || len(h.Turns()) > 0 {
				t.Errorf("settled twice: revision %d, then %d; turns %+v", before, after, h.Turns())
			}
			_, _, _ = EndLeft(b.dir, "ann")
		})
	}
}

// A turn that the program ends as usual has failed if it says that the model did.
func TestATurnWhoseModelFailedIsNotCompleted(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	b.drive(b.asCodex("acp-errs"))
	if news := b.ended(); news.Outcome != model.TurnFailed || !strings.Contains(news.Reason.Raw(), "400 the model failed") || news.Final != "I begin." {
		t.Errorf("the turn ended as %+v", news)
	}
}

// A session that only starts is listed, without an id, and forgotten if it never began.
func TestASessionThatStartsIsListed(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	end := b.attended(b.program("acp-mute"))
	var s []home.Session
	await(func() bool { s = home.SessionsIn(b.dir, time.Now).Driven(); return len(s) > 0 })
	if s[0].State != home.SessionStarts || s[0].ID != "" || s[0].Agent != "ann" {
		t.Errorf("listed as %+v", s)
	}
	if _, ok := home.SessionsIn(b.dir, time.Now).LastSession("ann"); ok {
		t.Error("it can be gone on with")
	}
	end()
	if s := home.SessionsIn(b.dir, time.Now).Driven(); len(s) > 0 {
		t.Errorf("after its end %+v", s)
	}
}

// The program of a stopped agent ends, though its driver stays: in a turn, and between turns.
func TestAStoppedAgentsProgramEnds(t *testing.T) {
	for script, state := range map[string]home.SessionState{"acp-cancel": home.SessionWorks, "acp": home.SessionRests} {
		b := newBench(t)
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
		end := b.attended(b.program(script))
		isIn := func(state home.SessionState) func() bool {
			return func() bool {
				s := home.SessionsIn(b.dir, time.Now).Driven()
				return len(s) == 1 && s[0].State == state
			}
		}
		await(isIn(state))
		stopped := model.Stopped
		b.do(model.Operator, model.UpdateAgent{AgentID: "ann", Posture: &stopped})
		await(isIn(home.SessionGone))
		end()
	}
}

// While another process holds the ledger, for longer than a command waits for it, a program is not held back, and none of its words is lost.
func TestAFloodIsKeptWhileTheLedgerIsHeld(t *testing.T) {
	storetest.Slow(t)
	b, dir := newBench(t), t.TempDir()
	id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
	p := b.program("acp-floods")
	p.Env, p.Turn.Timeout = append(p.Env, "DIR="+dir), config.Span(time.Minute)
	isThere := func(name string) func() bool {
		return func() bool { _, err := os.Stat(dir + name); return err == nil }
	}
	end := b.attended(p)
	defer end()
	await(isThere("/begun"))
	other, err := store.Open(b.dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	said := isThere("/said")
	err = other.Update(t.Context(), func(*store.Facts) error {
		if err := os.WriteFile(dir+"/held", nil, 0o600); err != nil {
			return err
		}
		begun, late := time.Now(), time.After(10*time.Second)
		await(func() bool { return said() || time.Since(begun) > time.Minute })
		<-late
		return nil
	})
	if err != nil || !said() {
		t.Errorf("%v; the program was held back", err)
	}
	b.until(func(r model.Reader) bool { a, _ := r.Agent("ann"); return a.TurnIndex > 1 || a.Turn == nil })
	var want strings.Builder
	for i := range floodOf {
		fmt.Fprint(&want, i, " ")
	}
	all := home.SessionsIn(b.dir, time.Now).Driven() // the next turn may have begun, with a session of its own
	if got := strings.Join(wordsOf(b.story(all[len(all)-1])), ""); got != want.String() {
		t.Errorf("of %d bytes the log has %d", want.Len(), len(got))
	}
	b.view(func(r model.Reader) {
		x, _ := r.Trace("ann", id)
		if n := len(x.Entries); n == 0 || !strings.HasSuffix(x.Entries[n-1].Text.Raw(), fmt.Sprint(floodOf-1)) {
			t.Errorf("the ledger has %d rounds", n)
		}
	})
}

// await returns when something holds that no commit tells of.
func await(holds func() bool) {
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for !holds() {
		<-ticks.C
	}
}

// TestTwoAgentsSessionsCanHaveTheSameID, as of programs that number theirs: the words of both are kept, and both are known.
func TestTwoAgentsSessionsCanHaveTheSameID(t *testing.T) {
	b := newBench(t)
	d := b.driver(b.program("acp-greets"))
	d.Programs["bob"] = d.Programs["ann"]
	for agent := range d.Programs {
		b.do(model.Operator, model.AddAgent{AgentID: agent})
		b.do(model.Operator, model.Say{AgentID: agent, Text: "Say something."})
	}
	d.Report = func(e Event) {
		if e.What == "reply refused" {
			t.Errorf("%s: %v", e.Agent, e.Err)
		}
	}
	if err := d.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	heard := map[model.AgentID]int{}
	for _, e := range b.entries(model.EventRound) {
		heard[e.AgentID]++
	}
	if sessions := home.SessionsIn(b.dir, time.Now).Driven(); heard["ann"] != 2 || heard["bob"] != 2 || len(sessions) != 2 {
		t.Errorf("the ledger has words %v, want two replies of each; %d sessions are known", heard, len(sessions))
	}
}
