package todos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/todo"
)

func TestCreatingAFindingTwiceMakesItOnce(t *testing.T) {
	s := newSession(t, review)
	finding := draft("SQL injection", todo.Pending)
	finding.FindingID, finding.SourceRef = "SEC-001", "tmp/reviews/abc/TOME.md"
	task := draft("Implement auth", todo.Ready)
	task.Source, task.SourceRef, task.Tags = "work", "plans/p.md", []model.Text{"task-1"}
	mustCreate(t, s, finding, task)
	made, err := s.Create([]todo.Draft{finding, task, draft("by hand", todo.Pending)}, operator())
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Created) != 1 || len(made.Skipped) != 2 || made.Skipped[0].Existing != "review/001" || made.Skipped[1].Existing != "work/001" {
		t.Fatalf("got %+v", made)
	}
}

func TestATodoLivesItsWholeLife(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Pending), draft("two", todo.Ready))
	approve := operator()
	approve.To, approve.Reason = todo.Ready, "Triage approved"
	if _, err := s.Change("1", approve, todo.Judge); err != nil {
		t.Fatal(err)
	}
	got, why, _, err := s.Claim(nil, agent("smith-1"), nil)
	if err != nil || why != todo.Something || got.IssueID != "001" {
		t.Fatalf("claimed %s, %q, %v", got.IssueID, why, err)
	}
	block := agent("smith-1")
	block.To, block.Dependencies, block.Reason = todo.Blocked, []todo.Ref{"review/002"}, ""
	if _, err = s.Change("review/001", block, todo.Judge); err != nil {
		t.Fatal(err)
	}
	back := claimBy("smith-1")
	_, err = s.Change("001", back, todo.Judge)
	refusedBy(t, err, todo.RuleWaiting)

	if _, _, err = s.Start("002", agent("smith-2"), nil); err != nil {
		t.Fatal(err)
	}
	finish := func(name string) todo.Move {
		m := agent(name)
		m.To, m.Resolution, m.Reason = todo.Complete, todo.Fixed, "Fixed: it works"
		return m
	}
	if _, err = s.Change("002", finish("smith-2"), todo.Judge); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Change("001", back, todo.Judge); err != nil {
		t.Fatal(err)
	}
	done, err := s.Change("001", finish("smith-1"), todo.Judge)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range done.History {
		rows = append(rows, string(r.To)+" by "+r.Actor.Raw()+": "+r.Reason.Raw())
	}
	want := "pending by user: \nready by user: Triage approved\nin_progress by smith-1: because\n" +
		"blocked by smith-1: Blocked by: review/002\nin_progress by smith-1: because\ncomplete by smith-1: Fixed: it works"
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("history\n%s\nwant\n%s", got, want)
	}
	if done.File != "001-pending-p2-one.md" || done.LastWork != "2026-03-02" {
		t.Errorf("file %s, last work %s", done.File, done.LastWork)
	}
	for _, p := range todo.CheckAll(mustLoad(t, s).Index) {
		t.Errorf("%+v", p)
	}
}

func TestDuplicatesNameOneAnotherUntilReopened(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Pending), draft("two", todo.Ready))
	m := operator()
	m.To, m.Resolution, m.Reason, m.DuplicateOf = todo.WontFix, todo.Duplicate, "the same", "review/001"
	if _, err := s.Change("002", m, todo.Judge); err != nil {
		t.Fatal(err)
	}
	related := func() []todo.Ref {
		first, _ := mustLoad(t, s).Index.Find("review/001")
		return first.Related
	}
	if got := related(); !slices.Equal(got, []todo.Ref{"review/002"}) {
		t.Fatalf("the original's related todos are %v", got)
	}
	back, err := s.Change("002", operator(), todo.Reopen)
	if err != nil || back.Status != todo.Ready && back.Status != todo.Pending {
		t.Fatalf("reopened as %s, %v", back.Status, err)
	}
	if len(related()) != 0 || len(back.Related) != 0 || back.Resolution != "" {
		t.Fatalf("the link stays: %v %v", related(), back.Related)
	}
}

