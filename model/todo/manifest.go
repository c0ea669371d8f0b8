package todo

import (
	"cmp"
	"slices"
	"time"

	"vise/model"
)

// Manifest is the summary of one source for other tools. It is a cache that can be missing: only the files count.
type Manifest struct {
	SchemaVersion   int             `json:"schema_version"`
	Source          string          `json:"source"`
	GeneratedAt     model.Text      `json:"generated_at"`
	GeneratedBy     string          `json:"generated_by"`
	Session         ManifestSession `json:"session"`
	Summary         Counts          `json:"summary"`
	Todos           []ManifestTodo  `json:"todos"`
	DependencyGraph manifestGraph   `json:"dependency_graph"`
	ResolutionLog   []manifestClose `json:"resolution_log"`
}

// ManifestSession is the workflow run of the todos.
type ManifestSession struct {
	Workflow  string     `json:"workflow"`
	SessionID string     `json:"session_id"`
	StartedAt model.Text `json:"started_at"`
	TodosBase string     `json:"todos_base"`
}

// ManifestTodo is a todo's row.
type ManifestTodo struct {
	ID             Ref          `json:"id"`
	File           string       `json:"file"`
	Status         Status       `json:"status"`
	Priority       Priority     `json:"priority"`
	FindingID      *model.Text  `json:"finding_id"`
	AssignedTo     *model.Text  `json:"assigned_to"`
	Dependencies   []Ref        `json:"dependencies"`
	Dependents     []Ref        `json:"dependents"`
	Related        []Ref        `json:"related_todos"`
	Resolution     *Resolution  `json:"resolution"`
	ResolvedBy     model.Text   `json:"resolved_by"`
	ResolvedAt     model.Text   `json:"resolved_at"`
	ExecutionOrder *int         `json:"execution_order"`
	Wave           *int         `json:"wave"`
	WorkflowChain  []model.Text `json:"workflow_chain"`
	Title          model.Text   `json:"title"`
}

// manifestGraph is the part of the dependency graph within one source.
type manifestGraph struct {
	Edges          []edge         `json:"edges"`
	Order          []Ref          `json:"topological_order"`
	Waves          []manifestWave `json:"waves"`
	HasCycles      bool           `json:"has_cycles"`
	UnresolvedDeps []edge         `json:"unresolved_deps"`
	CrossSource    []edge         `json:"cross_source_refs"`
}

// manifestWave is the format's word for the todos of one depth.
type manifestWave struct {
	Wave  int   `json:"wave"`
	Todos []Ref `json:"todos"`
}

// manifestClose is a line of the log of closed todos.
type manifestClose struct {
	Todo       Ref        `json:"todo"`
	Resolution Resolution `json:"resolution"`
	By         model.Text `json:"by"`
	At         model.Text `json:"at"`
	Reason     model.Text `json:"reason"`
}

// NewManifest summarises the todos of one source. A dependency counts as unresolved only if no source has it.
func NewManifest(source string, x *Index, session ManifestSession, at time.Time) Manifest {
	g := NewGraph(x)
	own := Filter{Source: []string{source}}.Select(x.All())
	slices.SortFunc(own, func(a, b Todo) int { return compareID(a.IssueID, b.IssueID) })
	m := Manifest{
		SchemaVersion: Schema, Source: source, GeneratedAt: Stamp(at), GeneratedBy: "manifest-build",
		Session: session, Summary: Count(own), Todos: []ManifestTodo{}, ResolutionLog: []manifestClose{},
		DependencyGraph: g.within(source),
	}
	places := g.places(source)
	for _, t := range own {
		m.Todos = append(m.Todos, manifestTodo(t, g, places[t.Ref()]))
		if t.Status.Final() {
			m.ResolutionLog = append(m.ResolutionLog, manifestClose{t.Ref(), t.Resolution, t.ResolvedBy, t.ResolvedAt, t.Reason})
		}
	}
	slices.SortStableFunc(m.ResolutionLog, func(a, b manifestClose) int { return cmp.Compare(a.At, b.At) })
	return m
}

func manifestTodo(t Todo, g *Graph, place int) ManifestTodo {
	return ManifestTodo{
		ID: t.Ref(), File: t.File, Status: t.Status, Priority: t.Priority,
		FindingID: optional(t.FindingID), AssignedTo: optional(t.AssignedTo),
		Dependencies: list(t.Dependencies), Dependents: list(g.Dependents(t.Ref())), Related: list(t.Related),
		Resolution: optional(t.Resolution), ResolvedBy: t.ResolvedBy, ResolvedAt: t.ResolvedAt,
		ExecutionOrder: optional(place), Wave: optional(g.depth[t.Ref()]),
		WorkflowChain: list(t.WorkflowChain), Title: t.Title,
	}
}

// places numbers the todos of one source in the order of the graph, from 1.
func (g *Graph) places(source string) map[Ref]int {
	out := map[Ref]int{}
	for _, r := range g.Order {
		if r.Source() == source {
			out[r] = len(out) + 1
		}
	}
	return out
}

func (g *Graph) within(source string) manifestGraph {
	own := func(edges []edge) []edge {
		return slices.DeleteFunc(list(edges), func(e edge) bool { return e.From.Source() != source })
	}
	m := manifestGraph{
		Edges: own(g.Edges), UnresolvedDeps: own(g.Dangling), CrossSource: own(g.CrossSource),
		Order: []Ref{}, Waves: []manifestWave{},
	}
	for _, r := range g.Order {
		if r.Source() != source {
			continue
		}
		m.Order = append(m.Order, r)
		if n := len(m.Waves); n == 0 || m.Waves[n-1].Wave != g.depth[r] {
			m.Waves = append(m.Waves, manifestWave{Wave: g.depth[r]})
		}
		last := &m.Waves[len(m.Waves)-1]
		last.Todos = append(last.Todos, r)
	}
	for _, c := range g.Cycles {
		m.HasCycles = m.HasCycles || slices.ContainsFunc(c, func(r Ref) bool { return r.Source() == source })
	}
	return m
}

// optional returns nil, null in JSON, for a zero value.
func optional[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

// list returns a list that is never null in JSON.
func list[T any](s []T) []T { return append([]T{}, s...) }
