package todo

import (
	"cmp"
	"slices"
)

// Edge says that From depends on To.
type Edge struct {
	From Ref    `json:"from"`
	To   Ref    `json:"to"`
	Type string `json:"type"`
}

// Edge types.
const (
	BlockedBy = "blocked_by"
	RelatedTo = "related"
)

// Wave is a set of todos whose dependencies all lie in earlier waves.
type Wave struct {
	Wave  int   `json:"wave"`
	Todos []Ref `json:"todos"`
}

// Graph is the dependency graph of one session, across its sources.
type Graph struct {
	Edges []Edge `json:"edges"`
	// Order has every todo that is not in or behind a circle: by wave, priority, source, id.
	Order []Ref  `json:"topological_order"`
	Waves []Wave `json:"waves"`
	// CriticalPath are the todos without slack: a day lost on one is lost for all.
	CriticalPath []Ref `json:"critical_path"`
	// Cycles are circles of dependencies; Downstream is what merely waits on one.
	Cycles     [][]Ref `json:"cycles"`
	Downstream []Ref   `json:"downstream_of_cycles"`
	// Dangling edges lead to a todo that no source has.
	Dangling         []Edge `json:"unresolved_deps"`
	SelfDependencies []Ref  `json:"self_dependencies"`
	CrossSource      []Edge `json:"cross_source_refs"`
	// Stale are todos whose stored order or wave is not this graph's.
	Stale []Ref `json:"stale_order"`

	index      *Index
	needs      map[Ref][]Ref
	dependents map[Ref][]Ref
	wave       map[Ref]int
}

// NewGraph draws the graph of all todos of an index. Its cost is linear in todos and
// dependencies, but for sorting.
func NewGraph(x *Index) *Graph {
	g := &Graph{index: x, needs: map[Ref][]Ref{}, dependents: map[Ref][]Ref{}, wave: map[Ref]int{}}
	for _, t := range g.nodes() {
		g.connect(t)
	}
	g.layer()
	g.sortWaves()
	g.circles()
	g.critical()
	g.compareStored()
	return g
}

// nodes are the todos that the index finds by ref: of two with one id only the first.
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
		e := Edge{from, to, BlockedBy}
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
		g.Edges = append(g.Edges, Edge{from, r.In(t.Source), RelatedTo})
	}
}

// layer gives each todo its wave, one more than the highest of its dependencies; what is
// in or behind a circle gets none.
func (g *Graph) layer() {
	open := map[Ref]int{}
	var queue []Ref
	for _, t := range g.nodes() {
		r := t.Ref()
		if open[r] = len(g.needs[r]); open[r] == 0 {
			g.wave[r] = 1
			queue = append(queue, r)
		}
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		g.Order = append(g.Order, r)
		for _, d := range g.dependents[r] {
			g.wave[d] = max(g.wave[d], g.wave[r]+1)
			if open[d]--; open[d] == 0 {
				queue = append(queue, d)
			}
		}
	}
	for r, n := range open {
		if n > 0 {
			delete(g.wave, r)
		}
	}
}

func (g *Graph) sortWaves() {
	slices.SortFunc(g.Order, func(a, b Ref) int {
		ta, _ := g.index.Find(a)
		tb, _ := g.index.Find(b)
		return cmp.Or(cmp.Compare(g.wave[a], g.wave[b]), comparePlan(ta, tb))
	})
	for _, r := range g.Order {
		if w := g.wave[r]; w > len(g.Waves) {
			g.Waves = append(g.Waves, Wave{Wave: w})
		}
		last := &g.Waves[len(g.Waves)-1]
		last.Todos = append(last.Todos, r)
	}
}

// critical finds the todos whose latest start is their earliest: the longest chains.
func (g *Graph) critical() {
	latest := map[Ref]int{}
	for _, r := range slices.Backward(g.Order) {
		latest[r] = len(g.Waves)
		for _, d := range g.dependents[r] {
			if w, ok := latest[d]; ok {
				latest[r] = min(latest[r], w-1)
			}
		}
	}
	if len(g.Waves) < 2 {
		return
	}
	for _, r := range g.Order {
		if latest[r] == g.wave[r] {
			g.CriticalPath = append(g.CriticalPath, r)
		}
	}
}

func (g *Graph) compareStored() {
	for i, r := range g.Order {
		t, _ := g.index.Find(r)
		if t.Wave > 0 && t.Wave != g.wave[r] || t.ExecutionOrder > 0 && t.ExecutionOrder != i+1 {
			g.Stale = append(g.Stale, r)
		}
	}
}

// Wave is the wave of r, or 0 when it is in or behind a circle, or unknown.
func (g *Graph) Wave(r Ref) int { return g.wave[r] }

// Position is r's place in Order, from 1, or 0.
func (g *Graph) Position(r Ref) int { return slices.Index(g.Order, r) + 1 }

// Dependents lists who depends on r, in order of ids.
func (g *Graph) Dependents(r Ref) []Ref {
	return slices.SortedFunc(slices.Values(g.dependents[r]), func(a, b Ref) int {
		return cmp.Or(compareSource(a.Source(), b.Source()), CompareID(a.ID(), b.ID()))
	})
}
