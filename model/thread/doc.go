// Package thread holds the rules of threads (docs/threads.md): where was the work left, in
// this repository, on this branch. It is pure; git facts, time and names come in as
// arguments, and what a command changes goes out as a Change.
//
//	thread      the suspended state of one piece of work, one JSON file
//	pointer     active.json: which thread of the repository is active
//	check       whether a thread may be loaded here: the branch-safe rules
//	lineage     how a saved commit stands to HEAD: reachable, squashed, unrelated
//	parked      a thread that may not be loaded here; it is never deleted
//	rebind      to move a parked thread to the present branch, deliberately
//	gap         what a contract asked for and nobody observed; guidance, never a block
//	dead end    an approach that its author recorded as abandoned
//	evidence    an observed execution: command, exit status, commit
//	grade       of a verified entry: claimed, observed, or verified at HEAD
//
// The file format is that of AICTX, unknown keys included.
package thread
