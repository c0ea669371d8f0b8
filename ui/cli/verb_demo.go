package cli

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
	"vise/ui/console/screen"
)

func demoVerb() verb {
	return verb{
		use: "demo", short: "Open the console on scripted agents; nothing is saved",
		long: `demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.
Without a terminal it says how things stand at the beginning.`,
		example: "vise admin demo",
		run:     openDemo,
	}
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
		return nil, err
	}
	if !e.flags.json && e.ttyIn && e.ttyOut {
		o := r.options()
		o.Session = session
		return nil, showConsole(e, o)
	}
	out := status{Home: "DEMO"}
	e.agent = ""
	err = out.read(e, h)
	return answered(out, func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(agentList{out.Agents})
	}), err
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
		apply: h.Apply, pause: home.Pause, setClock: func(now func() time.Time) { ledger.Now = now },
		write: func(x demoAct) error {
			return files.WriteAtomic(copies.PlanPath(x.Agent, x.Item), []byte(demoText(x.Plan).Raw())) // raw: to a file
		},
	}
	if err := w.prepare(r, r.now); err != nil {
		return console.Session{}, nil, err
	}
	plans, err := watchPlans(r, h, r.hosts, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, plans.watch.Close)
	r.home = h
	live := newDemoSession(h, r.now)
	r.atEnd = append(r.atEnd, beside(r, func(ctx context.Context) { _ = w.play(ctx, demoScript()) }, live.play, h.KeepPlans))
	return console.Session{
		Ledger: h, Plans: plans, Drafts: newDrafts(dir), EditBuffers: newEdits(h), SeenPlans: newSeenPlans(dir), Saves: h, Demo: true,
		Sessions: live, Memo: console.At(mainAgent, "wi-limiter", screen.TabSession),
	}, h, nil
}

// demoWorld is what the demo acts on.
type demoWorld struct {
	apply func(context.Context, model.Envelope) (model.Receipt, error)
	// write replaces an item's plan file, as an agent's editor would.
	write func(demoAct) error
	// setClock replaces the ledger's clock.
	setClock func(func() time.Time)
	// pause waits, or returns the context's error.
	pause func(context.Context, time.Duration) error
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
func (w demoWorld) prepare(ctx context.Context, clock func() time.Time) error {
	begin := clock().Add(-demoPast)
	now := begin
	w.setClock(func() time.Time { return now })
	defer w.setClock(clock)
	var acts []demoAct
	for _, in := range demoPrologue(begin) {
		acts = append(acts, act(0, in.AgentID, in).by(model.Operator))
	}
	w.pause = func(_ context.Context, at time.Duration) error { now = begin.Add(at); return nil }
	return w.play(ctx, append(acts, demoHour()...))
}

// play performs acts, each after its pause. A refusal is not an error: the operator can change the same items, and play continues.
func (w demoWorld) play(ctx context.Context, acts []demoAct) error {
	for i, x := range acts {
		err := w.pause(ctx, x.After)
		if err == nil && x.Plan != "" {
			err = w.write(x)
		}
		if err == nil && x.Command != nil {
			_, err = w.apply(ctx, model.Envelope{Key: home.NewKey(), Actor: cmp.Or(x.By, model.AgentActor(x.Agent)), Agent: x.Agent,
				Command: x.Command})
		}
		if err != nil && model.AsError(err) == nil {
			return fmt.Errorf("demo: act %d of %s: %w", i+1, x.Agent, err)
		}
	}
	return nil
}

// demoScript returns about four minutes of work of three agents.
func demoScript() []demoAct {
	return []demoAct{
		act(6, mainAgent, nil).writes("wi-limiter", "limiter-burst"),
		act(8, mainAgent, tells("wi-retry", "run 8812 succeeded")).by("external:ci"),
		act(10, ciAgent, checklist("wi-matrix", "x Drop go 1.24", "x Merge lint jobs", "~ Cache modules")),
		act(12, mainAgent, checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway",
			"x Write limiter contract tests", "~ Replay traffic", "Update runbook")).writes("wi-limiter", "limiter-tests"),
		act(10, docsAgent, picks("wi-rollout", "")),
		act(12, docsAgent, checklist("wi-rollout", "x Outline", "~ Metrics to watch", "Rollback")).writes("wi-rollout", "rollout-outline"),
		act(16, ciAgent, completes("wi-matrix",
			"Lint is one job, Go 1.24 is gone, modules are cached: a pull request takes 4m10s instead of 11m.")),
		act(8, ciAgent, picks("wi-warm", "the cache is fresh in mind")),
		act(14, docsAgent, asks("wi-rollout", "which metrics page to link", "Link the public status page or the internal dashboard?",
			"public", "internal", "both")),
		act(12, mainAgent, completes("wi-limiter",
			"The limiter lives in package limit, without HTTP imports. Headers of 24 h of replayed traffic are byte-identical; "+
				"contract tests pass with -race. The runbook has the new metric names.")),
		act(10, mainAgent, model.PickWorkItem{WorkItemID: "wi-retry", ClearBlocker: true, Reason: "CI run 8812 is green"}),
		act(16, mainAgent, completes("wi-retry",
			"PR #341 is merged. Retries are at most 10 % of the last minute's requests; the budget is a metric.")),
		act(10, mainAgent, picks("wi-jitter", "")),
		act(12, ciAgent, awaits("wi-warm", "CI run 8830", "github:acme/gateway#344", 60)),
		act(14, mainAgent, nil).writes("wi-jitter", "jitter-done"),
		act(12, mainAgent, completes("wi-jitter",
			"Backoff uses full jitter. The thundering herd test's p99 went from 2.4 s to 0.6 s.")),
		act(10, ciAgent, tells("wi-warm", "run 8830 failed: restore key not found")).by("external:ci"),
		act(12, mainAgent, picks("wi-flags", "")),
	}
}

