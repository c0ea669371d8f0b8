package todo

import "slices"

// circles finds the circles among the todos without a depth, and what waits on them. Two
// todos are in one circle if each depends on the other, through any number of others.
func (g *Graph) circles() {
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
			ta, _ := g.index.Find(a)
			tb, _ := g.index.Find(b)
			return Compare(ta, tb)
		})
		g.Cycles = append(g.Cycles, c)
		for _, o := range c {
			inCircle[o] = true
		}
	}
	g.Downstream = slices.DeleteFunc(left, func(r Ref) bool { return inCircle[r] })
}
