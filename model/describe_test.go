package model

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestEventsAreToldInWords(t *testing.T) {
	for _, c := range []struct {
		kind EventKind
		data any
		want Text
	}{
		{EventWorkItemWritten, Written{Action: "created"}, "created"},
		{EventWorkItemWritten, Written{Action: "updated", Changed: []string{"objective", "plan_status"}}, "updated objective, plan status"},
		{EventWorkItemWritten, Written{Action: "blocked", BlockedBy: "legal"}, "blocked: legal"},
		{EventWorkItemWritten, Written{Action: "completed", WithUnfinishedTodos: true, UnfinishedTodos: 1},
			"completed with 1 unfinished todo"},
		{EventWorkItemPicked, Picked{Transition: Transition{Reason: "CI is green", FocusMode: FocusInspection}},
			"picked for review: CI is green"},
		{EventWorkItemPicked, Picked{ReasonRequired: true, ReasonMissing: true}, "picked, reason missing"},
		{EventFocusReleased, Released{Reason: "work_item_blocked"}, "no longer current: work item blocked"},
		{EventWorkItemWritten, Written{Action: "updated", Changed: []string{"todo_list"}}, "updated todo list"},
		{EventWorkItemWritten, Written{Action: "updated", Changed: []string{"todo_list"}, Todo: &TodoGist{Done: 4, Total: 6, Current: "Replay traffic"}},
			"4/6 ▸ Replay traffic"},
		{EventWorkItemWritten, Written{Action: "updated", Changed: []string{"objective", "todo_list"}, Todo: &TodoGist{Done: 6, Total: 6}},
			"updated objective, 6/6 todos"},
		{EventWorkItemWritten, Written{Action: "updated", Changed: []string{"todo_list"}, Todo: &TodoGist{}}, "no todos"},
		{EventPlanRefreshed, refreshed{Bytes: 12, Condition: PlanOK}, "plan.md changed"},
		{EventPlanRefreshed, refreshed{Bytes: 12, Condition: PlanOK, Added: 2}, "plan.md +2 −0"},
		{EventTodosRefreshed, todosRefreshed{Rows: []Todo{{"review/003: quote", TodoInProgress}}}, "todo in progress: review/003: quote"},
		{EventTodosRefreshed, todosRefreshed{Rows: []Todo{{"a", TodoPending}, {"b", TodoPending}}}, "2 todos updated from their files"},
		{EventPlanRefreshed, refreshed{Condition: PlanTooLarge}, "plan.md is too large"},
		{EventPlanTaken, planTaken{Revision: 3}, "plan.md has the edit of another machine"},
		{EventPlanRefreshed, refreshed{Condition: PlanOK, Added: 2, Aside: "plan.mine-1.md"},
			"plan.md +2 −0; an edit on another machine is kept beside it in plan.mine-1.md"},
		{eventLinksChanged, linked{Added: Links{Threads: []ThreadLink{{Repo: "/src/shop", TaskID: "fix-login"}}}},
			"linked thread fix-login"},
		{eventLinksChanged, linked{Added: Links{Refs: []Ref{{Kind: "issue", Ref: "#7"}, {Kind: "pull", Ref: "#9"}}},
			Removed: Links{TodoRefs: []TodoRef{{QualifiedID: "review/003"}}}},
			"linked 2 things, unlinked todo review/003"},
		{EventWaitRegistered, registered{Kind: WaitOperator, Question: "LRU or LFU?"}, "asks: LRU or LFU?"},
		{EventWaitRegistered, registered{Kind: WaitTimer, WakeAt: time.Unix(0, 0).UTC()}, "waits for a timer at 1970-01-01T00:00:00Z"},
		{EventWaitTriggered, TriggerNews{Provenance: Provenance{Actor: "external:ci", Source: "ci.github", Payload: "ok"}},
			"news from external:ci, ci.github: ok"},
		{EventWaitsCancelled, cancelled{WaitIDs: []WaitID{"a", "b"}, Reason: "blocker_cleared"}, "2 waits cancelled: blocker cleared"},
		{EventWaitsCancelled, cancelled{WaitIDs: []WaitID{"a"}, Reason: "wait_for_replaced"}, "1 wait cancelled: replaced by another wait"},
		{"something_new", map[string]int{"n": 1}, "something new"},
	} {
		raw, err := json.Marshal(c.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Entry{Kind: c.kind, Data: raw}).Describe(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.kind, got, c.want)
		}
	}
}

func TestAnEventWithBrokenDataStillTells(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", "{", "7"} {
		if got := (Entry{Kind: EventWorkItemPicked, Data: json.RawMessage(raw)}).Describe(); got != "picked" {
			t.Errorf("%q: got %q", raw, got)
		}
	}
}

// What one commit did to an item is one row, whichever end of the journal is read first; another item, actor or commit has its own.
func TestOneActIsOneRow(t *testing.T) {
	n := 0
	entry := func(revision uint64, item ItemID, actor Actor, kind EventKind, data any) Entry {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		n++
		return Entry{Revision: revision, N: n, AgentID: "ann", Actor: actor, Kind: kind, WorkItemID: item, Data: raw}
	}
	journal := []Entry{
		entry(5, "a", "agent:ann", EventWorkItemWritten, Written{Action: "waiting", BlockedBy: "LRU or LFU?"}),
		entry(5, "a", "agent:ann", EventWaitRegistered, registered{Kind: WaitOperator, Question: "LRU or LFU?"}),
		entry(5, "a", "agent:ann", EventFocusReleased, Released{Reason: "work_item_waiting"}),
		entry(6, "b", "operator", EventFocusReleased, Released{Reason: ReleasedByPick}),
		entry(6, "a", "operator", EventWaitsCancelled, cancelled{WaitIDs: []WaitID{"w"}, Reason: "blocker_cleared"}),
		entry(6, "a", "operator", EventWorkItemWritten, Written{Action: "unblocked"}),
		entry(6, "a", "operator", EventWorkItemPicked, Picked{Transition: Transition{Reason: "LRU"}}),
		entry(7, "a", "agent:ann", EventFocusReleased, Released{Reason: "work_item_completed"}),
		entry(7, "a", "agent:ann", EventWorkItemWritten, Written{Action: "completed"}),
		entry(7, "a", "agent:ann", EventReportPromoted, promoted{Source: ReportSameRound, TextPreview: "Done."}),
		entry(7, "a", "agent:ann", EventBriefSuppressed, promoted{}),
		entry(7, "a", "agent:ann", EventCompletionWarning, Warning{Message: "completed without evidence; vise check runs it"}),
		entry(7, "a", "external:watcher", EventPlanRefreshed, refreshed{Condition: PlanOK, Added: 2}),
		entry(8, "a", "operator", EventOperatorAnswered, answered{Text: "LRU"}),
		entry(8, "a", "operator", EventWaitTriggered, TriggerNews{Provenance: Provenance{Actor: "operator", Payload: "LRU"}}),
		entry(8, "a", "operator", EventMessageQueued, messageNews{Text: "LRU"}),
	}
	want := []string{"asks: LRU or LFU? · no longer current", "no longer current: other work item picked", "picked: LRU · 1 wait cancelled · unblocked",
		"completed · report kept: Done. · without evidence", "plan.md +2 −0", "answered: LRU"}
	for range 2 {
		var got []string
		for _, a := range Acts(journal) {
			got = append(got, a.Describe().String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("the rows are %q, want %q", got, want)
		}
		slices.Reverse(journal)
		slices.Reverse(want)
	}
}
