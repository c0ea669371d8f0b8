// Package todo holds the rules of file todos: findings and plan tasks that live as
// Markdown files with YAML front matter, one life each, claimable by any worker.
// It has no clock, no disk and no processes; what it must know of them are arguments.
//
// Words, each with one meaning in code and on screen:
//
//	file todo     one Markdown file; its front matter alone is authoritative
//	source        what found it: review, audit, work, …; also its directory
//	issue id      its number within source and session, as stored ("001")
//	ref           the qualified id, "review/001"
//	session       one todos directory of one workflow run
//	move          a change of a status, judged once by Judge
//	transition    a row of the table: from, to, and the fields that it needs
//	contract      what must hold of a stored todo in its status
//	rule          the stable code of one clause of table or contract
//	claim, lease  who works on a todo, and until when that is believed
//	fence         the lease's id: a later claim makes an earlier one worthless
//	waiting on    derived: dependencies that are not satisfied; never stored
//	draft         a todo before it has an id
package todo
