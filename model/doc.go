// Package model is the lifecycle core: records, commands, and the rules that turn a command
// into a change (docs/lifecycle.md). It has no clock, no randomness and no disk: what it must
// know of the outside is in the Stamp, what it must know of the ledger it asks of Facts.
//
// Words, each with one meaning in code, docs and on screen:
//
//	WorkItem      a durable objective that one agent owns
//	plan artifact its plan.md, described here, never stored here
//	todo list     its checklist, replaced whole; an entry is a todo
//	file todo     a Markdown todo in a repository (docs/todos.md)
//	thread        where work was left in a repository and branch (docs/threads.md)
//	blocked_by    why it cannot advance, in the author's words
//	wait          what would wake an item, or an agent without a focus
//	trigger       news for a wait: it asks for a review and never unblocks
//	focus         the one item that an agent works on
//	scheduling state, readiness, candidate class: derived, never stored
//	command       what somebody wants done, judged once by Step
//	stamp         when, by whom, with which fresh id
//	change        the records and events that a command makes
//	receipt       the answer; a warning in it does not refuse
//	event         one entry of the journal
//	revision      of an item: +1 a write; of the ledger: +1 a change
//	round         what an agent said and called in one reply
//	turn          one run of an agent under a lease
//	tick          the scheduler's offer of work to an agent
//	brief, delivery: the report of a completion, for the operator
//	frontend      a way in: console, command line, MCP, hooks
//	home          one directory of ledger and plans, and the way in to it
package model