func TestADuplicateIsClosedThoughItsOriginalCannotBeTold(t *testing.T) {
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Pending), draft("two", todo.Ready))
	original := "review/" + made[0].File
	whole := read(t, filepath.Join(s.Path(), original))
	s.at = func(step string) {
		if step == stepRenamed {
			put(t, s, original, "broken")
		}
	}
	m := operator()
	m.To, m.Resolution, m.Reason, m.DuplicateOf = todo.WontFix, todo.Duplicate, "same", "review/001"
	if _, err := s.Change("002", m, todo.Judge); err == nil || !strings.Contains(err.Error(), "validate --fix") {
		t.Fatalf("got %v", err)
	}
	if got := read(t, filepath.Join(s.Path(), original)); got != "broken" {
		t.Errorf("the broken original was changed to %q", got)
	}
	put(t, s, original, whole)
	s.at = func(string) {}
	if fixed, err := s.Fix(operator()); err != nil || len(fixed) != 1 || len(fixed[0].Related) != 1 {
		t.Errorf("repaired %+v, %v", fixed, err)
	}
	if t2 := mustLoad(t, s).Todos[1]; t2.Status != todo.WontFix {
		t.Errorf("the duplicate is %s", t2.Status)
	}
}

// A claim whose lease ended, or whose process died, is interrupted by the next sweep. A valid one is not, nor is one in
// another session.
func TestSweepInterruptsWhatTheDeadLeftInItsOwnSession(t *testing.T) {
	repo := t.TempDir()
	mine, other := openIn(t, repo, review), openIn(t, repo, "tmp/work/1/todos")
	mustCreate(t, mine, draft("one", todo.Ready), draft("two", todo.Ready), draft("three", todo.Ready), draft("four", todo.Ready))
	mustCreate(t, other, draft("one", todo.Ready))
	claim := func(s *Session, id string, pid int, until time.Time) {
		m := agent("smith-" + id)
		m.Lease = todo.Lease{ID: "l" + id, PID: pid, Host: "box", Until: todo.Stamp(until)}
		mustStart(t, s, id, m)
	}
	later := noon.Add(30 * time.Minute)
	claim(mine, "001", 0, noon.Add(time.Minute))
	claim(mine, "002", 7, noon.Add(time.Hour))
	claim(mine, "003", 8, noon.Add(time.Hour))
	claim(other, "001", 7, noon.Add(time.Minute))
	seven := func(host string, pid int) todo.Liveness {
		if pid == 7 {
			return todo.Dead
		}
		return todo.Alive
	}
	m := agent("smith-9")
	m.At = later
	got, _, swept, err := mine.Claim(nil, m, seven)
	if err != nil || got.IssueID != "004" || len(swept) != 2 {
		t.Fatalf("claimed %s, swept %d, %v", got.IssueID, len(swept), err)
	}
	for i, want := range []todo.Status{todo.Interrupted, todo.Interrupted, todo.InProgress} {
		if s := mustLoad(t, mine).Todos[i]; s.Status != want {
			t.Errorf("%s is %s, want %s", s.IssueID, s.Status, want)
		}
	}
	if s := mustLoad(t, other).Todos[0].Status; s != todo.InProgress {
		t.Errorf("the other session's todo is %s", s)
	}
	late := agent("smith-001")
	late.To, late.Resolution, late.Fence = todo.Complete, todo.Fixed, "l001"
	if _, err := mine.Change("001", late, todo.Judge); err == nil {
		t.Error("the dead claimant completed an interrupted todo")
	}
	resume := operator()
	resumed, err := mine.ResumeAll(resume)
	if err != nil || len(resumed) != 2 || resumed[0].AssignedTo != "" || resumed[0].ClaimedAt != "" {
		t.Fatalf("resumed %+v, %v", resumed, err)
	}
	if ended, _, err := mine.Cleanup(nextDay(), nil); err != nil || len(ended) != 2 || ended[0].Reason != todo.SessionEnded {
		t.Fatalf("cleanup interrupted %+v, %v", ended, err)
	}
}

func TestAnExpiredClaimantsFenceIsWorthless(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Ready))
	first := agent("smith")
	first.Lease.ID = "first"
	mustStart(t, s, "001", first)
	mustCleanUp(t, s)
	if _, err := s.ResumeAll(operator()); err != nil {
		t.Fatal(err)
	}
	second := agent("smith")
	second.Lease.ID = "second"
	mustStart(t, s, "001", second)
	done := agent("smith")
	done.To, done.Resolution, done.Fence = todo.Complete, todo.Fixed, "first"
	_, err := s.Change("001", done, todo.Judge)
	refusedBy(t, err, todo.RuleFence)
}

