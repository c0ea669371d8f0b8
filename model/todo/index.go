package todo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vise/model"
)

// Index finds the todos of one session by ref. A nil Index is empty.
type Index struct {
	all   []Todo
	byRef map[Ref]int
	// twice are the ids that several files have.
	twice map[Ref]bool
}

// NewIndex indexes todos. Of two todos with one ref it finds the first.
func NewIndex(all []Todo) *Index {
	x := &Index{all: all, byRef: make(map[Ref]int, len(all)), twice: map[Ref]bool{}}
	for i := range all {
		r := all[i].Ref()
		if _, taken := x.byRef[r]; taken {
			x.twice[r] = true
		} else {
			x.byRef[r] = i
		}
	}
	return x
}

// All returns every todo, in the given order.
func (x *Index) All() []Todo {
	if x == nil {
		return nil
	}
	return x.all
}

// Find finds a todo by its qualified id.
func (x *Index) Find(r Ref) (Todo, bool) {
	if x == nil {
		return Todo{}, false
	}
	i, ok := x.byRef[r]
	if !ok {
		return Todo{}, false
	}
	return x.all[i], true
}

// Twice reports whether several files have an id.
func (x *Index) Twice(r Ref) bool { return x.twice[r] }

// Resolve finds a todo by the word that a person types: a qualified id, also with this session's name before it, or an issue id or file
// name that only one todo has. A number finds its padded id.
func (x *Index) Resolve(word string) (Todo, error) {
	if session, within := Ref(word).Split(); session != "" && len(x.All()) > 0 && session == x.all[0].Session {
		word = string(within)
	}
	if t, ok := x.Find(Ref(word)); ok && !x.twice[t.Ref()] {
		return t, nil
	}
	source, id, qualified := strings.Cut(word, "/")
	if !qualified {
		source, id = "", word
	}
	var found []Todo
	for _, t := range x.All() {
		if source != "" && t.Source != source {
			continue
		}
		if t.IssueID == id || t.File == id || number(id) >= 0 && allDigits(id) && allDigits(t.IssueID) && number(id) == number(t.IssueID) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return Todo{}, Refuse(ruleNotFound, "id", "no todo is called %q in this session", word)
	case 1:
		return found[0], nil
	}
	names := make([]string, 0, len(found))
	for _, t := range found {
		names = append(names, t.Ref().String()+" ("+t.File+")")
	}
	return Todo{}, Refuse(RuleAmbiguous, "id", "%q could be any of %d todos", word, len(found)).
		WithHint("say which: %s", strings.Join(names, ", "))
}

// Qualified returns the refs of todos that a person named within a source: "2" and "002" become "review/002". A name that is not found
// stays as it is.
func (x *Index) Qualified(refs []Ref, source string) []Ref {
	out := make([]Ref, len(refs))
	for i, r := range refs {
		out[i] = r.In(source)
		if t, err := x.Resolve(out[i].Raw()); err == nil {
			out[i] = t.Ref()
		}
	}
	return out
}

func allDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// Wait is one dependency that keeps a todo from starting.
type Wait struct {
	On Ref `json:"on"`
	// Via are the duplicates between the stored dependency and On.
	Via    []Ref  `json:"via,omitempty"`
	Status Status `json:"status,omitempty"`
	// Rule is the kind of wait: waiting_on an open todo, blocked_by_closed (it was rejected, so a person must decide), dangling_dependency,
	// self_dependency.
	Rule Rule `json:"rule"`
}

func (w Wait) String() string {
	why := map[Rule]string{ruleClosed: "closed without a fix", RuleDangling: "unknown", RuleSelf: "itself"}[w.Rule]
	return w.On.String() + " (" + cmp.Or(why, string(w.Status)) + ")"
}

// JoinWaits lists waits for people.
func JoinWaits(waits []Wait) string { return joined(waits, Wait.String, ", ") }

func joined[T any](list []T, word func(T) string, between string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = word(v)
	}
	return strings.Join(words, between)
}

// Waiting returns the dependencies of t that are not satisfied. A complete todo satisfies. A duplicate counts as the todo that it
// duplicates. Another rejected todo never satisfies, and the Rule says so. A final todo waits for nothing.
func (x *Index) Waiting(t Todo) []Wait {
	if t.Status.Final() {
		return nil
	}
	var waits []Wait
	for _, d := range t.Dependencies {
		ref := d.In(t.Source)
		if ref == t.Ref() {
			waits = append(waits, Wait{On: ref, Rule: RuleSelf})
			continue
		}
		if w, open := x.wait(ref); open {
			waits = append(waits, w)
		}
	}
	return waits
}

