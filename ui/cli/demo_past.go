package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
)

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
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	return []model.Import{
		{AgentID: mainAgent, Focus: "wi-auth", Items: []model.Imported{
			{Item: item("wi-limiter", "Split rate limiter out of gateway", model.Ready, ago(5*time.Hour), ago(3*time.Hour),
				"x Extract interface", "~ Move bucket", "Compile gateway", "Write limiter contract tests", "Replay traffic",
				"Update runbook"), Plan: demoText("limiter")},
			{Item: blocked(item("wi-retry", "Land retry budget PR", model.Ready, ago(2*day), ago(3*time.Hour), "x Budget type",
				"x Wire into client", "Merge"), "CI run 8812 on PR #341"), Plan: demoText("retry")},
			{Item: item("wi-cache", "Pick cache eviction policy", model.Draft, ago(day), ago(4*time.Hour)),
				Plan: demoText("cache")},
			{Item: item("wi-jitter", "Add jitter to backoff", model.Draft, ago(3*day), ago(2*time.Hour)), Plan: demoText("jitter")},
			{Item: item("wi-flags", "Delete dead feature flags", model.Ready, ago(3*day), ago(150*time.Minute),
				"List flags older than 90 days", "Remove readers", "Remove writers")},
			{Item: item("wi-header", "Reproduce 日本語 header bug", model.Draft, ago(day), ago(time.Hour))},
			{Item: blocked(item("wi-keys", "Rotate signing keys", model.Ready, ago(4*day), ago(2*day)), "ops must open the change window")},
			{Item: item("wi-auth", "Fix flaky auth test", model.Ready, ago(day), ago(time.Hour), "x Reproduce under -race",
				"x Fix")},
			{Item: done(item("wi-go", "Bump go to 1.26", model.Ready, ago(day), ago(time.Hour), "x Bump", "x CI green"),
				"go.mod, CI images and the dev container are on 1.26; all tests pass.")},
			{Item: done(item("wi-proto", "Remove unused proto", model.Draft, ago(2*day), ago(3*time.Hour)), "")},
		}, Waits: []model.Wait{
			wait("wt-retry", "wi-retry", model.WaitExternal, "CI run 8812 on PR #341", "github:acme/gateway#341", "ci.github",
				ago(3*time.Hour)),
		}},
		{AgentID: ciAgent, Focus: "wi-matrix", Items: []model.Imported{
			{Item: item("wi-matrix", "Tidy CI matrix", model.Ready, ago(6*time.Hour), ago(2*time.Hour), "~ Drop go 1.24",
				"Merge lint jobs", "Cache modules"), Plan: demoText("matrix")},
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
		{AgentID: apiAgent, Focus: "wi-guide", Items: []model.Imported{
			{Item: item("wi-guide", "Write the guide to the public API", model.Ready, ago(7*time.Hour), ago(time.Hour),
				"x Authentication", "~ Paging", "Errors"), Plan: demoText("guide")},
		}},
		{AgentID: webAgent, Focus: "wi-proxy", Items: []model.Imported{
			{Item: item("wi-proxy", "Serve the assets through the proxy", model.Ready, ago(6*time.Hour), ago(2*time.Hour), "x Routes",
				"x Headers", "Land")},
			{Item: item("wi-image", "Pin the proxy's image", model.Ready, ago(4*time.Hour), ago(2*time.Hour))},
		}},
		{AgentID: qaAgent, Focus: "wi-browser", Items: []model.Imported{
			{Item: item("wi-browser", "Run the checkout tests in three browsers", model.Ready, ago(5*time.Hour), ago(3*time.Hour),
				"Chromium", "Firefox", "WebKit")},
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
	m, needsInput := time.Minute, model.NeedsInput
	out = append(out, []demoAct{
		{After: 15 * m, Agent: mainAgent, Command: model.Round{Text: demoText("auth-report"),
			Calls: calls(model.CompleteWorkItem{WorkItemID: "wi-auth"})}},
		{After: 16 * m, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-limiter"}},
		{After: 24 * m, Agent: mainAgent, Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "~ Compile gateway",
			"Write limiter contract tests", "Replay traffic", "Update runbook")},
		{After: 35 * m, Agent: mainAgent, Command: model.UpdateWorkItem{WorkItemID: "wi-cache", PlanStatus: &needsInput}},
		{After: 35 * m, Agent: mainAgent, Command: model.WaitFor{WorkItemID: "wi-cache", Wake: model.WakeOperatorInput,
			Reason: "LRU or LFU for the plan cache?", Question: "LRU or LFU for the plan cache?",
			Choices: []model.Text{"LRU", "LFU", "measure first"}}},
		{After: 48 * m, Agent: mainAgent, Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway",
			"~ Write limiter contract tests", "Replay traffic", "Update runbook")},
		{After: 14 * m, Agent: ciAgent, Command: checklist("wi-matrix", "x Drop go 1.24", "~ Merge lint jobs", "Cache modules")},
		{After: 34*m + 30*time.Second, Agent: apiAgent, Command: model.WaitFor{WorkItemID: "wi-guide", Wake: model.WakeOperatorInput,
			Reason: "2.9 or 3.0?", Question: "Is the guide for 2.9 or 3.0?", Choices: []model.Text{"2.9", "3.0", "both"}}},
		{After: 14*m + 20*time.Second, Agent: webAgent, Command: model.CompleteWorkItem{WorkItemID: "wi-image"}},
		{After: 14*m + 20*time.Second, Agent: webAgent, Command: model.ReportWorkItem{WorkItemID: "wi-image",
			Text: "The proxy's image is pinned by its digest; the next release is the first with it."}},
		{After: 15*m + 40*time.Second, Agent: webAgent, Command: model.WaitFor{WorkItemID: "wi-proxy", Wake: model.WakeExternal,
			Reason: "CI run 8799", Resource: "github:acme/web#88", Source: "ci.github", RecheckAfterMS: minutes(120)}},
		{After: 45 * m, Agent: webAgent, By: "external:ci", Command: model.Trigger{WorkItemID: "wi-proxy", Source: "ci.github",
			Payload: "CI passed"}},
	}...)
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
