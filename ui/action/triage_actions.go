package action

import "vise/model/todo"

// Verdict is a decision on a finding of the triage, chosen by its number.
type Verdict struct {
	Title, Does string
	// Resolution is that of a finding that is closed by it; such a decision needs a reason.
	Resolution todo.Resolution
}

// The verdicts that close nothing.
const Approve, Defer, Rank = "Approve", "Defer", "Priority…"

// Verdicts are the decisions on a finding, in the order of their numbers.
var Verdicts = []Verdict{
	{Approve, "it is to be worked on", ""},
	{Defer, "not now: it stays pending", ""},
	{"False positive…", "the finding is not true, because", todo.FalsePositive},
	{"Duplicate…", "another todo says the same (merge)", todo.Duplicate},
	{"Out of scope…", "true, and not for now, because", todo.OutOfScope},
	{"Superseded…", "something else replaced it", todo.Superseded},
	{"Won't fix…", "true, and accepted, because", todo.NotFixed},
	{Rank, "p1, p2 or p3; it stays undecided", ""},
}

// OfFile is what an action of the Desk does to the file todo at the cursor, on its page and in triage.
type OfFile struct {
	ID                ID
	Hint, Title, Does string
}

// OfFiles are the actions on a file todo.
var OfFiles = []OfFile{
	{EditPlan, "open", "Open in the editor", "the code at the line, or the todo's file where it names none"},
	{Pick, "start", "Start", "claim it for you; what is pending is approved by that"},
	{Complete, "complete", "Complete todo…", "it is fixed; say what fixed it"},
	{Block, "interrupt", "Interrupt or unblock", "lay it down unfinished; what is blocked or interrupted is ready again"},
	{New, "promote", "Promote", "make a work item of it, linked to it; it stays undecided"},
}
