package todo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"

	"pgregory.net/rapid"
)

func todoWith(id string, s Status, deps ...Ref) Todo {
	t := standing(s)
	t.IssueID, t.Dependencies, t.File = id, deps, id+"-x.md"
	if s == Ready {
		t.AssignedTo = ""
	}
	return t
}

func refusedBy(t *testing.T, err error, rule Rule) {
	t.Helper()
	if r := model.AsError(err); r == nil || r.Rule != string(rule) {
		t.Fatalf("got %v, want a refusal by %s", err, rule)
	}
}

func TestIDsGoOnFromTheHighestAndGrowAfter999(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "001"},
		{[]string{"001-pending-p1-a.md", "003-ready-p2-b.md"}, "004"},
		{[]string{"task-7-auth.md", "002"}, "008"},
		{[]string{"999-x.md"}, "1000"},
		{[]string{"1000-x.md", "0999-x.md", "README.md"}, "1001"},
	} {
		if got := NextID(c.names); got != c.want {
			t.Errorf("NextID(%q) = %s, want %s", c.names, got, c.want)
		}
	}
}

func TestIDsCompareAsNumbers(t *testing.T) {
	ids := []string{"1000", "999", "task-2", "010", "abc"}
	slices.SortFunc(ids, compareID)
	if got := strings.Join(ids, " "); got != "task-2 010 999 1000 abc" {
		t.Fatalf("got %s", got)
	}
}

func TestWhatMayBeATodoFile(t *testing.T) {
	for name, want := range map[string]bool{
		"001-pending-p1-x.md": true, "1000-ready-p2-y.md": true, "task-2.md": true, "task-1-a.md": true,
		"001-e2e-login.md": true, "README.md": false, "001.md": false, "01-x.md": false,
		".001-pending-p1-x.md.123.tmp": false, "001-x.txt": false, "task-.md": false,
	} {
		if got := IsTodoFile(name); got != want {
			t.Errorf("IsTodoFile(%q) = %v", name, got)
		}
	}
}

func TestAFileNameIsASlugOfTheTitle(t *testing.T) {
	got := FileName("007", Pending, P1, "  Fix: SQL injection — in `admin`/queries, everywhere & at once!")
	if want := "007-pending-p1-fix-sql-injection-in-admin-queries-every.md"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if got := FileName("008", Ready, P2, "日本"); got != "008-ready-p2-todo.md" {
		t.Fatalf("got %s", got)
	}
}

// A complete dependency satisfies; a duplicate counts as its original; another closed one never will; an unknown one is
// reported.
func TestWaitingOnIsDerivedFromDependencies(t *testing.T) {
	original := todoWith("010", Ready)
	copied := todoWith("011", WontFix)
	copied.Resolution, copied.DuplicateOf = Duplicate, "review/010"
	done := todoWith("012", Complete)
	copyOfDone := todoWith("013", WontFix)
	copyOfDone.Resolution, copyOfDone.DuplicateOf = Duplicate, "012"
	rejected := todoWith("014", WontFix)
	circleA, circleB := todoWith("015", WontFix), todoWith("016", WontFix)
	circleA.Resolution, circleA.DuplicateOf = Duplicate, "review/016"
	circleB.Resolution, circleB.DuplicateOf = Duplicate, "review/015"
	x := NewIndex([]Todo{original, copied, done, copyOfDone, rejected, circleA, circleB})
	for _, c := range []struct {
		on   Ref
		want string
	}{
		{"review/010", "review/010 (ready)"},
		{"011", "review/010 (ready)"},
		{"review/012", ""},
		{"013", ""},
		{"014", "review/014 (closed without a fix)"},
		{"015", "review/016 (closed without a fix)"},
		{"audit/001", "audit/001 (unknown)"},
		{"020", "review/020 (itself)"},
	} {
		if got := JoinWaits(x.Waiting(todoWith("020", Ready, c.on))); got != c.want {
			t.Errorf("on %s: waiting on %q, want %q", c.on, got, c.want)
		}
	}
}

func TestNextTakesTheFirstThatWaitsOnNothing(t *testing.T) {
	urgent := todoWith("002", Ready, "review/009")
	later := todoWith("1000", Ready)
	sooner := todoWith("999", Ready)
	x := NewIndex([]Todo{later, urgent, sooner, todoWith("009", Pending)})
	got, why := Next(nil, x)
	if why != Something || got.IssueID != "999" {
		t.Fatalf("got %s %q", got.IssueID, why)
	}
}

