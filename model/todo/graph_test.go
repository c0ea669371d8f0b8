package todo

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The worked example: order is by depth, priority, source, id.
func TestTheWorkedExampleOfAGraph(t *testing.T) {
	node := func(id string, p Priority, deps ...Ref) Todo {
		t := todoWith(id, Ready, deps...)
		t.Source, t.Priority = "work", p
		return t
	}
	g := NewGraph(NewIndex([]Todo{
		node("003", P2, "work/001"), node("005", P2), node("001", P1), node("004", P3, "work/003"), node("002", P2),
	}))
	if got := fmt.Sprint(g.Order); got != "[work/001 work/002 work/005 work/003 work/004]" {
		t.Errorf("order %s", got)
	}
	if got := fmt.Sprint(g.CriticalPath); got != "[work/001 work/003 work/004]" {
		t.Errorf("critical path %s", got)
	}
}

func TestCirclesAreToldApartFromWhatWaitsOnThem(t *testing.T) {
	g := NewGraph(NewIndex([]Todo{
		todoWith("001", Ready, "002"), todoWith("002", Ready, "001"), todoWith("003", Ready, "001"),
		todoWith("004", Ready, "004"), todoWith("005", Ready, "review/404"), todoWith("006", Ready, "005"),
	}))
	got := fmt.Sprintf("cycles %v downstream %v self %v dangling %v order %v",
		g.Cycles, g.Downstream, g.SelfDependencies, g.Dangling, g.Order)
	want := "cycles [[review/001 review/002]] downstream [review/003] self [review/004] " +
		"dangling [{review/005 review/404 blocked_by}] order [review/004 review/005 review/006]"
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestADependencyInAnotherSourceIsNotDangling(t *testing.T) {
	other := todoWith("001", Complete)
	other.Source = "audit"
	g := NewGraph(NewIndex([]Todo{todoWith("001", Ready, "audit/001"), other}))
	if len(g.Dangling) != 0 || len(g.CrossSource) != 1 {
		t.Fatalf("dangling %v, cross-source %v", g.Dangling, g.CrossSource)
	}
}

// Every todo is once in the order, in a circle, or behind one; and it comes after what it depends on.
func TestEveryGraphIsWhollyPlaced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "n")
		var all []Todo
		for i := range n {
			var deps []Ref
			for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, n), 0, 3, rapid.ID).Draw(rt, "deps") {
				deps = append(deps, Ref(fmt.Sprintf("review/%03d", d)))
			}
			all = append(all, todoWith(fmt.Sprintf("%03d", i), Ready, deps...))
		}
		g := NewGraph(NewIndex(all))
		placed := slices.Concat(g.Order, g.Downstream, slices.Concat(g.Cycles...))
		slices.Sort(placed)
		if len(slices.Compact(placed)) != n {
			rt.Fatalf("%d todos, placed %v", n, placed)
		}
		for _, e := range g.Edges {
			if from, to := slices.Index(g.Order, e.From)+1, slices.Index(g.Order, e.To)+1; from > 0 && (to == 0 || to > from) {
				rt.Fatalf("%v comes before what it needs, %v", e.From, e.To)
			}
		}
		for i, r := range g.CriticalPath {
			if i > 0 && slices.Index(g.Order, r)+1 < slices.Index(g.Order, g.CriticalPath[i-1])+1 {
				rt.Fatalf("critical path %v goes back", g.CriticalPath)
			}
		}
	})
}

func TestTheContractNamesEachBreach(t *testing.T) {
	pair := func(deps, related []Ref) []Todo {
		a, b := todoWith("001", Ready, deps...), todoWith("002", Ready)
		a.Related = related
		return []Todo{a, b}
	}
	incomplete := standing(Complete)
	incomplete.CompletedBy = ""
	lax := standing(WontFix)
	lax.Reason = ""
	aimless := standing(WontFix)
	aimless.Resolution = Duplicate
	unassigned := standing(InProgress)
	unassigned.AssignedTo = ""
	withHistory := standing(Ready)
	withHistory.History = []Row{{To: Pending}}
	old := standing(Ready)
	old.Schema = 0
	for _, c := range []struct {
		all   []Todo
		rule  Rule
		field string
	}{
		{[]Todo{incomplete}, RuleCompletion, "completed_by"},
		{[]Todo{lax}, RuleResolution, "resolution_reason"},
		{[]Todo{aimless}, RuleDuplicate, "duplicate_of"},
		{[]Todo{unassigned}, RuleClaim, "assigned_to"},
		{[]Todo{withHistory}, RuleHistory, "status"},
		{[]Todo{old}, ruleSchema, "schema_version"},
		{[]Todo{standing(Ready), standing(Ready)}, ruleTwice, "issue_id"},
		{pair([]Ref{"review/404"}, nil), RuleDangling, "dependencies"},
		{pair([]Ref{"001"}, nil), RuleSelf, "dependencies"},
		{pair(nil, []Ref{"review/002"}), RuleRelated, "related_todos"},
		{pair(nil, []Ref{"review/404"}), ruleRelatedGone, "related_todos"},
	} {
		problems := CheckAll(NewIndex(c.all))
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == c.rule && p.Field == c.field }) {
			t.Errorf("want %s %s among %+v", c.rule, c.field, problems)
		}
	}
}

func TestSimilarTodosAreShownAndUnlikeOnesAreNot(t *testing.T) {
	a, b, c := todoWith("001", Pending), todoWith("002", Pending), todoWith("003", Pending)
	a.Title, b.Title, c.Title = "SQL injection in query", "SQL injection in queries", "Missing test"
	for _, t := range []*Todo{&a, &b, &c} {
		t.Files, t.SourceRef = nil, "TOME.md"
	}
	a.Files = append(a.Files, "src/db.ts:42")
	b.Files = append(b.Files, "src/db.ts:44")
	c.Files = append(c.Files, "src/db.ts:300")
	a.FindingID, b.FindingID, c.FindingID = "SEC-001", "SEC-007", "QUAL-002"
	got := FindSimilar([]Todo{c, b, a})
	if len(got) != 1 || got[0].Keep != "review/001" || got[0].Other != "review/002" || got[0].Score < 0.9 {
		t.Fatalf("got %+v", got)
	}
}
