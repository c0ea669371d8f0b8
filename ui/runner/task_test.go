package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/store/storetest"
	"vise/store/threads"
)

type taskBench struct {
	t      *testing.T
	ledger *store.Ledger
	item   model.ItemID
	Supervisor
}

func newTaskBench(t *testing.T) *taskBench {
	b := &taskBench{t: t, ledger: store.NewMem(nil)}
	b.Supervisor = Supervisor{Ledger: b.ledger, Home: t.TempDir(), Now: time.Now}
	b.item = b.do(model.CreateWorkItem{Objective: "One"}).WorkItemID
	return b
}

func (b *taskBench) do(c model.Command) model.Receipt {
	b.t.Helper()
	in, err := b.ledger.Apply(context.Background(), model.Envelope{Key: home.NewKey(), Actor: "agent:ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return in
}

func (b *taskBench) task(id model.TaskID) (task model.Task) {
	b.t.Helper()
	if err := b.ledger.View(context.Background(), func(r model.Reader) error { task, _ = r.Task(id); return nil }); err != nil {
		b.t.Fatal(err)
	}
	return task
}

func (b *taskBench) spec(script string) TaskSpec {
	return TaskSpec{Argv: []string{"/bin/sh", "-c", script}, Item: b.item, Actor: "agent:ann", Dir: b.t.TempDir()}
}

func TestATaskIsRecordedWithItsEnd(t *testing.T) {
	for _, c := range []struct {
		name, script string
		timeout      time.Duration
		status       model.TaskStatus
		code         int
		result       string
	}{
		{"well", "echo out; echo err >&2", 0, model.TaskCompleted, 0, "ended well\nout\nerr"},
		{"badly", "echo no; exit 3", 0, model.TaskFailed, 3, "exit status 3\nno"},
		{"by a signal", "kill -9 $$", 0, model.TaskFailed, -1, "was ended by a signal: killed"},
		{"too late", "sleep 1000", 200 * time.Millisecond, model.TaskFailed, -1, "timed out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newTaskBench(t)
			w := b.spec(c.script)
			w.Timeout = c.timeout
			d, err := b.Run(t.Context(), w)
			got := b.task(d.TaskID)
			if err != nil || got.Status != c.status || got.End == nil || got.End.ExitCode != c.code || got.Result.Raw() != c.result {
				t.Errorf("%v: %+v, end %+v", err, got, got.End)
			}
			if got.Run.Supervisor.PID != os.Getpid() || len(got.Run.Command) != 3 {
				t.Errorf("run %+v", got.Run)
			}
		})
	}
}

func TestACommandThatIsNotThereIsATaskThatFailed(t *testing.T) {
	b := newTaskBench(t)
	d, err := b.Run(t.Context(), TaskSpec{Argv: []string{"/no/such"}, Item: b.item, Actor: "agent:ann"})
	if err != nil || d.Status != model.TaskFailed || !strings.Contains(d.Result.Raw(), "did not start") {
		t.Errorf("%+v %v", d, err)
	}
}

func TestTheEndOfATaskTriggersItsWait(t *testing.T) {
	b := newTaskBench(t)
	w := b.spec("exit 1")
	w.Started = func(id model.TaskID) {
		b.do(model.WaitFor{WorkItemID: b.item, Reason: "the tests", Wake: model.WakeTaskResult, Resource: model.Text(id)})
	}
	d, err := b.Run(t.Context(), w)
	if err != nil || len(d.In.TriggeredWaits) != 1 {
		t.Errorf("%+v %v", d.In, err)
	}
}

func TestAStoppedTaskIsCancelled(t *testing.T) {
	b := newTaskBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := b.spec("sleep 1000")
	w.Started = func(model.TaskID) { cancel() }
	d, err := b.Run(ctx, w)
	if err != nil || b.task(d.TaskID).Status != model.TaskCancelled {
		t.Errorf("%+v %v", d, err)
	}
}

func TestOfAFloodTheTailStaysAndTheLogHasABound(t *testing.T) {
	b := newTaskBench(t)
	w := b.spec("head -c 70000000 /dev/zero | tr '\\0' x; echo; echo the end")
	d, err := b.Run(t.Context(), w)
	log, _ := os.ReadFile(d.Log.Raw())
	end := b.task(d.TaskID).End
	if err != nil || len(log) != maxLog || end.LogBytes != maxLog || end.OutputBytes != 70_000_009 || len(end.Tail) != model.MaxTail {
		t.Errorf("log %d, end %d of %d, tail %d, %v", len(log), end.LogBytes, end.OutputBytes, len(end.Tail), err)
	}
	if !strings.HasSuffix(end.Tail.Raw(), "the end\n") {
		t.Error("the tail is not the end")
	}
}

func TestACompletionIsRefusedWhileABlockingTaskRuns(t *testing.T) {
	b := newTaskBench(t)
	w := b.spec("true")
	w.Blocking = true
	var refused error
	w.Started = func(model.TaskID) {
		_, refused = b.ledger.Apply(t.Context(), model.Envelope{Key: home.NewKey(), Actor: "agent:ann", Command: model.CompleteWorkItem{WorkItemID: b.item}})
	}
	if _, err := b.Run(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(refused, &model.Error{Code: model.CodeUnfinishedExecution}) {
		t.Errorf("it was answered with %v", refused)
	}
	b.do(model.CompleteWorkItem{WorkItemID: b.item})
}

func TestStoppingATaskWhoseSupervisorIsGoneEndsItsRecord(t *testing.T) {
	b := newTaskBench(t)
	gone := model.TaskRun{Supervisor: b.deadProcess()}
	id := b.do(model.StartTask{WorkItemID: b.item, Summary: "sleep", Run: gone}).TaskID
	asked, err := b.Stop(t.Context(), b.task(id), model.Operator)
	if asked || err != nil || b.task(id).Status != model.TaskInterrupted {
		t.Errorf("asked %v, %v, %s", asked, err, b.task(id).Status)
	}
	elsewhere := model.TaskRun{Supervisor: model.Process{PID: 1, Host: "elsewhere"}}
	id = b.do(model.StartTask{WorkItemID: b.item, Summary: "sleep", Run: elsewhere}).TaskID
	if _, err := b.Stop(t.Context(), b.task(id), model.Operator); !errors.Is(err, &model.Error{Code: model.CodeRefused}) {
		t.Errorf("a task elsewhere: %v", err)
	}
}

func (b *taskBench) deadProcess() model.Process {
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		b.t.Fatal(err)
	}
	p := Self()
	p.PID, p.Start = c.Process.Pid, "1"
	return p
}

func TestTheCommitIsNamedWithoutRunningWhatARepositoryConfigures(t *testing.T) {
	storetest.Needs(t, "git")
	dir := t.TempDir()
	marker := dir + "/ran"
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"},
		{"config", "core.fsmonitor", "touch " + marker}, {"config", "alias.rev-parse", "!touch " + marker}, {"config", "core.pager", "touch " + marker},
	} {
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, bytes.TrimSpace(out))
		}
	}
	if head := (threads.Reader{}).Head(t.Context(), dir); len(head) < 40 {
		t.Errorf("head is %q", head)
	}
	if head := (threads.Reader{}).Head(t.Context(), t.TempDir()); head != "" {
		t.Errorf("without a repository the head is %q", head)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("something that the repository configures was run")
	}
}