func (x *Index) wait(ref Ref) (Wait, bool) {
	w := Wait{On: ref, Rule: RuleWaiting}
	for {
		t, ok := x.Find(w.On)
		if !ok {
			w.Rule, w.Status = RuleDangling, ""
			return w, true
		}
		w.Status = t.Status
		if t.Status == Complete {
			return Wait{}, false
		}
		if t.Status != WontFix {
			return w, true
		}
		next := t.DuplicateOf.In(t.Source)
		if t.Resolution != Duplicate || t.DuplicateOf == "" || next == w.On || slices.Contains(w.Via, next) {
			w.Rule = ruleClosed
			return w, true
		}
		w.Via = append(w.Via, w.On)
		w.On = next
	}
}

// needs returns the other todos on which a todo depends.
func (x *Index) needs(r Ref) (out []Ref) {
	t, _ := x.Find(r)
	for _, d := range t.Dependencies {
		if to := d.In(t.Source); to != r {
			out = append(out, to)
		}
	}
	return out
}

// reached returns the todos to which next leads from a todo. It contains from only if there is a cycle.
func reached(from Ref, next func(Ref) []Ref) map[Ref]bool {
	seen := map[Ref]bool{}
	rest := slices.Clone(next(from))
	for len(rest) > 0 {
		r := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if !seen[r] {
			seen[r] = true
			rest = append(rest, next(r)...)
		}
	}
	return seen
}

// Nothing says why there is no todo to work on.
type Nothing string

// The reasons. Each calls for another action.
const (
	Something  Nothing = ""
	noTodos    Nothing = "none"
	allOver    Nothing = "all_complete"
	allClaimed Nothing = "all_claimed"
	noneReady  Nothing = "none_ready"
	allBlocked Nothing = "all_blocked"
)

// Sentence tells a person the reason and what to do about it.
func (n Nothing) Sentence() string {
	return map[Nothing]string{
		noTodos:    "there are no todos: create some, or import findings",
		allOver:    "all todos are complete or closed",
		allClaimed: "every open todo is claimed by somebody",
		noneReady:  "no todo is ready: triage the pending ones, resume the interrupted ones",
		allBlocked: "every ready todo waits on a dependency",
	}[n]
}

// Next returns the first todo, in the order of Merge, that is ready, unassigned, waits for nothing, and is accepted by keep. If there is
// none, it returns the reason.
func Next(keep func(Todo) bool, sessions ...*Index) (Todo, Nothing) {
	best, found := Todo{}, false
	n := map[Nothing]int{}
	for _, x := range sessions {
		for _, t := range x.All() {
			if keep != nil && !keep(t) {
				continue
			}
			n[noTodos]++
			why := x.unavailable(t)
			n[why]++
			if why == Something && (!found || t.Priority < best.Priority || t.Session == best.Session && Compare(&t, &best) < 0) {
				best, found = t, true
			}
		}
	}
	switch {
	case found:
		return best, Something
	case n[noTodos] == 0:
		return best, noTodos
	case n[allOver] == n[noTodos]:
		return best, allOver
	case n[allBlocked] > 0:
		return best, allBlocked
	case n[noneReady] == 0:
		return best, allClaimed
	}
	return best, noneReady
}

// unavailable returns why no worker can start t now.
func (x *Index) unavailable(t Todo) Nothing {
	switch {
	case t.Status.Final():
		return allOver
	case t.Status == Blocked:
		return allBlocked
	case t.Status == InProgress, t.Status == Ready && t.AssignedTo != "":
		return allClaimed
	case t.Status != Ready:
		return noneReady
	case len(x.Waiting(t)) > 0:
		return allBlocked
	}
	return Something
}

// Counts is the number of todos in each status and priority.
type Counts struct {
	Total      int              `json:"total"`
	ByStatus   map[Status]int   `json:"by_status"`
	ByPriority map[Priority]int `json:"by_priority"`
}

// Count counts the todos of some lists. Every status and priority has an entry, even if it is zero.
func Count(lists ...[]Todo) Counts {
	c := Counts{ByStatus: map[Status]int{}, ByPriority: map[Priority]int{}}
	for _, s := range Statuses() {
		c.ByStatus[s] = 0
	}
	for _, p := range Priorities() {
		c.ByPriority[p] = 0
	}
	for _, all := range lists {
		for i := range all {
			c.Add(&all[i])
		}
	}
	return c
}

func (c *Counts) Add(t *Todo) {
	c.Total++
	c.ByStatus[t.Status]++
	c.ByPriority[t.Priority]++
}

func (c Counts) String() string {
	s := model.Counted(c.Total, "todo")
	for _, st := range Statuses() {
		if n := c.ByStatus[st]; n > 0 {
			s += fmt.Sprintf(", %d %s", n, st)
		}
	}
	return s
}
