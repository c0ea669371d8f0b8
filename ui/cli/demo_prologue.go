package cli

import (
	"strings"
	"time"

	"vise/model"
)

// The agents of the demo.
const (
	mainAgent model.AgentID = "claude-main"
	ciAgent   model.AgentID = "codex-ci"
	docsAgent model.AgentID = "opencode-docs"
)

// demoPrologue is what the agents did before the curtain: so many days, hours and minutes ago.
func demoPrologue(now time.Time) []model.Import {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	return []model.Import{
		{AgentID: mainAgent, Focus: "wi-limiter", Items: []model.Imported{
			{Item: item("wi-limiter", "Split rate limiter out of gateway", model.Ready, ago(5*time.Hour), ago(14*time.Minute),
				"x Extract interface", "x Move bucket", "x Compile gateway", "~ Write limiter contract tests", "Replay traffic", "Update runbook"), Plan: limiterPlan},
			{Item: blocked(item("wi-retry", "Land retry budget PR", model.Ready, ago(2*day), ago(3*time.Hour), "x Budget type", "x Wire into client", "Merge"), "CI run 8812 on PR #341"), Plan: retryPlan},
			{Item: item("wi-cache", "Pick cache eviction policy", model.NeedsInput, ago(day), ago(27*time.Minute)), Plan: cachePlan},
			{Item: item("wi-jitter", "Add jitter to backoff", model.Draft, ago(3*day), ago(2*time.Hour)), Plan: jitterPlan},
			{Item: item("wi-flags", "Delete dead feature flags", model.Ready, ago(3*day), ago(150*time.Minute), "List flags older than 90 days", "Remove readers", "Remove writers")},
			{Item: item("wi-header", "Reproduce 日本語 header bug", model.Draft, ago(day), ago(time.Hour))},
			{Item: blocked(item("wi-keys", "Rotate signing keys", model.Ready, ago(4*day), ago(2*day)), "ops must open the change window")},
			{Item: done(item("wi-auth", "Fix flaky auth test", model.Ready, ago(day), ago(44*time.Minute), "x Reproduce under -race", "x Fix"), authReport)},
			{Item: done(item("wi-go", "Bump go to 1.26", model.Ready, ago(day), ago(time.Hour), "x Bump", "x CI green"), "go.mod, CI images and the dev container are on 1.26; all tests pass.")},
			{Item: done(item("wi-proto", "Remove unused proto", model.Draft, ago(2*day), ago(3*time.Hour)), "")},
		}, Waits: []model.Wait{
			wait("wt-retry", "wi-retry", model.WaitExternal, "CI run 8812 on PR #341", "github:acme/gateway#341", "ci.github", ago(3*time.Hour)),
			question("wt-cache", "wi-cache", "LRU or LFU for the plan cache?", ago(27*time.Minute), "LRU", "LFU", "measure first"),
		}},
		{AgentID: ciAgent, Focus: "wi-matrix", Items: []model.Imported{
			{Item: item("wi-matrix", "Tidy CI matrix", model.Ready, ago(6*time.Hour), ago(9*time.Minute), "x Drop go 1.24", "~ Merge lint jobs", "Cache modules"), Plan: matrixPlan},
			{Item: item("wi-repro", "Make release builds reproducible", model.Draft, ago(day), ago(5*time.Hour))},
			{Item: blocked(item("wi-sdk", "Ship SDK 2.0", model.Ready, ago(5*day), ago(day)), "legal: licence of the vendored parser")},
		}},
		{AgentID: docsAgent, Items: []model.Imported{
			{Item: item("wi-rollout", "Document limiter rollout", model.Draft, ago(8*time.Hour), ago(3*time.Hour), "Outline", "Metrics to watch", "Rollback")},
			{Item: done(item("wi-faq", "Answer the ten open FAQ tickets", model.Ready, ago(2*day), ago(4*time.Hour), "x Ten answers"), "Ten tickets answered; three became pages.")},
		}},
	}
}

func item(id model.ItemID, objective model.Text, status model.PlanStatus, created, updated time.Time, list ...string) model.WorkItem {
	return model.WorkItem{ID: id, Objective: objective, State: model.Open, PlanStatus: status, TodoList: checklistOf(list...), CreatedAt: created, UpdatedAt: updated}
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
