package home

import (
	"context"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// signalStatus is the exit status of a command that a signal ended.
const signalStatus = 128

// endedTask is a task that somebody watched to its end, and the threads of its item.
type endedTask struct {
	model.Task
	end   model.TaskEnd
	links []model.ThreadLink
}

// taskAfter is the task that a command ended; nil for any other command, and for a task
// that was swept or never ran.
func taskAfter(r model.Reader, c model.Command) *endedTask {
	end, ok := c.(model.EndTask)
	if !ok || end.End == nil || end.End.ExitCode < 0 && end.End.Signal == "" {
		return nil
	}
	t, _ := r.Task(end.TaskID)
	w, _ := r.Item(t.WorkItemID)
	if t.Run.Dir == "" || t.WorkItemID != "" && len(w.Links.Threads) == 0 {
		return nil
	}
	return &endedTask{t, *end.End, w.Links.Threads}
}

// taskEnded takes a task's end into the thread of the repository that it ran in: that of
// the task's item, or the active one for a task of no item.
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
		return []model.Warning{notFollowed("the thread did not learn how the task ended", err)}
	}
	return nil
}

// learn takes the task's end into the first of the threads that is live and loadable here;
// without ids, into the active one.
func (r *Repository) learn(ctx context.Context, task *endedTask, ids []thread.ID) error {
	id, err := r.firstLive(ids)
	if err != nil || id == "" && len(ids) > 0 {
		return err
	}
	var command model.Text
	for i, word := range task.Run.Command {
		if i > 0 {
			command += " "
		}
		command += word
	}
	status := task.end.ExitCode
	if task.end.Signal != "" {
		status = signalStatus
	}
	ok := status == 0
	_, err = r.Apply(ctx, thread.Finalize{Task: string(id), Outcome: thread.Outcome{
		ExecutionID: model.Text(task.ID), Success: &ok,
		Commands: []thread.Execution{{
			Command: command, ExitStatus: &status,
			// Whether the work tree was clean at the start is not recorded; at the end has to do.
			Head: task.Run.GitHead, Dirty: r.Scene.Git.Dirty, At: r.Scene.At,
		}},
	}})
	return err
}

func (r *Repository) firstLive(ids []thread.ID) (id thread.ID, err error) {
	if len(ids) == 0 {
		return "", nil
	}
	err = r.Read(func(s *threads.Snapshot) error {
		card, err := thread.CardOf(s, r.Scene, ids)
		if err == nil && card.Thread != nil && !card.Thread.Status.Ended() {
			id = card.Thread.ID
		}
		return err
	})
	return id, err
}