func TestNextSaysWhyThereIsNothing(t *testing.T) {
	claimed := todoWith("001", InProgress)
	for _, c := range []struct {
		all  []Todo
		want Nothing
	}{
		{nil, noTodos},
		{[]Todo{todoWith("001", Complete), todoWith("002", WontFix)}, allOver},
		{[]Todo{claimed, todoWith("002", Complete)}, allClaimed},
		{[]Todo{todoWith("001", Pending), todoWith("002", Interrupted)}, noneReady},
		{[]Todo{todoWith("001", Ready, "002"), todoWith("002", Pending)}, allBlocked},
	} {
		if _, got := Next(nil, NewIndex(c.all)); got != c.want {
			t.Errorf("%d todos: got %q, want %q", len(c.all), got, c.want)
		}
	}
}

func TestAClaimBelongsToItsClaimant(t *testing.T) {
	held := standing(InProgress)
	done := fullMove(InProgress, Complete, "")
	done.Actor = Actor{Name: "smith-2"}
	_, err := Judge(held, done, company())
	refusedBy(t, err, ruleClaimant)

	done.Actor = Actor{Name: "smith-1"}
	done.Fence = "second"
	_, err = Judge(held, done, company())
	refusedBy(t, err, RuleFence)

	done.Fence = "first"
	if _, err = Judge(held, done, company()); err != nil {
		t.Fatal(err)
	}
}

func TestALeaseIsOverByTimeOrByDeath(t *testing.T) {
	dead := func(host string, pid int) Liveness {
		if host == "box" && pid == 7 {
			return Dead
		}
		return Unknown
	}
	until := Stamp(noon.Add(time.Hour))
	for _, c := range []struct {
		name string
		l    Lease
		over bool
	}{
		{"none", Lease{}, false},
		{"running", Lease{ID: "a", Until: until}, false},
		{"run out", Lease{ID: "a", Until: Stamp(noon)}, true},
		{"dead here", Lease{ID: "a", PID: 7, Host: "box", Until: until}, true},
		{"unknown elsewhere", Lease{ID: "a", PID: 7, Host: "other", Until: until}, false},
		{"unreadable", Lease{ID: "a", Until: "soon"}, true},
	} {
		if got := c.l.Over(noon, dead) != ""; got != c.over {
			t.Errorf("%s: over %v, want %v", c.name, got, c.over)
		}
	}
}