// act is a command of an agent, some seconds after the previous act.
func act(seconds int, agent model.AgentID, c model.Command) demoAct {
	return demoAct{After: time.Duration(seconds) * time.Second, Agent: agent, Command: c}
}

func (x demoAct) by(who model.Actor) demoAct {
	x.By = who
	return x
}

func (x demoAct) writes(id model.ItemID, plan string) demoAct {
	x.Item, x.Plan = id, plan
	return x
}

// checklist replaces an item's todos.
func checklist(id model.ItemID, list ...string) model.Command {
	l := checklistOf(list...)
	return model.UpdateWorkItem{WorkItemID: id, TodoList: &l}
}

func picks(id model.ItemID, reason model.Text) model.Command {
	return model.PickWorkItem{WorkItemID: id, Reason: reason}
}

// completes completes an item with a report.
func completes(id model.ItemID, report model.Text) model.Command {
	return model.Round{Text: report, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}}
}

func asks(id model.ItemID, reason, question model.Text, choices ...model.Text) model.Command {
	return model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: reason, Question: question, Choices: choices}
}

func awaits(id model.ItemID, reason, resource model.Text, minutes int64) model.Command {
	return model.WaitFor{WorkItemID: id, Wake: model.WakeExternal, Reason: reason, Resource: resource, Source: "ci.github",
		RecheckAfterMS: new(minutes * time.Minute.Milliseconds())}
}

func tells(id model.ItemID, payload model.Text) model.Command {
	return model.Trigger{WorkItemID: id, Source: "ci.github", Payload: payload}
}

// demoTexts are the plans of the demo's items, and their changes during the demo.
//
//go:embed demo
var demoTexts embed.FS

func demoText(name string) model.Text {
	raw, _ := demoTexts.ReadFile("demo/" + name + ".md")
	return model.Text(raw)
}

// The agents of the demo.
const (
	mainAgent model.AgentID = "claude-main"
	ciAgent   model.AgentID = "codex-ci"
	docsAgent model.AgentID = "opencode-docs"
	apiAgent  model.AgentID = "crush-api"
	webAgent  model.AgentID = "codex-web"
	qaAgent   model.AgentID = "gemini-qa"
)

