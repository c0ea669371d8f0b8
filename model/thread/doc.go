// Package thread holds the rules of threads (docs/threads.md), which say where work was left, in a repository and on a branch. It is pure:
// git facts, time and names are arguments, and a command returns its changes as a Change.
//
//	thread      the suspended state of one piece of work, one JSON file
//	pointer     active.json: which thread of the repository is active
//	check       whether a thread can be loaded here: the branch rules
//	lineage     the relation of a saved commit to HEAD: reachable, squashed, unrelated
//	parked      a thread that cannot be loaded here; it is never deleted
//	rebind      to move a parked thread to the present branch, on request only
//	gap         what a contract required and no one observed; guidance, never a block
//	dead end    an approach that its author recorded as abandoned
//	evidence    an observed execution: command, exit status, commit
//	grade       of a verified entry: claimed, observed, or verified at HEAD
//
// The file format is AICTX's. Unknown keys are kept.
package thread
