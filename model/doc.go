// Package model is the lifecycle core of vise: records, commands, and the rules
// that turn a command into a change. It has no clock, no randomness and no disk;
// what it must know of the outside arrives in a Stamp, what it must know of the
// ledger it asks of Facts.
//
// Words, each with one meaning in code and on screen:
//
//	WorkItem      a durable objective that one agent owns
//	plan artifact the WorkItem's plan.md, described here, never stored here
//	todo list     the progress checklist, replaced whole
//	blocked_by    why the objective cannot advance, in the author's words
//	wait          what would wake a WorkItem (or an agent without focus)
//	trigger       news for a wait; it never unblocks, it asks for a review
//	focus         the one WorkItem an agent works on
//	scheduling state, readiness, candidate class: derived, never stored
//	link          where a WorkItem's work lies: its threads, file todos and references
//	command       a wish, judged once by Step
//	stamp         when, by whom, with which fresh id
//	change        the records and events that a command makes
//	receipt       the answer; a warning in it does not refuse
//	event         one entry of the journal
//	revision      of an item: +1 a write; of the ledger: +1 a change
//	round         what an agent said and called in one reply
//	brief, delivery: the operator-facing report of a completion
//
// The rules are docs/lifecycle.md, in numbered points.
package model
