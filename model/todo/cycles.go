package todo

import "slices"

// circles finds the circles among the todos without a depth, and what waits on them. It is
// Tarjan's algorithm with a stack of its own: a chain may be as long as there are todos.
func (g *Graph) circles() {
	var left []Ref
	for _, t := range g.nodes() {
		if g.depth[t.Ref()] == 0 {
			left = append(left, t.Ref())
		}
	}
	inCircle := map[Ref]bool{}
	for _, c := range components(left, g.needs) {
		if len(c) < 2 {
			continue
		}
		slices.SortFunc(c, func(a, b Ref) int {
			ta, _ := g.index.Find(a)
			tb, _ := g.index.Find(b)
			return Compare(ta, tb)
		})
		g.Cycles = append(g.Cycles, c)
		for _, r := range c {
			inCircle[r] = true
		}
	}
	for _, r := range left {
		if !inCircle[r] {
			g.Downstream = append(g.Downstream, r)
		}
	}
}

// visit is a node under search and how many of its edges were followed.
type visit struct {
	ref  Ref
	edge int
}

// components are the strongly connected sets of nodes.
func components(nodes []Ref, edges map[Ref][]Ref) [][]Ref {
	s := search{edges: edges, number: map[Ref]int{}, low: map[Ref]int{}, open: map[Ref]bool{}}
	for _, r := range nodes {
		if s.number[r] == 0 {
			s.from(r)
		}
	}
	return s.found
}

type search struct {
	edges       map[Ref][]Ref
	number, low map[Ref]int
	open        map[Ref]bool
	stack       []Ref
	found       [][]Ref
}

func (s *search) from(root Ref) {
	path := []visit{s.enter(root)}
	for len(path) > 0 {
		v := &path[len(path)-1]
		if next := s.edges[v.ref]; v.edge < len(next) {
			to := next[v.edge]
			v.edge++
			if s.number[to] == 0 {
				path = append(path, s.enter(to))
			} else if s.open[to] {
				s.low[v.ref] = min(s.low[v.ref], s.number[to])
			}
			continue
		}
		s.leave(v.ref)
		done := v.ref
		if path = path[:len(path)-1]; len(path) > 0 {
			parent := path[len(path)-1].ref
			s.low[parent] = min(s.low[parent], s.low[done])
		}
	}
}

func (s *search) enter(r Ref) visit {
	n := len(s.number) + 1
	s.number[r], s.low[r], s.open[r] = n, n, true
	s.stack = append(s.stack, r)
	return visit{ref: r}
}

// leave closes a component when r is the first of it that was entered.
func (s *search) leave(r Ref) {
	if s.low[r] != s.number[r] {
		return
	}
	i := slices.Index(s.stack, r)
	c := slices.Clone(s.stack[i:])
	s.stack = s.stack[:i]
	for _, m := range c {
		s.open[m] = false
	}
	s.found = append(s.found, c)
}
