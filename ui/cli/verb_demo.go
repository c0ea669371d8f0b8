package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

func (a *app) demoVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Example: "vise demo",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand at the beginning.",
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.openDemo(ctx) })
}

func (a *app) openDemo(ctx context.Context) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &consoleRun{app: a, ctx: ctx}
	defer r.close()
	session, h, err := r.demo()
	if err != nil {
		return answer{}, err
	}
	if !a.flags.json && a.ttyIn && a.ttyOut {
		o := r.options()
		o.Session = session
		return answer{}, showConsole(ctx, o)
	}
	out := status{Home: "DEMO", Exists: true}
	err = h.View(ctx, func(r model.Reader) error {
		out.Revision, out.Agents, out.inbox = r.Revision(), a.gists(r, ""), a.inbox(r)
		out.NeedsYou = len(out.inbox)
		return nil
	})
	return answer{data: out, text: func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(agentList{out.Agents})
	}}, err
}

// demo is a session on a ledger in memory, on which scripted agents begin to play. Its
// plan files lie in a private directory that goes with it.
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
	h := home.On(store.NewMem(copies), copies, home.Options{Now: r.now, Dir: dir})
	w := demoWorld{
		Ledger: h, Now: r.now, Sleep: sleep,
		WritePlan: func(agent model.AgentID, id model.ItemID, text string) error {
			return files.WriteAtomic(copies.PlanPath(agent, id), []byte(text))
		},
	}
	if err := w.prepare(r.ctx); err != nil {
		return console.Session{}, nil, err
	}
	plans, err := watchPlans(r.ctx, h, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, plans.close)
	r.home = h
	ctx, stop := context.WithCancel(r.ctx)
	r.running.Go(func() { _ = w.play(ctx, demoScript()) })
	r.atEnd = append(r.atEnd, func() { stop(); r.running.Wait() })
	return console.Session{
		Ledger: h, Plans: plans, Drafts: newDrafts(dir), EditBuffers: newEdits(h), SeenPlans: newSeenPlans(dir), Saves: h, Demo: true,
	}, h, nil
}

// demoWorld is where the play takes place.
type demoWorld struct {
	Ledger interface {
		Apply(context.Context, model.Envelope) (model.Receipt, error)
	}
	// WritePlan replaces an item's plan file, as an agent's editor would.
	WritePlan func(model.AgentID, model.ItemID, string) error
	Now       func() time.Time
	// Sleep waits, or returns the context's error.
	Sleep func(context.Context, time.Duration) error
}

// demoAct is one thing that somebody does.
type demoAct struct {
	// After is the pause since the act before.
	After time.Duration
	Agent model.AgentID
	// By is who acts, if not the agent itself.
	By      model.Actor
	Command model.Command
	// Item's plan file is replaced by the text that Plan names; empty: it stays.
	Item model.ItemID
	Plan string
}

// prepare makes the agents with what they have done so far. It is over at once.
func (w demoWorld) prepare(ctx context.Context) error {
	for i, in := range demoPrologue(w.Now()) {
		if _, err := w.Ledger.Apply(ctx, model.Envelope{Key: fmt.Sprintf("prologue-%d", i), Actor: model.Operator,
			Command: in}); err != nil {
			return fmt.Errorf("demo: agent %s: %w", in.AgentID, err)
		}
	}
	return nil
}

// play performs the acts. A refusal is no error: the operator is free to do as they like
// with the same items, and the play goes on around it.
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

// demoScript is about five minutes of three agents at work.
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

// The agents of the demo.
const (
	mainAgent model.AgentID = "claude-main"
	ciAgent   model.AgentID = "codex-ci"
	docsAgent model.AgentID = "opencode-docs"
)

