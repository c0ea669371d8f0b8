package todo

import (
	"cmp"
	"slices"
)

// edge says that From depends on To.
type edge struct {
	From Ref    `json:"from"`
	To   Ref    `json:"to"`
	Type string `json:"type"`
}

const (
	BlockedBy = "blocked_by"
	relatedTo = "related"
)

// Graph is the dependency graph of one session, across its sources.
type Graph struct {
	Edges []edge `json:"edges"`
	// Order has every todo that is neither in a cycle nor depends on one: dependencies first, then by priority, source and id.
	Order []Ref `json:"topological_order"`
	// CriticalPath are the todos without slack: a delay of one delays the whole.
	CriticalPath []Ref `json:"critical_path"`
	// Cycles are the cycles of dependencies. Downstream are the todos that wait for one.
	Cycles     [][]Ref `json:"cycles"`
	Downstream []Ref   `json:"downstream_of_cycles"`
	// Dangling are the edges to a todo that no source has.
	Dangling         []edge `json:"unresolved_deps"`
	SelfDependencies []Ref  `json:"self_dependencies"`
	CrossSource      []edge `json:"cross_source_refs"`
	// Stale are the todos whose stored order differs from this graph's.
	Stale []Ref `json:"stale_order"`

	index      *Index
	needs      map[Ref][]Ref
	dependents map[Ref][]Ref
	// depth is the number of todos in the longest chain of dependencies of a todo, itself included.
	depth map[Ref]int
}

// NewGraph builds the graph of all todos of an index. Except for sorting, its cost is linear in todos and dependencies.
func NewGraph(x *Index) *Graph {
	g := &Graph{index: x, needs: map[Ref][]Ref{}, dependents: map[Ref][]Ref{}, depth: map[Ref]int{}}
	for _, t := range g.nodes() {
		g.connect(t)
	}
	g.sort()
	g.findCycles()
	g.critical()
	g.compareStored()
	return g
}

// nodes returns the todos that the index finds by ref. Of two todos with one id it is the first.
func (g *Graph) nodes() []Todo {
	var out []Todo
	for i, t := range g.index.All() {
		if g.index.byRef[t.Ref()] == i {
			out = append(out, t)
		}
	}
	return out
}

func (g *Graph) connect(t Todo) {
	from := t.Ref()
	seen := map[Ref]bool{}
	for _, d := range t.Dependencies {
		to := d.In(t.Source)
		if seen[to] {
			continue
		}
		seen[to] = true
		e := edge{from, to, BlockedBy}
		if to == from {
			g.SelfDependencies = append(g.SelfDependencies, from)
			continue
		}
		if _, ok := g.index.Find(to); !ok {
			g.Dangling = append(g.Dangling, e)
			continue
		}
		if to.Source() != t.Source {
			g.CrossSource = append(g.CrossSource, e)
		}
		g.Edges = append(g.Edges, e)
		g.needs[from] = append(g.needs[from], to)
		g.dependents[to] = append(g.dependents[to], from)
	}
	for _, r := range t.Related {
		g.Edges = append(g.Edges, edge{from, r.In(t.Source), relatedTo})
	}
}

// sort orders the todos by depth. A todo that is in a cycle, or depends on one, has no depth and no place.
func (g *Graph) sort() {
	open := map[Ref]int{}
	var queue []Ref
	for _, t := range g.nodes() {
		r := t.Ref()
		if open[r] = len(g.needs[r]); open[r] == 0 {
			g.depth[r] = 1
			queue = append(queue, r)
		}
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		g.Order = append(g.Order, r)
		for _, d := range g.dependents[r] {
			g.depth[d] = max(g.depth[d], g.depth[r]+1)
			if open[d]--; open[d] == 0 {
				queue = append(queue, d)
			}
		}
	}
	for r, n := range open {
		if n > 0 {
			delete(g.depth, r)
		}
	}
	slices.SortFunc(g.Order, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(g.depth[a], g.depth[b]), comparePlan(g.todo(a), g.todo(b)))
	})
}

// critical finds the todos whose latest start equals their earliest: the longest chains.
func (g *Graph) critical() {
	if len(g.Order) == 0 {
		return
	}
	deepest := g.depth[g.Order[len(g.Order)-1]]
	latest := map[Ref]int{}
	for _, r := range slices.Backward(g.Order) {
		latest[r] = deepest
		for _, d := range g.dependents[r] {
			if w, ok := latest[d]; ok {
				latest[r] = min(latest[r], w-1)
			}
		}
	}
	if deepest < 2 {
		return
	}
	for _, r := range g.Order {
		if latest[r] == g.depth[r] {
			g.CriticalPath = append(g.CriticalPath, r)
		}
	}
}

func (g *Graph) todo(r Ref) Todo {
	t, _ := g.index.Find(r)
	return t
}

func (g *Graph) compareStored() {
	for i, r := range g.Order {
		if t := g.todo(r); t.ExecutionOrder > 0 && t.ExecutionOrder != i+1 {
			g.Stale = append(g.Stale, r)
		}
	}
}

// Dependents returns the todos that depend on r, ordered by id.
func (g *Graph) Dependents(r Ref) []Ref {
	return slices.SortedFunc(slices.Values(g.dependents[r]), func(a, b Ref) int {
		return cmp.Or(compareSource(a.Source(), b.Source()), compareID(a.ID(), b.ID()))
	})
}

// findCycles finds the cycles among the todos without a depth, and the todos that wait for them. Two todos are in one cycle if each depends
// on the other, directly or not.
func (g *Graph) findCycles() {
	inCircle := map[Ref]bool{}
	var left []Ref
	for _, t := range g.nodes() {
		if g.depth[t.Ref()] == 0 {
			left = append(left, t.Ref())
		}
	}
	for _, r := range left {
		if inCircle[r] {
			continue
		}
		needed := reached(r, func(r Ref) []Ref { return g.needs[r] })
		needing := reached(r, func(r Ref) []Ref { return g.dependents[r] })
		c := slices.DeleteFunc(slices.Clone(left), func(o Ref) bool { return !needed[o] || !needing[o] })
		if len(c) == 0 {
			continue
		}
		slices.SortFunc(c, func(a, b Ref) int {
			t, u := g.todo(a), g.todo(b)
			return Compare(&t, &u)
		})
		g.Cycles = append(g.Cycles, c)
		for _, o := range c {
			inCircle[o] = true
		}
	}
	g.Downstream = slices.DeleteFunc(left, func(r Ref) bool { return inCircle[r] })
}
