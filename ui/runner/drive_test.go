package runner

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/storetest"
	"vise/ui/config"
)

func TestAProgramThatSpeaksRoundsIsDrivenUntilNothingIsLeft(t *testing.T) {
	b := newBench(t)
	var items []model.ItemID
	for _, objective := range []model.Text{"One", "Two", "Three"} {
		items = append(items, b.do(model.Operator, model.CreateWorkItem{Objective: objective}).WorkItemID)
	}
	b.do(model.Operator, model.Say{AgentID: "ann", Text: "hello"})
	b.drive(b.program("rounds"))
	for _, id := range items {
		if w := b.item(id); w.State != model.Completed || w.ResultSummary != model.Text("Report of "+string(id)+".") {
			t.Errorf("%s is %s with report %q", id, w.State, w.ResultSummary)
		}
	}
	if n := len(b.entries(model.EventReportPromoted)); n != len(items) {
		t.Errorf("%d reports promoted, want %d", n, len(items))
	}
	if news := b.ended(); news.Outcome != model.TurnCompleted || !news.BriefSuppressed {
		t.Errorf("the last turn ended as %+v", news)
	}
}

// An agent that was made for a delegation is run by its parent's program, also if it is made while the driver runs. Its
// first work item serves the delegation, and the delegation's end wakes the parent.
func TestAnAgentMadeForADelegationIsRunByItsParentsProgram(t *testing.T) {
	for _, once := range []bool{true, false} {
		b := newBench(t)
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		ended := make(chan error, 1)
		d := b.driver(b.program("rounds"))
		d.Once = once
		if !once {
			go func() { ended <- d.Run(ctx) }()
		}
		id := b.do("agent:ann", model.CreateWorkItem{Objective: "One", PlanStatus: model.NeedsInput}).WorkItemID
		b.do("agent:ann", model.PickWorkItem{WorkItemID: id})
		in := b.do("agent:ann", model.SpawnAgent{InitialMessage: "Find the cause"})
		b.do("agent:ann", model.WaitFor{WorkItemID: id, Reason: "the cause", Wake: model.WakeTaskResult, Resource: model.Text(in.DelegationID)})
		if once {
			ended <- d.Run(ctx)
		}
		for revision := uint64(0); b.item(id).State != model.Completed; {
			var err error
			if revision, err = b.ledger.Follow(ctx, revision); err != nil {
				t.Fatalf("once %v: %+v: %v", once, b.item(id), err)
			}
		}
		cancel()
		<-ended
		b.view(func(r model.Reader) {
			x, _ := r.Delegation(in.DelegationID)
			if child, _ := r.Item(x.ChildWorkItemID); child.Objective != "Find the cause" || x.ResultSummary != child.ResultSummary ||
				child.AgentID != "ann-1" || child.State != model.Completed {
				t.Errorf("once %v: %+v is served by %+v", once, x, child)
			}
		})
	}
}

func TestTheReportOfAnAgentThatCompletesThroughItsToolsIsPromoted(t *testing.T) {
	b := newBench(t)
	id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
	b.drive(b.program("acp"))
	if w := b.item(id); w.State != model.Completed || w.ResultSummary != "Done: it works." {
		t.Errorf("%s with report %q", w.State, w.ResultSummary)
	}
	if news := b.ended(); news.Outcome != model.TurnCompleted || news.Final != "Anything else?" || !news.BriefSuppressed || news.Rounds != 3 {
		t.Errorf("the turn ended as %+v", news)
	}
}

func TestWordsWithoutAFormAreOneRound(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.AddAgent{AgentID: "ann"})
	b.do(model.Operator, model.Say{AgentID: "ann", Text: "hello"})
	b.drive(b.program("text"))
	if news := b.ended(); news.Outcome != model.TurnCompleted || news.Rounds != 1 || !strings.HasSuffix(news.Final.Raw(), "That is all.") {
		t.Errorf("the turn ended as %+v", news)
	}
}

