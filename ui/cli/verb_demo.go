package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

func demoVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Example: "vise demo",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand at the beginning.",
	}
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) { return openDemo(e) })
}

func openDemo(e *Env) (answer, error) {
	var stop func()
	e.Context, stop = context.WithCancel(e.Context)
	defer stop()
	r := newConsoleRun(e)
	r.isDemo = true
	defer r.close()
	session, h, err := r.demo()
	if err != nil {
		return answer{}, err
	}
	if !e.flags.json && e.ttyIn && e.ttyOut {
		o := r.options()
		o.Session = session
		return answer{}, showConsole(e, o)
	}
	out := status{Home: "DEMO", Exists: true}
	err = h.View(e, func(r model.Reader) error {
		out.Revision, out.Agents, out.inbox = r.Revision(), gists(e, r, ""), inbox(e, r)
		out.NeedsYou = len(out.inbox)
		return nil
	})
	return answer{data: out, text: func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(agentList{out.Agents})
	}}, err
}

// demo returns a session on a ledger in memory, on which scripted agents begin to act. Its plan files are in a private directory, which is
// removed with it.
func (r *consoleRun) demo() (console.Session, *home.Home, error) {
	dir, err := os.MkdirTemp("", "vise-demo-")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, func() { os.RemoveAll(dir) })
	copies, err := files.NewHome(dir)
	if err != nil {
		return console.Session{}, nil, err
	}
	ledger := store.NewMem(copies)
	h := home.On(ledger, copies, home.Options{Now: r.now, Dir: dir})
	w := demoWorld{
		Ledger: h, Now: r.now, Sleep: sleep, SetClock: func(now func() time.Time) { ledger.Now = now },
		WritePlan: func(agent model.AgentID, id model.ItemID, text string) error {
			return files.WriteAtomic(copies.PlanPath(agent, id), []byte(text))
		},
	}
	if err := w.prepare(r); err != nil {
		return console.Session{}, nil, err
	}
	plans, err := watchPlans(r, h, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, plans.close)
	r.home = h
	ctx, stop := context.WithCancel(r)
	r.running.Go(func() { _ = w.play(ctx, demoScript()) })
	r.atEnd = append(r.atEnd, func() { stop(); r.running.Wait() })
	return console.Session{
		Ledger: h, Plans: plans, Drafts: newDrafts(dir), EditBuffers: newEdits(h), SeenPlans: newSeenPlans(dir), Saves: h, Demo: true,
		Memo: &console.Memo{View: "fleet", Agent: mainAgent},
	}, h, nil
}

// demoWorld is what the demo acts on.
type demoWorld struct {
	Ledger interface {
		Apply(context.Context, model.Envelope) (model.Receipt, error)
	}
	// WritePlan replaces an item's plan file, as an agent's editor would.
	WritePlan func(model.AgentID, model.ItemID, string) error
	Now       func() time.Time
	// SetClock replaces the ledger's clock.
	SetClock func(func() time.Time)
	// Sleep waits, or returns the context's error.
	Sleep func(context.Context, time.Duration) error
}

// demoAct is one act of an agent or of somebody else.
type demoAct struct {
	// After is the pause after the previous act.
	After time.Duration
	Agent model.AgentID
	// By is the actor, if it is not the agent itself.
	By      model.Actor
	Command model.Command
	// Item is the item whose plan file is replaced by the text that Plan names. If Plan is empty, the file stays.
	Item model.ItemID
	Plan string
}

// prepare makes the agents with their past, the last hour act by act. It does not wait between the acts.
func (w demoWorld) prepare(ctx context.Context) error {
	begin := w.Now().Add(-demoPast)
	now := begin
	w.SetClock(func() time.Time { return now })
	defer w.SetClock(w.Now)
	for i, in := range demoPrologue(begin) {
		if _, err := w.Ledger.Apply(ctx, model.Envelope{Key: fmt.Sprintf("prologue-%d", i), Actor: model.Operator,
			Command: in}); err != nil {
			return fmt.Errorf("demo: agent %s: %w", in.AgentID, err)
		}
	}
	for i, act := range demoHour() {
		now = begin.Add(act.After)
		if err := w.perform(ctx, fmt.Sprintf("hour-%d", i), act); err != nil {
			return fmt.Errorf("demo: act %d of the hour before: %w", i+1, err)
		}
	}
	return nil
}

// play performs the acts. A refusal is not an error: the operator can change the same items, and play continues.
func (w demoWorld) play(ctx context.Context, acts []demoAct) error {
	for i, act := range acts {
		if err := w.Sleep(ctx, act.After); err != nil {
			return err
		}
		if err := w.perform(ctx, fmt.Sprintf("act-%d", i), act); err != nil {
			return fmt.Errorf("demo: act %d: %w", i+1, err)
		}
	}
	return nil
}

