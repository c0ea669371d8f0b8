// Package model is the lifecycle core: records, commands, and the rules that turn a command
// into a change (docs/lifecycle.md). It has no clock, no randomness and no disk. The Stamp holds
// the facts from outside, and Facts answers questions about the ledger.
//
// Words, each with one meaning in code, docs and on screen:
//
//	WorkItem      a durable objective that one agent owns
//	plan artifact its plan.md, described here, never stored here
//	todo list     its checklist, replaced whole; an entry is a todo
//	file todo     a Markdown todo in a repository (docs/todos.md)
//	thread        where work was left in a repository and branch (docs/threads.md)
//	blocked_by    why it cannot go on, in the author's words
//	wait          what an item waits for, or an agent without a focus
//	trigger       word from outside for a wait: it asks for a review and never unblocks
//	focus         the one item that an agent works on
//	scheduling state, readiness, candidate class: derived, never stored
//	command       a change that somebody asks for, judged once by Step
//	stamp         when, by whom, with which fresh id
//	change        the records and events that a command makes
//	receipt       the answer; a warning in it does not refuse
//	event         one entry of the journal
//	revision      of an item: +1 a write; of the ledger: +1 a change
//	round         one reply of an agent: its text and its calls
//	turn          one run of an agent under a lease
//	tick          the scheduler's offer of work to an agent
//	brief, delivery: the report of a completion, for the operator
//	frontend      a way in: console, command line, MCP, hooks
//	home          the directory that holds the ledger and the plans
//
// What decides: step.go (the contract), step_*.go and decide.go (the commands, the scheduler), derive.go, pace.go and wakes.go (what
// follows from records), item.go, records.go, agent.go (the records), authority.go (who may do what).
// What is shown: row.go, query.go and detail.go (lists and one item), fleet*.go (all agents and the inbox), why_agent.go, story.go,
// track.go and strip.go (what happened, in lines and in marks), digest.go, describe.go (an event in words), phrase.go (search).
// They are one package, since refusals and messages of the first quote the words of the second.
package model
