package home

import (
	"context"
	"errors"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// ErrSlowGit says that a command was not recorded: git did not say in time on which branch the command ran, so its thread is not known.
var ErrSlowGit = errors.New("git did not answer in time; the command is not in the thread")

// Execution is the end of a command that a frontend watched: a task, a hook's tool call, or a round of an agent's program.
type Execution struct {
	// ID names the execution. The thread keeps it as the source of its facts.
	ID         string
	Command    string
	ExitStatus int
	// NoStatus: the exit status is not known. Claimed then says that the agent claims success.
	NoStatus, Claimed bool
	// Head and Dirty are the state of the repository when the command began, from Threads.Head. If Head is empty, the present state is
	// used.
	Head  string
	Dirty bool
	// SessionEnd: the session has ended, normally or by a crash. The thread is then paused, and only facts are added; the current todo of
	// Item becomes its next action if the item links to it and it has none.
	SessionEnd bool
	Item       model.WorkItem
}

// recordSource names executions in a thread's log.
const recordSource = "finalize_execution"

// Head returns the commit on which a command will run, and whether the work tree differs from it. It is empty if git cannot tell.
func (t Threads) Head(ctx context.Context) (head string, dirty bool) {
	g := t.Git.Capture(ctx, t.root())
	return g.Head, g.Dirty
}

// Record adds an execution to the active thread around the working directory. It adds nothing to a thread of another branch, and creates no
// thread. In these cases the receipt's thread is empty or its check gives the reason.
func (t Threads) Record(ctx context.Context, x Execution) (thread.Receipt, error) {
	r, done := t.At(ctx, "", recordSource)
	defer done()
	a, err := r.Apply(ctx, thread.Finalize{Outcome: x.outcome(r.Stamp.At)})
	if err != nil || !x.SessionEnd {
		return a, err
	}
	return a, r.pause(ctx, x.Item)
}

// Observe adds the end of a command that an agent ran by itself to the active thread, if that thread awaits the command. Other commands are
// not kept, and git is not asked about them.
func (t Threads) Observe(ctx context.Context, x Execution) error {
	repo := threads.At(t.root())
	if !repo.Exists() {
		return nil
	}
	if awaited, err := awaits(repo, model.Text(x.Command)); err != nil || !awaited {
		return err
	}
	r, done := t.At(ctx, repo.Root(), recordSource)
	defer done()
	if r.Stamp.Git.State == thread.GitSlow {
		return ErrSlowGit
	}
	_, err := r.Apply(ctx, thread.Finalize{Outcome: x.outcome(r.Stamp.At)})
	return err
}

func awaits(repo threads.Repo, command model.Text) (bool, error) {
	s, err := repo.Read()
	if err != nil {
		return false, err
	}
	defer s.Close()
	t, _, err := thread.ActiveOf(s)
	return err == nil && t.ID != "" && t.Awaits(command), err
}

func (x Execution) outcome(at model.Text) thread.Outcome {
	ok := x.ExitStatus == 0
	o := thread.Outcome{ExecutionID: model.Text(x.ID), Success: &ok}
	e := thread.Execution{
		Command: model.Text(x.Command), ExitStatus: &x.ExitStatus, Head: x.Head, Dirty: x.Dirty, At: at,
	}
	if x.NoStatus {
		e.ExitStatus = nil
		if o.Success = nil; x.Claimed {
			o.Success = &x.Claimed
		}
	}
	if x.Command != "" {
		o.Commands = []thread.Execution{e}
	}
	return o
}

// pause pauses the active thread, if there is one and it belongs to this branch.
func (r *Repository) pause(ctx context.Context, item model.WorkItem) error {
	var id thread.ID
	if err := r.Read(func(s *threads.Snapshot) error {
		t, _, err := thread.ActiveOf(s)
		id = t.ID
		return err
	}); err != nil || id == "" {
		return err
	}
	want := thread.Wanted{Status: thread.Paused}
	if linked, _ := r.Linked(item.Links.Threads); slices.Contains(linked, id) {
		want.Todo = thread.CurrentTodo(item.TodoList)
	}
	_, err := r.Apply(ctx, thread.Follow{Thread: id, Wanted: want})
	if model.HasCode(err, model.CodeRefused) {
		return nil // parked: it belongs to another branch and stays as it is
	}
	return err
}

// HasThread reports whether the repository at root has the thread. An error gives the reason why that is not known.
func HasThread(root string, id thread.ID) (bool, error) {
	s, err := threads.At(root).Read()
	if err != nil {
		return false, err
	}
	defer s.Close()
	_, there, err := s.Thread(id)
	if model.HasCode(err, model.CodeDamaged) {
		return true, nil // it exists; the doctor reports the damage
	}
	return there, err
}

// signalStatus is the exit status that a thread records for a command that a signal ended.
const signalStatus = 128

// endedTask is a task that a process watched to its end, with the threads of its item.
type endedTask struct {
	model.Task
	end   model.TaskEnd
	links []model.ThreadLink
}

// taskAfter returns the task that a command ended. It is nil for any other command, and for a task that was swept or never ran.
func taskAfter(r model.Reader, c model.Command) *endedTask {
	end, ok := c.(model.EndTask)
	if !ok || end.End == nil || end.End.ExitCode < 0 && end.End.Signal == "" {
		return nil
	}
	t, _ := r.Task(end.TaskID)
	w, _ := r.Item(t.WorkItemID)
	if t.Run.Dir == "" {
		return nil
	}
	return &endedTask{t, *end.End, w.Links.Threads}
}

// status is the exit status of the task's command.
func (t *endedTask) status() int {
	if t.end.Signal != "" {
		return signalStatus
	}
	return t.end.ExitCode
}

// taskEnded adds the end of a task to a thread of the repository in which it ran: a thread of the task's item, or the active thread for a
// task without an item.
func (t Threads) taskEnded(ctx context.Context, task *endedTask) []model.Warning {
	if task == nil {
		return nil
	}
	repo := threads.Of(task.Run.Dir)
	ids, _ := repo.Linked(task.links)
	if task.WorkItemID != "" && len(ids) == 0 || !repo.Exists() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	r, done := t.At(ctx, repo.Root(), "task")
	defer done()
	if err := r.learn(ctx, task, ids); err != nil {
		return []model.Warning{notFollowed("the end of the task is not in the thread", err)}
	}
	return nil
}

// learn adds the end of the task to the first of the threads that is live and loadable here, or without ids to the active thread.
func (r *Repository) learn(ctx context.Context, task *endedTask, ids []thread.ID) error {
	id, err := r.firstLive(ids)
	if err != nil || id == "" && len(ids) > 0 {
		return err
	}
	// The state of the work tree at the start was not recorded, so its state at the end is used.
	x := Execution{ID: string(task.ID), Command: model.Join(task.Run.Command, " ").Raw(), // raw: kept, not shown
		ExitStatus: task.status(), Head: task.Run.GitHead, Dirty: r.Stamp.Git.Dirty}
	_, err = r.Apply(ctx, thread.Finalize{Task: string(id), Outcome: x.outcome(r.Stamp.At)})
	return err
}

func (r *Repository) firstLive(ids []thread.ID) (id thread.ID, err error) {
	if len(ids) == 0 {
		return "", nil
	}
	err = r.Read(func(s *threads.Snapshot) error {
		card, err := thread.CardOf(s, r.Stamp, ids)
		if err == nil && card.Thread != nil && !card.Thread.Status.Ended() {
			id = card.Thread.ID
		}
		return err
	})
	return id, err
}
