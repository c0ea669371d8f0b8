package model

import (
	"cmp"
	"strings"
)

// OnScreen are the words for people where they differ from the ledger's: one word for one thing, in every frontend. Code, flags,
// JSON and the texts of agents keep the ledger's words. docs/codes.md has both.
var OnScreen = map[string]string{
	// Classes, and a few reasons that are named after them.
	string(CurrentRunnable): "works", string(TriggeredBlocked): "news", string(QueuedRunnable): "queued",
	string(WaitingForOperator): "asks you", string(CompletedRecent): "done",
	"continue_active": "current work", "review_triggered": "news", "queued_available": "the queue",
	// Scheduling states.
	string(Runnable): "ready", string(WaitingOperator): "waits for you", string(waitingTask): "waits for a task",
	string(waitingExternal): "waits for an event", string(WaitingTimer): "waits for a time", string(waitingSystem): "waits for the system",
	// Actors and waits.
	string(Operator): "you", string(WaitExternal): "event", "wait_for_replaced": "replaced by another wait",
	"pick_work_item_clear_blocker": "blocker cleared",
	// States of agents, needs and steps.
	string(AgentAsks): "asks you", string(AgentTriggered): "news, idle", string(NeedReview): "news", "trigger": "news",
	// Where a report came from.
	string(ReportSameRound): "written with the completion", string(ReportNearRound): "written near the completion",
	string(ReportTurnFinal): "the turn's last text",
	// Diagnostics.
	"blocked_without_recheck_or_wait": "blocked, and nothing reminds of it",
}

// By is who did something, for people: the person, if the name is known, else the actor.
func By[T ~string](actor T, person Text) Text { return cmp.Or(person, Text(Spaced(actor))) }

// Spaced writes a word of the ledger for people.
func Spaced[T ~string](s T) string {
	if word, ok := OnScreen[string(s)]; ok {
		return word
	}
	return strings.ReplaceAll(string(s), "_", " ")
}
