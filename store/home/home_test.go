package home

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	file "vise/model/todo"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/storetest"
	"vise/store/todos"
)

// counted is a backend that counts its transactions. A test can make some of them fail.
type counted struct {
	store.Backend
	opened, updates int
	// before is called before each write, with its number; after runs once the write is saved.
	before func(n int) error
	after  func(n int)
}

func (b *counted) View(ctx context.Context, fn func(store.Txn) error) error {
	b.opened++
	return b.Backend.View(ctx, fn)
}

func (b *counted) Update(ctx context.Context, fn func(store.Txn) error) error {
	b.opened++
	b.updates++
	n := b.updates
	if b.before != nil {
		if err := b.before(n); err != nil {
			return err
		}
	}
	err := b.Backend.Update(ctx, fn)
	if err == nil && b.after != nil {
		b.after(n)
	}
	return err
}

// trial is a home on a counted backend, in a repository, with an item of ann's.
type trial struct {
	*Home
	t    *testing.T
	b    *counted
	repo string
	item model.ItemID
}

func newTrial(t *testing.T) *trial {
	t.Helper()
	b := &counted{Backend: kv.NewMemory()}
	plans, err := files.NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.NewLedger(t.Context(), b, plans)
	if err != nil {
		t.Fatal(err)
	}
	x := &trial{Home: On(l, plans, Options{Dir: storetest.RepoWithCommit(t).Dir}), t: t, b: b}
	x.repo = x.o.Dir
	t.Cleanup(func() { x.Close() })
	x.item = x.do(model.CreateWorkItem{Objective: "Fix login", Plan: "one"}).WorkItemID
	return x
}

func (x *trial) send(c model.Command) (model.Receipt, error) {
	return x.Apply(x.t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "ann", Command: c})
}

func (x *trial) do(c model.Command) model.Receipt {
	x.t.Helper()
	in, err := x.send(c)
	if err != nil {
		x.t.Fatalf("%s: %v", model.CommandName(c), err)
	}
	return in
}

// only expects one warning of a kind.
func (x *trial) only(in model.Receipt, kind model.WarningKind) {
	x.t.Helper()
	if len(in.Warnings) != 1 || in.Warnings[0].Kind != kind {
		x.t.Errorf("%s warns of %+v, want %s alone", in.Command, in.Warnings, kind)
	}
}

// opens counts the transactions of do, and starts the count of writes again.
func (x *trial) opens(do func()) int {
	before := x.b.opened
	x.b.updates = 0
	do()
	return x.b.opened - before
}

// threaded links a paused thread to the item.
func (x *trial) threaded() {
	x.t.Helper()
	r, done := x.Threads(model.Operator).At(x.t.Context(), "", "test")
	defer done()
	for _, c := range []thread.Command{thread.Start{Goal: "Fix login"}, thread.Close{Status: thread.Paused}} {
		if _, err := r.Apply(x.t.Context(), c); err != nil {
			x.t.Fatal(err)
		}
	}
	links := []model.ThreadLink{{Repo: model.Text(x.repo), TaskID: "fix-login"}}
	x.do(model.LinkWorkItem{WorkItemID: x.item, Add: model.Links{Threads: links}})
}

// found links a finding to the item and returns its session's directory.
func (x *trial) found() string {
	x.t.Helper()
	s, err := todos.OpenNew(x.repo, "tmp/reviews/7/todos")
	if err != nil {
		x.t.Fatal(err)
	}
	defer s.Close()
	draft := file.Draft{Source: "review", Status: file.Ready, Priority: file.P2, Title: "A race", Files: []model.Text{"db.go:2"}}
	if _, err := s.Create([]file.Draft{draft}, file.Move{Actor: file.Actor{Name: file.User, Operator: true}, At: time.Now()}); err != nil {
		x.t.Fatal(err)
	}
	x.do(model.LinkWorkItem{WorkItemID: x.item, Add: model.Links{TodoRefs: []model.TodoRef{{TodosBase: model.Text(s.Path()), QualifiedID: "review/001"}}}})
	return s.Path()
}

var errBroken = errors.New("the disk is gone")

func TestAPlanThatIsNotRefreshedHidesNoAnswer(t *testing.T) {
	x := newTrial(t)
	write := func() {
		if err := files.WriteAtomic(x.Files().PlanPath("ann", x.item), []byte("two")); err != nil {
			t.Fatal(err)
		}
	}
	x.b.updates, x.b.before = 0, func(n int) error {
		if n == 2 { // the update itself is the first write
			return errBroken
		}
		return nil
	}
	write()
	ready := model.Ready
	in := x.do(model.UpdateWorkItem{WorkItemID: x.item, PlanStatus: &ready})
	x.only(in, model.WarnPlanNotRefreshed)
	x.b.updates, x.b.before = 0, func(n int) error {
		if n == 1 { // the plan is described before the completion
			return errBroken
		}
		return nil
	}
	in = x.do(model.CompleteWorkItem{WorkItemID: x.item})
	if !in.CompletedTransition || !slices.ContainsFunc(in.Warnings, func(w model.Warning) bool { return w.Kind == model.WarnPlanNotRefreshed }) {
		t.Errorf("got %+v", in)
	}
}