func (w demoWorld) perform(ctx context.Context, key string, act demoAct) error {
	if act.Plan != "" {
		if err := w.WritePlan(act.Agent, act.Item, demoText(act.Plan).Raw()); err != nil { // raw: to a file
			return err
		}
	}
	if act.Command == nil {
		return nil
	}
	by := act.By
	if by == "" {
		by = model.AgentActor(act.Agent)
	}
	_, err := w.Ledger.Apply(ctx, model.Envelope{Key: key, Actor: by, Agent: act.Agent, Command: act.Command})
	var refused *model.Error
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// demoScript returns about five minutes of work of three agents.
func demoScript() []demoAct {
	s := time.Second
	return []demoAct{
		{After: 6 * s, Agent: mainAgent, Item: "wi-limiter", Plan: "limiter-burst"},
		{After: 7 * s, Agent: mainAgent, Command: model.Trigger{WorkItemID: "wi-retry", Source: "ci.github", Payload: "run 8812 succeeded"},
			By: "external:ci"},
		{After: 8 * s, Agent: ciAgent, Command: checklist("wi-matrix", "x Drop go 1.24", "x Merge lint jobs", "~ Cache modules")},
		{After: 9 * s, Agent: mainAgent, Item: "wi-limiter", Plan: "limiter-tests",
			Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway", "x Write limiter contract tests",
				"~ Replay traffic", "Update runbook")},
		{After: 7 * s, Agent: docsAgent, Command: model.PickWorkItem{WorkItemID: "wi-rollout"}},
		{After: 9 * s, Agent: docsAgent, Item: "wi-rollout", Plan: "rollout",
			Command: checklist("wi-rollout", "x Outline", "~ Metrics to watch", "Rollback")},
		{After: 8 * s, Agent: ciAgent, Command: checklist("wi-warm", "Save on main", "Restore in pull requests")},
		{After: 10 * s, Agent: mainAgent, Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway",
			"x Write limiter contract tests", "x Replay traffic", "~ Update runbook")},
		{After: 6 * s, Agent: ciAgent, Command: model.Round{
			Text: "Lint is one job, Go 1.24 is gone, modules are cached: a pull request takes 4m10s instead of 11m.",
			Calls: calls(checklist("wi-matrix", "x Drop go 1.24", "x Merge lint jobs", "x Cache modules"),
				model.CompleteWorkItem{WorkItemID: "wi-matrix"})}},
		{After: 6 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "wi-warm", Reason: "the cache is fresh in mind"}},
		{After: 10 * s, Agent: docsAgent, Command: model.WaitFor{
			WorkItemID: "wi-rollout", Wake: model.WakeOperatorInput, Reason: "which metrics page to link",
			Question: "Link the public status page or the internal dashboard?", Choices: []model.Text{"public", "internal", "both"}}},
		{After: 8 * s, Agent: mainAgent, Command: model.Round{
			Text: "The limiter lives in package limit, without HTTP imports. Headers of 24 h of replayed traffic are byte-identical; " +
				"contract tests pass with -race. The runbook has the new metric names.",
			Calls: calls(model.CompleteWorkItem{WorkItemID: "wi-limiter"})}},
		{After: 7 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-retry", ClearBlocker: true,
			Reason: "CI run 8812 is green"}},
		{After: 9 * s, Agent: ciAgent, Command: checklist("wi-warm", "x Save on main", "~ Restore in pull requests")},
		{After: 8 * s, Agent: mainAgent, Command: model.Round{
			Text: "PR #341 is merged. Retries are at most 10 % of the last minute's requests; the budget is a metric.",
			Calls: calls(checklist("wi-retry", "x Budget type", "x Wire into client", "x Merge"),
				model.CompleteWorkItem{WorkItemID: "wi-retry"})}},
		{After: 8 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-jitter"}},
		{After: 9 * s, Agent: mainAgent, Item: "wi-jitter", Plan: "jitter-done",
			Command: checklist("wi-jitter", "x Full jitter", "~ Measure the herd test")},
		{After: 9 * s, Agent: ciAgent, Command: model.WaitFor{WorkItemID: "wi-warm", Wake: model.WakeExternal, Reason: "CI run 8830",
			Resource: "github:acme/gateway#344", Source: "ci.github", RecheckAfterMS: minutes(60)}},
		{After: 8 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "wi-repro"}},
		{After: 10 * s, Agent: mainAgent, Command: model.CreateWorkItem{Objective: "Per-tenant quotas on top of the limiter",
			PlanStatus: model.NeedsInput,
			Plan:       "# Quotas\n\nWho sets them: the tenant's admin, or we?\n"}},
		{After: 12 * s, Agent: ciAgent, Command: model.Trigger{WorkItemID: "wi-warm", Source: "ci.github",
			Payload: "run 8830 failed: restore key not found"}, By: "external:ci"},
		{After: 9 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "wi-warm", Reason: "CI run 8830 failed"}},
		{After: 9 * s, Agent: mainAgent, Command: checklist("wi-jitter", "x Full jitter", "x Measure the herd test")},
		{After: 6 * s, Agent: mainAgent, Command: model.Round{
			Text:  "Backoff uses full jitter. The thundering herd test's p99 went from 2.4 s to 0.6 s.",
			Calls: calls(model.CompleteWorkItem{WorkItemID: "wi-jitter"})}},
		{After: 8 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-flags"}},
		{After: 10 * s, Agent: mainAgent, Command: checklist("wi-flags", "~ List flags older than 90 days", "Remove readers",
			"Remove writers")},
	}
}

// checklist replaces an item's todos.
func checklist(id model.ItemID, list ...string) model.Command {
	l := checklistOf(list...)
	return model.UpdateWorkItem{WorkItemID: id, TodoList: &l}
}

func calls(list ...model.Command) []model.Call {
	out := make([]model.Call, len(list))
	for i, c := range list {
		out[i] = model.Call{Command: c}
	}
	return out
}

func minutes(n int64) *int64 {
	ms := n * time.Minute.Milliseconds()
	return &ms
}

// demoTexts are the plans of the demo's items, and their changes during the demo.
//
//go:embed demo
var demoTexts embed.FS

func demoText(name string) model.Text {
	raw, _ := demoTexts.ReadFile("demo/" + name + ".md")
	return model.Text(raw)
}