// demoPrologue is what the agents did before the hour that precedes the demo.
func demoPrologue(now time.Time) []model.Import {
	d := demoPastOf{now}
	const day = 24
	return []model.Import{
		{AgentID: mainAgent, Focus: "wi-auth", Items: []model.Imported{
			d.item("wi-limiter", "Split rate limiter out of gateway", model.Ready, 5, 3, "x Extract interface", "~ Move bucket",
				"Compile gateway", "Write limiter contract tests", "Replay traffic", "Update runbook"),
			blocked("CI run 8812 on PR #341",
				d.item("wi-retry", "Land retry budget PR", model.Ready, 2*day, 3, "x Budget type", "x Wire into client", "Merge")),
			d.item("wi-cache", "Pick cache eviction policy", model.Draft, day, 4),
			d.item("wi-jitter", "Add jitter to backoff", model.Draft, 3*day, 2),
			d.item("wi-flags", "Delete dead feature flags", model.Ready, 3*day, 2.5, "List flags older than 90 days", "Remove readers",
				"Remove writers"),
			d.item("wi-header", "Reproduce 日本語 header bug", model.Draft, day, 1),
			blocked("ops must open the change window", d.item("wi-keys", "Rotate signing keys", model.Ready, 4*day, 2*day)),
			d.item("wi-auth", "Fix flaky auth test", model.Ready, day, 1, "x Reproduce under -race", "x Fix"),
			done("go.mod, CI images and the dev container are on 1.26; all tests pass.",
				d.item("wi-go", "Bump go to 1.26", model.Ready, day, 1, "x Bump", "x CI green")),
			done("", d.item("wi-proto", "Remove unused proto", model.Draft, 2*day, 3)),
		}, Waits: []model.Wait{{
			ID: "wt-retry", WorkItemID: "wi-retry", Status: model.WaitActive, Kind: model.WaitExternal, Reason: "CI run 8812 on PR #341",
			Resource: "github:acme/gateway#341", Source: "ci.github", Deliver: model.DeliverWakeHint,
			CreatedAt: d.ago(3), UpdatedAt: d.ago(3),
		}}},
		{AgentID: ciAgent, Focus: "wi-matrix", Items: []model.Imported{
			d.item("wi-matrix", "Tidy CI matrix", model.Ready, 6, 2, "~ Drop go 1.24", "Merge lint jobs", "Cache modules"),
			d.item("wi-repro", "Make release builds reproducible", model.Draft, day, 5),
			d.item("wi-warm", "Warm the module cache in CI", model.Draft, 5, 4),
			blocked("legal: licence of the vendored parser", d.item("wi-sdk", "Ship SDK 2.0", model.Ready, 5*day, day)),
		}},
		{AgentID: docsAgent, Items: []model.Imported{
			d.item("wi-rollout", "Document limiter rollout", model.Draft, 8, 3, "Outline", "Metrics to watch", "Rollback"),
			done("Ten tickets answered; three became pages.",
				d.item("wi-faq", "Answer the ten open FAQ tickets", model.Ready, 2*day, 4, "x Ten answers")),
		}},
		{AgentID: apiAgent, Focus: "wi-guide", Items: []model.Imported{
			d.item("wi-guide", "Write the guide to the public API", model.Ready, 7, 1, "x Authentication", "~ Paging", "Errors"),
		}},
		{AgentID: webAgent, Focus: "wi-proxy", Items: []model.Imported{
			d.item("wi-proxy", "Serve the assets through the proxy", model.Ready, 6, 2, "x Routes", "x Headers", "Land"),
			d.item("wi-image", "Pin the proxy's image", model.Ready, 4, 2),
		}},
		{AgentID: qaAgent, Focus: "wi-browser", Items: []model.Imported{
			d.item("wi-browser", "Run the checkout tests in three browsers", model.Ready, 5, 3, "Chromium", "Firefox", "WebKit"),
		}},
	}
}

// demoPastOf makes items whose times are hours before now.
type demoPastOf struct{ now time.Time }

func (d demoPastOf) ago(hours float64) time.Time {
	return d.now.Add(-time.Duration(hours * float64(time.Hour)))
}

// item makes an item with the plan that is named after it, if there is one.
func (d demoPastOf) item(id, objective model.Text, status model.PlanStatus, created, updated float64, list ...string) model.Imported {
	return model.Imported{Plan: demoText(strings.TrimPrefix(id.Raw(), "wi-")), Item: model.WorkItem{ // raw: a name in the demo
		// raw: a name in the demo
		ID: model.ItemID(id), Objective: objective, State: model.Open, PlanStatus: status, TodoList: checklistOf(list...),
		CreatedAt: d.ago(created), UpdatedAt: d.ago(updated),
	}}
}

func blocked(by model.Text, x model.Imported) model.Imported {
	x.Item.BlockedBy, x.Item.RecheckAt = by, x.Item.UpdatedAt.Add(7*24*time.Hour)
	return x
}

func done(report model.Text, x model.Imported) model.Imported {
	x.Item.State, x.Item.ResultSummary = model.Completed, report
	return x
}