func TestOnlyAnOperatorReopensAndTheHistorySaysSo(t *testing.T) {
	closed := standing(WontFix)
	closed.Resolution, closed.DuplicateOf, closed.Related = Duplicate, "review/002", []Ref{"review/002", "review/003"}
	closed.History = []Row{{To: Pending}, {From: Pending, To: Ready}, {From: Ready, To: WontFix}}
	m := Move{Actor: Actor{Name: "smith-1"}, At: noon}
	_, err := Reopen(closed, m, nil)
	refusedBy(t, err, RuleOperator)
	m.Actor = Actor{Name: User, Operator: true}
	c, err := Reopen(closed, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.After.Status != Ready || c.After.Resolution != "" || c.Unlink != "review/002" || len(c.After.Related) != 1 {
		t.Fatalf("got %+v", c.After)
	}
	if got := len(c.After.History); got != 4 {
		t.Fatalf("%d rows of history, want the old three and one more", got)
	}
	_, err = Reopen(standing(Ready), m, nil)
	refusedBy(t, err, ruleNotFinal)
}

func TestADuplicateNamesAnotherTodoThatIsNotItsOwnDuplicate(t *testing.T) {
	other := todoWith("002", WontFix)
	other.Resolution, other.DuplicateOf = Duplicate, "review/001"
	x := NewIndex([]Todo{standing(Pending), other})
	for _, target := range []Ref{"", "review/001", "review/404", "review/002"} {
		m := fullMove(Pending, WontFix, "")
		m.Resolution, m.DuplicateOf = Duplicate, target
		_, err := Judge(standing(Pending), m, x)
		refusedBy(t, err, RuleDuplicate)
	}
}

func TestAPendingTodoIsClaimedInTwoSteps(t *testing.T) {
	m := fullMove(Ready, InProgress, "")
	m.Approve = true
	c, err := Judge(standing(Pending), m, company())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 2 || c.Rows[0].To != Ready || c.Rows[1].From != Ready || c.After.Status != InProgress {
		t.Fatalf("got rows %+v", c.Rows)
	}
}

func TestFiltersNameTheValidWords(t *testing.T) {
	for _, c := range []struct{ status, priority, source string }{
		{"done", "", ""}, {"", "p4", ""}, {"", "", "../etc"},
	} {
		f := func(s string) []string {
			if s == "" {
				return nil
			}
			return []string{s}
		}
		_, err := ParseFilter(f(c.status), f(c.priority), f(c.source), nil, "")
		if r := model.AsError(err); r == nil || r.Hint == "" {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	f := Filter{Source: []string{"reviw"}}
	if err := f.KnownSources([]string{"special"}); err == nil || !strings.Contains(model.AsError(err).Hint, "special") {
		t.Errorf("got %v", err)
	}
}

func TestTheFourKindsOfStale(t *testing.T) {
	now := noon.Add(30 * 24 * time.Hour)
	unleased := todoWith("001", InProgress)
	unleased.Lease = Lease{}
	blocked := todoWith("002", Blocked, "review/004")
	lingering := todoWith("003", Interrupted)
	old := todoWith("004", Pending)
	old.WorkSession = "1771234"
	fresh := todoWith("005", Interrupted)
	fresh.ClaimedAt = Stamp(now.Add(-time.Hour))
	x := NewIndex([]Todo{unleased, blocked, lingering, old, fresh, todoWith("006", Complete)})
	life := SessionLife{Exists: func(string) bool { return false }}
	got := map[string]staleKind{}
	for _, s := range FindStale(x, now, Thresholds{InProgress: 24 * time.Hour, Blocked: 72 * time.Hour, Interrupted: 24 * time.Hour}, life, nil) {
		got[s.Todo.ID()] = s.Kind
		if s.Reason == "" {
			t.Errorf("%s has no reason", s.Todo)
		}
	}
	want := map[string]staleKind{"001": longInProgress, "002": unresolvedBlocked, "003": lingeringInterrupted, "004": deadSession}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestASnippetIsFoundWhereverItMoved(t *testing.T) {
	code := "package db\n\nfunc a() {\n\tquery(\"select \" + id)\n\treturn\n}\n\nfunc b() {\n\tquery(\"select \" + id)\n}\n"
	for _, c := range []struct {
		name, snippet string
		hint          int
		want          Place
	}{
		{"other indentation", "  query(\"select \" + id)\n  return\n", 90, Place{Line: 4, Lines: 2, Copies: 1}},
		{"nearest copy", "query(\"select \" + id)", 10, Place{Line: 9, Lines: 1, Copies: 2}},
		{"changed around", "func gone() {\nquery(\"select \" + id)\nreturn\n}", 4, Place{Changed: true}},
		{"gone", "nothing like it", 4, Place{Changed: true}},
		{"empty", "\n\n", 4, Place{Changed: true}},
	} {
		if got := locate(code, c.snippet, c.hint); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestARowSurvivesItsTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Filter(func(s string) bool { return OneLine(s) == s && !strings.Contains(s, "|") })
		r := Row{
			At: "2026-03-02T12:00:00Z", From: rapid.SampledFrom(append(Statuses(), "")).Draw(rt, "from"),
			To:    rapid.SampledFrom(Statuses()).Draw(rt, "to"),
			Actor: model.Text(text.Draw(rt, "actor")), Reason: model.Text(text.Draw(rt, "reason")),
		}
		got, ok := ParseRow(r.Line())
		if !ok || got != r {
			rt.Fatalf("%q read back as %+v", r.Line(), got)
		}
	})
}

// For any request: an allowed move keeps the contract, adds to the history and never leaves a final status.
func TestNoMoveBreaksTheContract(t *testing.T) { rapid.Check(t, anyMoves) }

func FuzzMoves(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyMoves)) }

func anyMoves(rt *rapid.T) {
	cur := standing(Pending)
	for range rapid.IntRange(1, 30).Draw(rt, "moves") {
		to := rapid.SampledFrom(Statuses()).Draw(rt, "to")
		m := fullMove(cur.Status, to, rapid.SampledFrom(append([]string{""}, fixedKeys...)).Draw(rt, "without"))
		m.Actor.Operator = rapid.Bool().Draw(rt, "operator")
		m.Approve = rapid.Bool().Draw(rt, "approve")
		c, err := Judge(cur, m, company())
		if err != nil {
			continue
		}
		if cur.Status.Final() {
			rt.Fatalf("left %s for %s", cur.Status, to)
		}
		if n := len(c.After.History); n <= len(cur.History) || c.After.History[n-1].To != c.After.Status {
			rt.Fatalf("history %+v does not tell of %s", c.After.History, to)
		}
		for _, p := range Check(c.After) {
			if p.Severity != Info {
				rt.Fatalf("%s → %s: %+v", cur.Status, to, p)
			}
		}
		if c.After.Status != InProgress && c.After.Status != Blocked && !c.After.Lease.IsZero() {
			rt.Fatalf("%s has a lease", c.After.Status)
		}
		cur = c.After
	}
}
