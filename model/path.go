package model

import (
	"cmp"
	"fmt"
	"iter"
	"time"
)

// Path is an agent's next work and the work after it, each item with its reason, and the effects of possible acts of the
// operator. It is derived, and the same in every frontend.
type Path struct {
	Steps   []PathStep `json:"order"`
	WhatIfs []WhatIf   `json:"what_if"`
}

// PathStep is an item on the path.
type PathStep struct {
	Row
	// Position is the item's place among the workable items, from 1; 0: it is not workable.
	Position int  `json:"position,omitempty"`
	Because  Text `json:"because"`
}

// WhatIf is an act and its effects, as the rules judge it.
type WhatIf struct {
	// Act is the command for it: "unblock", "answer", "retry", "complete".
	Act        string `json:"act"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	Handle     Handle `json:"handle,omitempty"`
	command    Command
	// Position is the item's place after the act, Next the first item after it.
	Position int    `json:"position,omitempty"`
	Next     ItemID `json:"next,omitempty"`
	// Text says both in a sentence.
	Text Text `json:"text"`
}

// Bounds of a path: how many workable items it shows, how many others, and for how many of each class it tries acts.
const (
	pathReady   = 5
	pathWaiting = 5
	pathAsked   = 3
)

// PathOf derives an agent's path at a moment. With an item, it tries only acts on that item.
func PathOf(f Facts, id AgentID, item ItemID, at Stamp) Path {
	at.Actor, at.Agent = Operator, ""
	p := Path{Steps: []PathStep{}, WhatIfs: []WhatIf{}}
	for r := range ready(f, id) {
		if len(p.Steps) == pathReady {
			break
		}
		oldest := len(p.Steps) == 0 || p.Steps[len(p.Steps)-1].Class != QueuedRunnable
		p.Steps = append(p.Steps, PathStep{Row: r, Position: len(p.Steps) + 1, Because: because(r, oldest, at.At)})
	}
	for _, r := range held(f, id, pathWaiting) {
		p.Steps = append(p.Steps, PathStep{Row: r, Because: because(r, false, at.At)})
	}
	for _, x := range questions(f, id, item, at.At) {
		if x, ok := x.ask(f, id, at); ok {
			p.WhatIfs = append(p.WhatIfs, x)
		}
	}
	return p
}

// ready are the agent's workable items, in the order in which they are offered.
func ready(f Facts, id AgentID) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, class := range Classes[:3] {
			for r := range candidates(f, id, class) {
				if !stalled(f, r) && !yield(r) {
					return
				}
			}
		}
	}
}

// held are the first items that are not workable: stalled ones, then those that wait for the operator, then blocked ones.
func held(f Facts, id AgentID, limit int) (rows []Row) {
	for _, class := range Classes[:3] {
		for r := range candidates(f, id, class) {
			if r.Stalled = stalled(f, r); r.Stalled {
				rows = append(rows, r)
			}
		}
	}
	for _, class := range []Class{WaitingForOperator, BlockedClass} {
		rows = append(rows, f.Rows(id, class, nil, limit)...)
	}
	return rows[:min(limit, len(rows))]
}

// because says in a few words why an item is in its place; oldest: it is the first of the queue.
func because(r Row, oldest bool, now time.Time) Text {
	ago := func(t time.Time) string { return spanWords(now.Sub(t)) }
	switch {
	case r.Stalled:
		return "stalled: its turns changed nothing"
	case r.Class == CurrentRunnable:
		return "it is current"
	case r.Class == TriggeredBlocked:
		by := cmp.Or(r.Wait.TriggeredBy, "its wait")
		if r.Wait.Checked != "" {
			by += " (" + r.Wait.Checked + ")"
		}
		return Text(fmt.Sprintf("triggered by %s %s ago, to be reviewed", by, ago(r.Wait.LastTriggeredAt)))
	case r.Class == QueuedRunnable:
		why := "queued " + ago(r.UpdatedAt)
		if r.Priority != "" {
			why += ", priority " + string(r.Priority)
		} else if oldest {
			why += ", the oldest"
		}
		return Text(why)
	case r.Wait.Kind == WaitOperator:
		return "waits for you: " + cmp.Or(r.Wait.Question, "an answer")
	case r.Scheduling == WaitingOperator:
		return "its plan needs your input"
	case !r.Wait.WakeAt.IsZero():
		return Text("waits until " + r.Wait.WakeAt.Format(time.RFC3339) + ", " + dueWords(r.Wait.WakeAt, now))
	case r.Wait.Kind != "":
		words := "waits for " + waitWords(Wait{Kind: r.Wait.Kind, Source: r.Wait.Source, Resource: r.Wait.Resource})
		if r.Wait.Checked != "" {
			words += ": " + r.Wait.Checked.Raw()
		}
		return Text(words)
	}
	return "blocked: " + r.BlockedBy
}

// spanWords is a length of time in its largest full unit.
func spanWords(d time.Duration) string {
	for _, x := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= x.unit {
			return Counted(int(d/x.unit), x.name)
		}
	}
	return Counted(max(0, int(d/time.Second)), "second")
}

// questions are the acts to try: those that could change the path most, or those on one item.
func questions(f Facts, id AgentID, item ItemID, now time.Time) (out []WhatIf) {
	var rows []Row
	if w, ok := f.Item(item); ok {
		rows = []Row{rowIn(f, w)}
	} else {
		if w, ok := Focus(f, id); ok {
			out = append(out, WhatIf{Act: "complete", WorkItemID: w.ID, Handle: w.Handle, command: CompleteWorkItem{WorkItemID: w.ID}})
		}
		if d := Decide(f, id, now); d.HeldBy != "" || d.Skipped > 0 {
			out = append(out, WhatIf{Act: "retry", command: Retry{AgentID: id}})
		}
		for _, class := range []Class{WaitingForOperator, TriggeredBlocked, BlockedClass} {
			rows = append(rows, f.Rows(id, class, nil, pathAsked)...)
		}
	}
	for _, r := range rows {
		x := WhatIf{WorkItemID: r.ID, Handle: r.Handle}
		switch {
		case r.Wait.Kind == WaitOperator:
			x.Act, x.command = "answer", Answer{WorkItemID: r.ID, Text: "yes", PlanReady: true}
		case r.BlockedBy != "":
			x.Act, x.command = "unblock", UpdateWorkItem{WorkItemID: r.ID, BlockedBy: Clear()}
		case stalled(f, r):
			x.Act, x.command = "retry", Retry{WorkItemID: r.ID}
		default:
			continue
		}
		out = append(out, x)
	}
	return out
}

// ask lets the rules judge the act. A refused act has no effect and is left out.
func (x WhatIf) ask(f Facts, id AgentID, at Stamp) (WhatIf, bool) {
	then, err := suppose(f, at, x.command)
	if err != nil {
		return x, false
	}
	n := 0
	for r := range ready(then, id) {
		if n++; n == 1 {
			x.Next = r.ID
		}
		if r.ID == x.WorkItemID {
			x.Position = n
			break
		}
	}
	x.Text = x.words(then, id, at.At)
	return x, true
}

// words describe the effects.
func (x WhatIf) words(then *supposed, id AgentID, now time.Time) Text {
	next, some := then.Item(x.Next)
	d := Decide(then, id, now)
	switch {
	case x.Act == "retry" && (d.ModelReentry || d.Offered()):
		return "its next turn begins now: " + cmp.Or(next.Objective, "with what is queued")
	case x.Act == "complete" && some:
		return "next is " + next.Objective
	case x.Act == "complete":
		return "nothing else is ready"
	case x.Position == 1:
		return "it is next"
	case x.Position > 1:
		return Text("it becomes " + ordinal(x.Position))
	case x.WorkItemID == "":
		return "nothing changes"
	}
	return "it still cannot go on: " + because(then.after[x.WorkItemID], false, now)
}

// ordinal spells a place: 1st, 2nd, 11th.
func ordinal(n int) string {
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return fmt.Sprint(n, "st")
		case 2:
			return fmt.Sprint(n, "nd")
		case 3:
			return fmt.Sprint(n, "rd")
		}
	}
	return fmt.Sprint(n, "th")
}
