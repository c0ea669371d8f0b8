package todo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCirclesAreToldApartFromWhatWaitsOnThem(t *testing.T) {
	var got []string
	for _, p := range CheckAll(NewIndex([]Todo{
		todoWith("001", Ready, "002"), todoWith("002", Ready, "001"), todoWith("003", Ready, "001"),
		todoWith("004", Ready, "004"), todoWith("005", Ready, "review/404"), todoWith("006", Ready, "005"),
	})) {
		got = append(got, fmt.Sprint(p.Todo, " ", p.Rule, ": ", p.Message))
	}
	want := []string{
		"review/004 self_dependency: depends on itself",
		"review/005 dangling_dependency: depends on review/404, which does not exist",
		"review/001 dependency_cycle: in a circle: review/001 → review/002",
		"review/002 dependency_cycle: in a circle: review/001 → review/002",
		"review/003 downstream_of_cycle: depends on a circle, so it can never start",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestADependencyInAnotherSourceIsNotDangling(t *testing.T) {
	other := todoWith("001", Complete)
	other.Source = "audit"
	if p := CheckAll(NewIndex([]Todo{todoWith("001", Ready, "audit/001"), other})); len(p) != 0 {
		t.Fatalf("problems %v", p)
	}
}

// Taking away, again and again, the todos that wait for nothing leaves exactly those in a circle or behind one.
func TestEveryCircleIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "n")
		var all, left []Todo
		for i := range n {
			var deps []Ref
			for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, n), 0, 3, rapid.ID).Draw(rt, "deps") {
				deps = append(deps, Ref(fmt.Sprintf("review/%03d", d)))
			}
			all = append(all, todoWith(fmt.Sprintf("%03d", i), Ready, deps...))
		}
		for was := -1; was != len(left); {
			if was < 0 {
				left = slices.Clone(all)
			}
			was = len(left)
			left = slices.DeleteFunc(left, func(t Todo) bool {
				return !slices.ContainsFunc(t.Dependencies, func(d Ref) bool {
					return d != t.Ref() && slices.ContainsFunc(left, func(o Todo) bool { return o.Ref() == d })
				})
			})
		}
		var got, want []Ref
		for _, p := range CheckAll(NewIndex(all)) {
			if p.Rule == RuleCycle || p.Rule == ruleDownstream {
				got = append(got, p.Todo)
			}
		}
		for _, t := range left {
			want = append(want, t.Ref())
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("circles and behind: %v, want %v", got, want)
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