func TestAThreadThatCannotFollowHidesNoAnswer(t *testing.T) {
	x := newTrial(t)
	x.threaded()
	if err := os.WriteFile(filepath.Join(x.repo, ".aictx/tasks/threads/fix-login.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := x.do(model.PickWorkItem{WorkItemID: x.item})
	x.only(in, model.WarnThreadNotFollowed)
	if in.Transition == nil {
		t.Error("the answer is hidden")
	}
}

func TestATodoThatCannotFollowHidesNoAnswer(t *testing.T) {
	x := newTrial(t)
	session := x.found()
	x.b.after = func(int) { os.RemoveAll(session) } // between the decision and the work after it
	in := x.do(model.CompleteWorkItem{WorkItemID: x.item, LinkedTodos: map[string]model.Text{"review/001": "finished"}})
	if !in.CompletedTransition || !slices.ContainsFunc(in.Warnings, func(w model.Warning) bool { return w.Kind == model.WarnTodoStillOpen }) {
		t.Errorf("got %+v", in)
	}
}

func TestAHookQueueThatCannotBeReadHidesNoAnswer(t *testing.T) {
	x := newTrial(t)
	if err := os.WriteFile(filepath.Join(x.Dir(), "spool"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x.queueAt.Store(0) // it is due
	in := x.do(model.PickWorkItem{WorkItemID: x.item})
	x.only(in, model.WarnQueueNotTaken)
	if in.Transition == nil {
		t.Error("the answer is hidden")
	}
}

// TestWhatHooksLeftIsTakenInWhenDue: every process that has the home open takes the hooks' files when they are due.
func TestWhatHooksLeftIsTakenInWhenDue(t *testing.T) {
	x := newTrial(t)
	x.do(model.CompleteWorkItem{WorkItemID: x.item})
	if err := x.Queue(HookReport{Key: "k", Agent: "ann", Items: []string{string(x.item)}, Text: "Late.", Provenance: model.ReportTurnFinal, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	x.queueAt.Store(0)
	if err := x.View(t.Context(), func(r model.Reader) error {
		if offered, _ := r.Offers("ann", x.item); len(offered.Offers) != 1 {
			t.Errorf("offered are %+v", offered)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAnActOpensTheLedgerOnce, also if a thread follows it; a read afterwards opens it a second time. (So does the
// first pick in a work tree, which records where work began.)
func TestAnActOpensTheLedgerOnce(t *testing.T) {
	x := newTrial(t)
	x.threaded()
	x.began()
	ready := model.Ready
	for _, c := range []model.Command{
		model.PickWorkItem{WorkItemID: x.item}, model.UpdateWorkItem{WorkItemID: x.item, PlanStatus: &ready},
		model.WaitFor{WorkItemID: x.item, Reason: "CI", Wake: model.WakeExternal, Source: "ci", Resource: "run/1"},
	} {
		var in model.Receipt
		if n := x.opens(func() { in = x.do(c) }); n != 1 {
			t.Errorf("%s opens the ledger %d times", model.CommandName(c), n)
		}
		if in.Inverse == nil {
			t.Errorf("the receipt of %s has no inverse", model.CommandName(c))
		}
	}
}

// began records where the work on the item began, as its first pick does.
func (x *trial) began() {
	x.do(model.LinkWorkItem{WorkItemID: x.item, Add: model.Links{Refs: []model.Ref{model.BeganAt(x.o.Dir, "1234567")}}})
}

// TestTheFirstPickInAWorkTreeNotesWhereWorkBegan, and no later pick.
func TestTheFirstPickInAWorkTreeNotesWhereWorkBegan(t *testing.T) {
	x := newTrial(t)
	r := storetest.PlainDir(t).At(x.o.Dir)
	began := r.Git("rev-parse", "HEAD")
	x.do(model.PickWorkItem{WorkItemID: x.item})
	r.Commit("the work")
	x.do(model.PickWorkItem{WorkItemID: x.item})
	if err := x.View(t.Context(), func(r model.Reader) error {
		w, _ := r.Item(x.item)
		if got := w.Links.Began(x.o.Dir); got != began || w.Links.Worktree() != x.o.Dir {
			t.Errorf("it began at %q in %s, not at %s", got, w.Links.Worktree(), began)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAViewHoldsThePlanFileAsItIsNow(t *testing.T) {
	x := newTrial(t)
	if err := files.WriteAtomic(x.Files().PlanPath("ann", x.item), []byte("three")); err != nil {
		t.Fatal(err)
	}
	if err := x.View(t.Context(), func(r model.Reader) error {
		if got := ViewOf(r, x.item).Plan.Preview; got != "three" {
			t.Errorf("the plan is %q", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAnUnknownOutcomeIsAskedForOnceMore: the command is repeated once under the same key.
func TestAnUnknownOutcomeIsAskedForOnceMore(t *testing.T) {
	for _, failing := range []int{1, 2} {
		x := newTrial(t)
		x.began()
		x.b.before = func(n int) error {
			if n <= failing {
				return store.ErrUnknown
			}
			return nil
		}
		x.b.updates = 0
		_, err := x.send(model.PickWorkItem{WorkItemID: x.item})
		if known := err == nil; known != (failing == 1) || x.b.updates != 2 {
			t.Errorf("%d failed: %v after %d tries", failing, err, x.b.updates)
		}
	}
}

// TestABusyLedgerIsWaitedForOnlyByWhatHappened outside: nobody could report that again.
func TestABusyLedgerIsWaitedForOnlyByWhatHappened(t *testing.T) {
	x := newTrial(t)
	task := x.do(model.StartTask{WorkItemID: x.item, Summary: "make test"}).TaskID
	x.b.before = func(n int) error {
		if n < 4 {
			return &kv.Busy{}
		}
		return nil
	}
	x.b.updates = 0
	if _, err := x.send(model.PickWorkItem{WorkItemID: x.item}); !errors.Is(err, &model.Error{Code: model.CodeBusy}) || x.b.updates != 1 {
		t.Errorf("a pick: %v after %d tries", err, x.b.updates)
	}
	x.b.updates = 0
	x.do(model.EndTask{TaskID: task, Status: model.TaskCompleted})
	if x.b.updates != 4 {
		t.Errorf("a task's end was tried %d times", x.b.updates)
	}
}