// Whatever a program does, its turn ends with a code and does not change the item.
func TestAProgramThatMisbehavesEndsItsTurnAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Program)
		outcome model.TurnOutcome
		code    model.TurnCode
	}{
		{"hang", func(p *Program) { p.Turn.Timeout = config.Span(500 * time.Millisecond) }, model.TurnTimedOut, model.ProgramTimedOut},
		{"garbage", nil, model.TurnFailed, model.ProgramGarbled},
		{"refused", nil, model.TurnFailed, model.RoundsRefused},
		{"flood", func(p *Program) { p.Turn.Output = 16 << 20 }, model.TurnFailed, model.ProgramFlooded},
		{"chatter", func(p *Program) { p.Turn.Rounds = 10 }, model.TurnAborted, model.ProgramTooLong},
		{"fails", nil, model.TurnFailed, model.ProgramFailed},
		{"missing", func(p *Program) { p.Command = []string{"/no/such/program"} }, model.TurnFailed, model.ProgramMissing},
		{"no directory", func(p *Program) { p.Dir = "/no/such/directory" }, model.TurnFailed, model.ProgramMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			id := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
			before := b.item(id)
			p := b.program(c.name)
			if c.change != nil {
				c.change(&p)
			}
			failure := b.drive(p)
			if failed := c.outcome != model.TurnAborted; failed != (failure != nil) {
				t.Errorf("the driver ended with %v", failure)
			}
			news := b.ended()
			if news.Outcome != c.outcome || news.Code != c.code {
				t.Errorf("the turn ended as %+v, want %s with %s", news, c.outcome, c.code)
			}
			if after := b.item(id); after.Revision != before.Revision || after.State != model.Open {
				t.Errorf("the item was changed: %+v", after)
			}
			if h, err := b.ledger.Check(context.Background()); err != nil || !h.Healthy() {
				t.Errorf("check: %v %v", h.Problems, err)
			}
		})
	}
}

// farOff is a minute into 2100, in seconds since 1970.
const farOff = 4102444860

func TestAUsageLimitHoldsTheAgentBackUntilItIsOver(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	p := b.program("acp-limit")
	if err := b.drive(p); err != nil {
		t.Errorf("the driver ended with %v", err)
	}
	if news := b.ended(); news.Outcome != model.TurnInterrupted || news.Code != model.UsageLimit || news.RestUntil.Unix() != farOff {
		t.Errorf("the turn ended as %+v", news)
	}
	if err := b.ledger.View(t.Context(), func(r model.Reader) error {
		if d := model.Decide(r, "ann", time.Now()); d.Reason != "usage_limit" || d.Until.Unix() != farOff {
			t.Errorf("decided %+v", d)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestNoChildOfAProgramOutlivesItsTurn(t *testing.T) {
	storetest.Needs(t, "setsid")
	pgrep := storetest.Needs(t, "pgrep")
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	begun := time.Now()
	b.drive(b.program("children"))
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the turn took %v", took)
	}
	if news := b.ended(); news.Outcome != model.TurnCompleted || news.Rounds != 1 {
		t.Errorf("the turn ended as %+v", news)
	}
	out, _ := exec.Command(pgrep, "-f", "^sleep 1000$").Output()
	for _, pid := range strings.Fields(string(out)) {
		env, _ := os.ReadFile("/proc/" + pid + "/environ")
		if strings.Contains(string(env), b.dir) {
			t.Errorf("process %s outlived the turn", pid)
		}
	}
}

func TestAProgramSeesNoSecretsThatItWasNotGiven(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "hunter2")
	t.Setenv("GIVEN_TOKEN", "swordfish")
	b := newBench(t)
	b.do(model.Operator, model.AddAgent{AgentID: "ann"})
	b.do(model.Operator, model.Say{AgentID: "ann", Text: "hello"})
	p := b.program("environment")
	p.Adapter, p.Env = config.AdapterText, append(p.Env, "GIVEN_TOKEN")
	b.drive(p)
	final := b.ended().Final.Raw()
	if strings.Contains(final, "hunter2") || !strings.Contains(trace(b), "GIVEN_TOKEN=swordfish") || strings.Contains(trace(b), "SECRET") {
		t.Errorf("the program sees %q", final)
	}
}

func trace(b *bench) string {
	var text string
	b.view(func(r model.Reader) {
		x, _ := r.Trace("ann", "")
		for _, e := range x.Entries {
			text += e.Text.Raw()
		}
	})
	return text
}

func TestTheContextIsNeverReadByAShell(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.AddAgent{AgentID: "ann"})
	b.do(model.Operator, model.Say{AgentID: "ann", Text: "\"; echo PWNED; $(echo PWNED) `echo PWNED`"})
	p, err := Program{Command: []string{"printf", "%s", "{context}"}}.Checked()
	if err != nil {
		t.Fatal(err)
	}
	b.drive(p)
	if got := trace(b); !strings.Contains(got, "\"; echo PWNED; $(echo PWNED) `echo PWNED`") {
		t.Errorf("the context came out as %q", got)
	}
}

// during runs a driver, calls act once the program's first round was traced, and returns when the driver has ended.
func (b *bench) during(p Program, act func(stop func())) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	d := b.driver(p)
	d.Once = false
	var ended sync.WaitGroup
	ended.Go(func() { _ = d.Run(ctx) })
	for seen := uint64(0); len(b.entries(model.EventRound)) == 0; {
		revision, err := b.ledger.Follow(ctx, seen)
		if err != nil {
			b.t.Fatal(err)
		}
		seen = revision
	}
	act(cancel)
	for seen := uint64(0); len(b.entries(model.EventTurnEnded)) == 0; {
		revision, err := b.ledger.Follow(context.Background(), seen)
		if err != nil {
			b.t.Fatal(err)
		}
		seen = revision
	}
	cancel()
	ended.Wait()
}

