package todo

import "fmt"

// Nothing says why there is no todo to work on.
type Nothing string

// The five reasons, each another thing to do.
const (
	Something  Nothing = ""
	NoTodos    Nothing = "none"
	AllOver    Nothing = "all_complete"
	AllClaimed Nothing = "all_claimed"
	NoneReady  Nothing = "none_ready"
	AllBlocked Nothing = "all_blocked"
)

// Sentence is what to tell a person, and what to do about it.
func (n Nothing) Sentence() string {
	switch n {
	case NoTodos:
		return "there are no todos: create some, or import findings"
	case AllOver:
		return "all todos are complete or closed"
	case AllClaimed:
		return "every open todo is claimed by somebody"
	case NoneReady:
		return "no todo is ready: triage the pending ones, resume the interrupted ones"
	case AllBlocked:
		return "every ready todo waits on a dependency"
	}
	return ""
}

// Next is the first todo in order that is ready, unassigned and waits on nothing, among
// those that keep admits; or why there is none.
func (x *Index) Next(keep func(Todo) bool) (Todo, Nothing) {
	best, found := Todo{}, false
	n := map[Nothing]int{}
	for _, t := range x.All() {
		if keep != nil && !keep(t) {
			continue
		}
		n[NoTodos]++
		why := x.unavailable(t)
		n[why]++
		if why == Something && (!found || Compare(t, best) < 0) {
			best, found = t, true
		}
	}
	switch {
	case found:
		return best, Something
	case n[NoTodos] == 0:
		return best, NoTodos
	case n[AllOver] == n[NoTodos]:
		return best, AllOver
	case n[AllBlocked] > 0:
		return best, AllBlocked
	case n[NoneReady] == 0:
		return best, AllClaimed
	}
	return best, NoneReady
}

// unavailable says why nobody can begin t now.
func (x *Index) unavailable(t Todo) Nothing {
	switch {
	case t.Status.Final():
		return AllOver
	case t.Status == Blocked:
		return AllBlocked
	case t.Status == InProgress, t.Status == Ready && t.AssignedTo != "":
		return AllClaimed
	case t.Status != Ready:
		return NoneReady
	case len(x.Waiting(t)) > 0:
		return AllBlocked
	}
	return Something
}

// Counts is how many todos stand where.
type Counts struct {
	Total      int              `json:"total"`
	ByStatus   map[Status]int   `json:"by_status"`
	ByPriority map[Priority]int `json:"by_priority"`
}

// Count counts todos; every status and priority is named, if with zero.
func Count(all []Todo) Counts {
	c := Counts{Total: len(all), ByStatus: map[Status]int{}, ByPriority: map[Priority]int{}}
	for _, s := range Statuses() {
		c.ByStatus[s] = 0
	}
	for _, p := range Priorities() {
		c.ByPriority[p] = 0
	}
	for _, t := range all {
		c.ByStatus[t.Status]++
		c.ByPriority[t.Priority]++
	}
	return c
}

func (c Counts) String() string {
	s := fmt.Sprintf("%d todos", c.Total)
	for _, st := range Statuses() {
		if n := c.ByStatus[st]; n > 0 {
			s += fmt.Sprintf(", %d %s", n, st)
		}
	}
	return s
}