// demoPrologue is what the agents did before the demo begins: so many days, hours and minutes ago.
func demoPrologue(now time.Time) []model.Import {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	return []model.Import{
		{AgentID: mainAgent, Focus: "wi-limiter", Items: []model.Imported{
			{Item: item("wi-limiter", "Split rate limiter out of gateway", model.Ready, ago(5*time.Hour), ago(14*time.Minute),
				"x Extract interface", "x Move bucket", "x Compile gateway", "~ Write limiter contract tests", "Replay traffic",
				"Update runbook"), Plan: demoText("limiter")},
			{Item: blocked(item("wi-retry", "Land retry budget PR", model.Ready, ago(2*day), ago(3*time.Hour), "x Budget type",
				"x Wire into client", "Merge"), "CI run 8812 on PR #341"), Plan: demoText("retry")},
			{Item: item("wi-cache", "Pick cache eviction policy", model.NeedsInput, ago(day), ago(27*time.Minute)),
				Plan: demoText("cache")},
			{Item: item("wi-jitter", "Add jitter to backoff", model.Draft, ago(3*day), ago(2*time.Hour)), Plan: demoText("jitter")},
			{Item: item("wi-flags", "Delete dead feature flags", model.Ready, ago(3*day), ago(150*time.Minute),
				"List flags older than 90 days", "Remove readers", "Remove writers")},
			{Item: item("wi-header", "Reproduce 日本語 header bug", model.Draft, ago(day), ago(time.Hour))},
			{Item: blocked(item("wi-keys", "Rotate signing keys", model.Ready, ago(4*day), ago(2*day)), "ops must open the change window")},
			{Item: done(item("wi-auth", "Fix flaky auth test", model.Ready, ago(day), ago(44*time.Minute), "x Reproduce under -race",
				"x Fix"), demoText("auth-report"))},
			{Item: done(item("wi-go", "Bump go to 1.26", model.Ready, ago(day), ago(time.Hour), "x Bump", "x CI green"),
				"go.mod, CI images and the dev container are on 1.26; all tests pass.")},
			{Item: done(item("wi-proto", "Remove unused proto", model.Draft, ago(2*day), ago(3*time.Hour)), "")},
		}, Waits: []model.Wait{
			wait("wt-retry", "wi-retry", model.WaitExternal, "CI run 8812 on PR #341", "github:acme/gateway#341", "ci.github",
				ago(3*time.Hour)),
			question("wt-cache", "wi-cache", "LRU or LFU for the plan cache?", ago(27*time.Minute), "LRU", "LFU", "measure first"),
		}},
		{AgentID: ciAgent, Focus: "wi-matrix", Items: []model.Imported{
			{Item: item("wi-matrix", "Tidy CI matrix", model.Ready, ago(6*time.Hour), ago(9*time.Minute), "x Drop go 1.24",
				"~ Merge lint jobs", "Cache modules"), Plan: demoText("matrix")},
			{Item: item("wi-repro", "Make release builds reproducible", model.Draft, ago(day), ago(5*time.Hour))},
			{Item: item("wi-warm", "Warm the module cache in CI", model.Draft, ago(5*time.Hour), ago(4*time.Hour)),
				Plan: "# Warm cache\n\nSave it on main, restore it everywhere.\n"},
			{Item: blocked(item("wi-sdk", "Ship SDK 2.0", model.Ready, ago(5*day), ago(day)), "legal: licence of the vendored parser")},
		}},
		{AgentID: docsAgent, Items: []model.Imported{
			{Item: item("wi-rollout", "Document limiter rollout", model.Draft, ago(8*time.Hour), ago(3*time.Hour), "Outline",
				"Metrics to watch", "Rollback")},
			{Item: done(item("wi-faq", "Answer the ten open FAQ tickets", model.Ready, ago(2*day), ago(4*time.Hour), "x Ten answers"),
				"Ten tickets answered; three became pages.")},
		}},
	}
}

func item(id model.ItemID, objective model.Text, status model.PlanStatus, created, updated time.Time, list ...string) model.WorkItem {
	return model.WorkItem{ID: id, Objective: objective, State: model.Open, PlanStatus: status, TodoList: checklistOf(list...),
		CreatedAt: created, UpdatedAt: updated}
}

func blocked(w model.WorkItem, by model.Text) model.WorkItem {
	w.BlockedBy = by
	w.RecheckAt = w.UpdatedAt.Add(7 * 24 * time.Hour)
	return w
}

func done(w model.WorkItem, report model.Text) model.WorkItem {
	w.State, w.ResultSummary = model.Completed, report
	return w
}

func wait(id model.WaitID, item model.ItemID, kind model.WaitKind, reason, resource, source model.Text, at time.Time) model.Wait {
	return model.Wait{ID: id, WorkItemID: item, Status: model.WaitActive, Kind: kind, Reason: reason, Resource: resource, Source: source,
		Deliver: model.DeliverWakeHint, CreatedAt: at, UpdatedAt: at}
}

func question(id model.WaitID, item model.ItemID, asks model.Text, at time.Time, choices ...model.Text) model.Wait {
	x := wait(id, item, model.WaitOperator, asks, "", "", at)
	x.Ask = model.Ask{Question: asks, Choices: choices}
	return x
}

// checklistOf spells a checklist: "x " is completed, "~ " in progress, anything else pending.
func checklistOf(list ...string) []model.Todo {
	var out []model.Todo
	for _, line := range list {
		t := model.Todo{Text: model.Text(line), State: model.TodoPending}
		if rest, ok := strings.CutPrefix(line, "x "); ok {
			t = model.Todo{Text: model.Text(rest), State: model.TodoCompleted}
		} else if rest, ok := strings.CutPrefix(line, "~ "); ok {
			t = model.Todo{Text: model.Text(rest), State: model.TodoInProgress}
		}
		out = append(out, t)
	}
	return out
}

// demoTexts are the plans of the demo's items, and how they change while it plays.
//
//go:embed demo
var demoTexts embed.FS

func demoText(name string) model.Text {
	raw, _ := demoTexts.ReadFile("demo/" + name + ".md")
	return model.Text(raw)
}