// A reload sees every way in which a file changes, also one that keeps size and times.
func TestAReloadSeesWhatChanged(t *testing.T) {
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Ready), draft("two", todo.Ready), draft("three", todo.Ready), draft("four", todo.Ready))
	dir := filepath.Join(s.Path(), "review")
	old := time.Now().Add(-time.Hour)
	for _, m := range made {
		must(t, os.Chtimes(filepath.Join(dir, m.File), old, old))
	}
	before, err := s.Reload(Snapshot{})
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, made[0].File)))
	put(t, s, "review/"+made[1].File, "broken")
	raw := strings.Replace(read(t, filepath.Join(dir, made[2].File)), "priority: p2", "priority: p1", 1)
	must(t, os.WriteFile(filepath.Join(dir, "new"), []byte(raw), 0o644))
	must(t, os.Chtimes(filepath.Join(dir, "new"), old, old))
	must(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, made[2].File)))
	mustCreate(t, s, draft("five", todo.Ready))
	after, err := s.Reload(before)
	if err != nil {
		t.Fatal(err)
	}
	fresh := mustLoad(t, s)
	if !slices.EqualFunc(after.Todos, fresh.Todos, func(a, b todo.Todo) bool { return a.Ref() == b.Ref() && len(todo.Diff(a, b)) == 0 }) ||
		!slices.Equal(after.Damaged, fresh.Damaged) || len(after.Todos) != 3 || len(after.Damaged) != 1 {
		t.Fatalf("reloaded %+v\nfresh %+v", after.Todos, fresh.Todos)
	}
}

// A console keeps only what its lists show of a session: no text below the front matter, and no history.
func TestAReloadKeepsLittle(t *testing.T) {
	const files, each = 100, 2 << 10
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Ready))[0]
	raw := read(t, filepath.Join(s.Path(), "review", made.File)) + strings.Repeat("| 2026-03-02T12:00:00Z | ready | ready | smith | again |\n", 400)
	for i := range files {
		name := fmt.Sprintf("%03d-ready-p2-one.md", i+2)
		put(t, s, "review/"+name, strings.Replace(raw, `issue_id: "001"`, fmt.Sprintf("issue_id: %q", name[:3]), 1))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	snap, err := s.Reload(Snapshot{})
	must(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); len(snap.Todos) != files+1 || held > files*each {
		t.Errorf("%d todos of %d bytes hold %d bytes", len(snap.Todos), len(raw), held)
	}
	runtime.KeepAlive(snap)
}

func TestAClaimIsProlongedByItsOwnerAndKeepsItsFenceWhileItHolds(t *testing.T) {
	s := newSession(t, review)
	mustCreate(t, s, draft("one", todo.Ready))
	m := agent("smith")
	mustStart(t, s, "001", m)
	renew := func(at time.Time, id string) todo.Lease {
		m.At, m.Lease = at, todo.Lease{ID: id, Until: todo.Stamp(at.Add(time.Hour))}
		got, _, err := s.Start("001", m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.History) != 2 {
			t.Errorf("%d rows of history", len(got.History))
		}
		return got.Lease
	}
	_, _, err := s.Start("001", m, nil)
	refusedBy(t, err, todo.RuleClaimed) // of two processes with one name only one holds the claim
	m.Fence = "smith-lease"
	if l := renew(noon.Add(30*time.Minute), "second"); l.ID != "smith-lease" || l.Until != "2026-03-02T13:30:00Z" {
		t.Errorf("prolonged to %+v", l)
	}
	if l := renew(noon.Add(3*time.Hour), "third"); l.ID != "third" {
		t.Errorf("a claim that was over keeps its fence: %+v", l)
	}
	_, _, err = s.Start("001", agent("other"), nil)
	refusedBy(t, err, todo.RuleClaimed)
}

// An editor writes during a change: its text is not lost, and the change is decided by it.
func TestAnEditorBetweenReadAndRenameWins(t *testing.T) {
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Ready))[0]
	file := filepath.Join(s.Path(), "review", made.File)
	edits := 0
	s.at = func(step string) {
		if step == stepSynced && edits == 0 {
			edits++
			put(t, s, "review/"+made.File, strings.Replace(read(t, file), "## Problem Statement", "## Problem Statement, edited", 1))
		}
	}
	mustStart(t, s, "001", agent("smith"))
	if got := read(t, file); !strings.Contains(got, "edited") || !strings.Contains(got, "status: in_progress") || edits != 1 {
		t.Fatalf("got\n%s", got)
	}
	s.at = func(step string) {
		if step == stepSynced {
			edits++
			put(t, s, "review/"+made.File, read(t, file)+strings.Repeat("x", edits))
		}
	}
	_, _, err := s.Cleanup(nextDay(), nil)
	if !errors.Is(err, ErrChanged) {
		t.Fatalf("an editor that never rests: %v", err)
	}
}
