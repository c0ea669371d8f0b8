// Package todo holds the rules of file todos: findings and plan tasks. Each is a Markdown file with YAML front matter that goes
// through the lifecycle once and can be claimed by any worker. The package uses no clock, disk or processes: callers pass the facts in.
//
// Words, each with one meaning in code and on screen:
//
//	file todo     one Markdown file; its front matter alone is authoritative
//	source        the workflow that found it: review, audit, work, …; also its directory
//	issue id      its number within source and session, as stored ("001")
//	ref           the qualified id, "review/001"
//	session       one todos directory of one workflow run
//	move          a change of a status, judged once by Judge
//	transition    a row of the table: from, to, and the fields that it needs
//	contract      the conditions that a stored todo must meet in its status
//	rule          the stable code of one clause of table or contract
//	claim, lease  the worker of a todo, and the time until which the claim counts
//	fence         the lease's id: a later claim makes an earlier one invalid
//	waiting on    derived: dependencies that are not satisfied; never stored
//	draft         a todo before it has an id
package todo
