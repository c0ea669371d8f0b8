package cli

import (
	"time"

	"vise/model"
)

// demoScript is about five calm minutes of three agents at work.
func demoScript() []demoAct {
	s := time.Second
	return []demoAct{
		{After: 6 * s, Agent: mainAgent, Item: "wi-limiter", Plan: limiterPlanBurst},
		{After: 7 * s, Agent: mainAgent, Command: model.Trigger{WorkItemID: "wi-retry", Source: "ci.github", Payload: "run 8812 succeeded"}, By: "external:ci"},
		{After: 8 * s, Agent: ciAgent, Command: checklist("wi-matrix", "x Drop go 1.24", "x Merge lint jobs", "~ Cache modules")},
		{After: 9 * s, Agent: mainAgent, Item: "wi-limiter", Plan: limiterPlanTests,
			Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway", "x Write limiter contract tests", "~ Replay traffic", "Update runbook")},
		{After: 7 * s, Agent: docsAgent, Command: model.PickWorkItem{WorkItemID: "wi-rollout"}},
		{After: 9 * s, Agent: docsAgent, Item: "wi-rollout", Plan: rolloutPlan, Command: checklist("wi-rollout", "x Outline", "~ Metrics to watch", "Rollback")},
		{After: 8 * s, Agent: ciAgent, As: "warm", Command: model.CreateWorkItem{Objective: "Warm the module cache in CI", Plan: "# Warm cache\n\nSave it on main, restore it everywhere.\n", TodoList: checklistOf("Save on main", "Restore in pull requests")}},
		{After: 10 * s, Agent: mainAgent, Command: checklist("wi-limiter", "x Extract interface", "x Move bucket", "x Compile gateway", "x Write limiter contract tests", "x Replay traffic", "~ Update runbook")},
		{After: 6 * s, Agent: ciAgent, Command: model.Round{
			Text:  "Lint is one job, Go 1.24 is gone, modules are cached: a pull request takes 4m10s instead of 11m.",
			Calls: calls(checklist("wi-matrix", "x Drop go 1.24", "x Merge lint jobs", "x Cache modules"), model.CompleteWorkItem{WorkItemID: "wi-matrix"})}},
		{After: 6 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "warm", Reason: "the cache is fresh in mind"}},
		{After: 10 * s, Agent: docsAgent, Command: model.WaitFor{
			WorkItemID: "wi-rollout", Wake: model.WakeOperatorInput, Reason: "which metrics page to link",
			Question: "Link the public status page or the internal dashboard?", Choices: []model.Text{"public", "internal", "both"}}},
		{After: 8 * s, Agent: mainAgent, Command: model.Round{
			Text:  "The limiter lives in package limit, without HTTP imports. Headers of 24 h of replayed traffic are byte-identical; contract tests pass with -race. The runbook has the new metric names.",
			Calls: calls(model.CompleteWorkItem{WorkItemID: "wi-limiter"})}},
		{After: 7 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-retry", ClearBlocker: true, Reason: "CI run 8812 is green"}},
		{After: 9 * s, Agent: ciAgent, Command: checklist("warm", "x Save on main", "~ Restore in pull requests")},
		{After: 8 * s, Agent: mainAgent, Command: model.Round{
			Text:  "PR #341 is merged. Retries are at most 10 % of the last minute's requests; the budget is a metric.",
			Calls: calls(checklist("wi-retry", "x Budget type", "x Wire into client", "x Merge"), model.CompleteWorkItem{WorkItemID: "wi-retry"})}},
		{After: 8 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-jitter"}},
		{After: 9 * s, Agent: mainAgent, Item: "wi-jitter", Plan: jitterPlanDone, Command: checklist("wi-jitter", "x Full jitter", "~ Measure the herd test")},
		{After: 9 * s, Agent: ciAgent, Command: model.WaitFor{WorkItemID: "warm", Wake: model.WakeExternal, Reason: "CI run 8830",
			Resource: "github:acme/gateway#344", Source: "ci.github", RecheckAfterMS: minutes(60)}},
		{After: 8 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "wi-repro"}},
		{After: 10 * s, Agent: mainAgent, As: "quota", Command: model.CreateWorkItem{Objective: "Per-tenant quotas on top of the limiter", PlanStatus: model.NeedsInput,
			Plan: "# Quotas\n\nWho sets them: the tenant's admin, or we?\n"}},
		{After: 12 * s, Agent: ciAgent, Command: model.Trigger{WorkItemID: "warm", Source: "ci.github", Payload: "run 8830 failed: restore key not found"}, By: "external:ci"},
		{After: 9 * s, Agent: ciAgent, Command: model.PickWorkItem{WorkItemID: "warm", Reason: "CI run 8830 failed"}},
		{After: 9 * s, Agent: mainAgent, Command: checklist("wi-jitter", "x Full jitter", "x Measure the herd test")},
		{After: 6 * s, Agent: mainAgent, Command: model.Round{
			Text:  "Backoff uses full jitter. The thundering herd test's p99 went from 2.4 s to 0.6 s.",
			Calls: calls(model.CompleteWorkItem{WorkItemID: "wi-jitter"})}},
		{After: 8 * s, Agent: mainAgent, Command: model.PickWorkItem{WorkItemID: "wi-flags"}},
		{After: 10 * s, Agent: mainAgent, Command: checklist("wi-flags", "~ List flags older than 90 days", "Remove readers", "Remove writers")},
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