func TestARunningTurnEndsWhenTheAgentIsStoppedOrInterruptedOrTheDriverGoes(t *testing.T) {
	stopped := model.Stopped
	for _, c := range []struct {
		name    string
		act     func(b *bench, stop func())
		outcome model.TurnOutcome
		code    model.TurnCode
	}{
		{"the agent is stopped", func(b *bench, _ func()) {
			b.do(model.Operator, model.UpdateAgent{AgentID: "ann", Posture: &stopped})
		}, model.TurnAborted, model.TurnStopped},
		{"the operator interjects", func(b *bench, _ func()) {
			b.do(model.Operator, model.Say{AgentID: "ann", Text: "wait", Priority: model.Interject})
		}, model.TurnAborted, model.TurnInterjected},
		{"the driver is ended", func(_ *bench, stop func()) { stop() }, model.TurnInterrupted, model.DriverStopped},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
			b.during(b.program("hang"), func(stop func()) { c.act(b, stop) })
			var news model.TurnNews
			if err := json.Unmarshal(b.entries(model.EventTurnEnded)[0].Data, &news); err != nil {
				t.Fatal(err)
			}
			if news.Outcome != c.outcome || news.Code != c.code {
				t.Errorf("the turn ended as %+v, want %s with %s", news, c.outcome, c.code)
			}
		})
	}
}

// stalledLedger is a ledger in which a driver cannot renew its lease, as if it had been stopped for long.
type stalledLedger struct{ home.Ledger }

func (d stalledLedger) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	if _, beat := e.Command.(model.BeatTurn); beat {
		return model.Receipt{}, model.Refuse(model.CodeInternal, "not now")
	}
	return d.Ledger.Apply(ctx, e)
}

func TestADriverWhoseLeaseRanOutLosesItsTurnAndWritesNothingMore(t *testing.T) {
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	p := b.program("hang")
	p.Turn.Lease = config.Span(300 * time.Millisecond)
	d := b.driver(p)
	d.Ledger, d.Once = stalledLedger{b.ledger}, false
	lost := make(chan Event, 100)
	d.Report = func(e Event) {
		if e.What == "turn lost" {
			lost <- e
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	var ended sync.WaitGroup
	ended.Go(func() { _ = d.Run(ctx) })
	e := <-lost
	cancel()
	ended.Wait()
	if e.Turn != 1 {
		t.Errorf("turn %d was lost", e.Turn)
	}
	var news model.TurnNews
	if err := json.Unmarshal(b.entries(model.EventTurnEnded)[0].Data, &news); err != nil || news.Reason != "lease_expired" {
		t.Errorf("the turn ended as %+v %v", news, err)
	}
	oneTurnAtATime(t, b)
}

func TestSeveralDriversRunOneTurnAtATime(t *testing.T) {
	b := newBench(t)
	for range 10 {
		b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	}
	var drivers sync.WaitGroup
	var failed atomic.Int32
	for range 3 {
		drivers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
			defer cancel()
			if b.driver(b.program("rounds")).Run(ctx) != nil {
				failed.Add(1)
			}
		})
	}
	drivers.Wait()
	if failed.Load() != 0 {
		t.Errorf("%d drivers failed", failed.Load())
	}
	if n := len(b.entries(model.EventReportPromoted)); n != 10 {
		t.Errorf("%d reports, want 10", n)
	}
	oneTurnAtATime(t, b)
}

// oneTurnAtATime checks in the journal that no agent's turns overlap.
func oneTurnAtATime(t *testing.T, b *bench) {
	t.Helper()
	running, last := map[model.AgentID]int{}, map[model.AgentID]int{}
	b.view(func(r model.Reader) {
		for _, e := range r.History("", model.Position{}, 100_000) {
			var n model.TurnNews
			if e.Kind != model.EventTurnStarted && e.Kind != model.EventTurnEnded {
				continue
			}
			if err := json.Unmarshal(e.Data, &n); err != nil {
				t.Fatal(err)
			}
			switch {
			case e.Kind == model.EventTurnStarted && (running[e.AgentID] != 0 || n.Turn != last[e.AgentID]+1):
				t.Errorf("turn %d of %s started while %d ran, after %d", n.Turn, e.AgentID, running[e.AgentID], last[e.AgentID])
			case e.Kind == model.EventTurnEnded && running[e.AgentID] != n.Turn:
				t.Errorf("turn %d of %s ended while %d ran", n.Turn, e.AgentID, running[e.AgentID])
			}
			running[e.AgentID], last[e.AgentID] = 0, n.Turn
			if e.Kind == model.EventTurnStarted {
				running[e.AgentID] = n.Turn
			}
		}
	})
}