// checklistOf parses a checklist: "x " means completed, "~ " in progress, any other line pending.
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

// demoPast is how long before the demo its recorded past begins.
const demoPast = 62 * time.Minute

// demoTurns are the turns of the hour before the demo, one character a minute. A digit is the number of replies in that minute; adjacent
// digits are one turn. x is a turn that fails.
var demoTurns = map[model.AgentID]string{
	mainAgent: "..2254.3253..2453123.2534.2235423.122..3452.2354132.235421.23.",
	ciAgent:   "....1122.11..2321.....1123211.....12232...1123.1.......1232112",
	apiAgent:  "...2254253232.122453..122542343232............................",
	webAgent:  "....124532.1224..",
	qaAgent:   ".....2x..2x....3x........2x..",
}

// demoReplies are the agents' replies in that hour.
var demoReplies = []model.Text{"Reading the code around it.", "The tests run.", "One case is left.", "I look at the callers first."}

// demoHour returns the acts of that hour in order. After counts from its beginning.
func demoHour() (out []demoAct) {
	for agent, minutes := range demoTurns {
		out = append(out, turnsOf(agent, minutes)...)
	}
	out = append(out,
		act(15*60, mainAgent, completes("wi-auth", demoText("auth-report"))),
		act(16*60, mainAgent, picks("wi-limiter", "")),
		act(24*60, mainAgent, checklist("wi-limiter", "x Extract interface", "x Move bucket", "~ Compile gateway",
			"Write limiter contract tests", "Replay traffic", "Update runbook")),
		act(35*60, mainAgent, model.UpdateWorkItem{WorkItemID: "wi-cache", PlanStatus: new(model.NeedsInput)}),
		act(35*60, mainAgent, asks("wi-cache", "LRU or LFU for the plan cache?", "LRU or LFU for the plan cache?", "LRU", "LFU",
			"measure first")),
		act(48*60, mainAgent, checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway",
			"~ Write limiter contract tests", "Replay traffic", "Update runbook")),
		act(14*60, ciAgent, checklist("wi-matrix", "x Drop go 1.24", "~ Merge lint jobs", "Cache modules")),
		act(34*60+30, apiAgent, asks("wi-guide", "2.9 or 3.0?", "Is the guide for 2.9 or 3.0?", "2.9", "3.0", "both")),
		act(14*60+20, webAgent, model.CompleteWorkItem{WorkItemID: "wi-image"}),
		act(14*60+20, webAgent, model.ReportWorkItem{WorkItemID: "wi-image",
			Text: "The proxy's image is pinned by its digest; the next release is the first with it."}),
		act(15*60+40, webAgent, awaits("wi-proxy", "CI run 8799", "github:acme/web#88", 120)),
		act(45*60, webAgent, tells("wi-proxy", "CI passed")).by("external:ci"),
	)
	slices.SortStableFunc(out, func(a, b demoAct) int { return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.Agent, b.Agent)) })
	return out
}

// turnsOf returns an agent's turns, each with its replies and its usage.
func turnsOf(agent model.AgentID, minutes string) (out []demoAct) {
	turn, runs := 0, false
	add := func(after time.Duration, by model.Actor, c model.Command) {
		out = append(out, demoAct{After: after, Agent: agent, By: by, Command: c})
	}
	for i, x := range minutes {
		at := time.Duration(i) * time.Minute
		replies := strings.IndexRune("0123456789", x)
		if replies >= 0 && !runs {
			turn, runs = turn+1, true
			add(at, model.Scheduler, model.ClaimTurn{AgentID: agent, Holder: "vise drive", TTLMS: time.Hour.Milliseconds()})
		}
		for n := range replies {
			text := demoReplies[(i+n)%len(demoReplies)]
			add(at+time.Duration(n+1)*10*time.Second, "", model.Round{Text: text, Turn: turn})
		}
		if !runs || replies >= 0 {
			continue
		}
		runs = false
		end := model.EndTurn{AgentID: agent, Turn: turn, Outcome: model.TurnCompleted, Commit: fmt.Sprintf("%07x", 1+turn*7919*len(agent)),
			Usage: model.Usage{CostUSD: 0.06}}
		if x == 'x' {
			end = model.EndTurn{AgentID: agent, Turn: turn, Outcome: model.TurnFailed, Code: model.ProgramFailed,
				Reason: "model not found: gemini-9-pro"}
		}
		add(at, model.Scheduler, end)
	}
	return out
}
