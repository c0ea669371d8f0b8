package resume

import (
	"context"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// ended takes a task's end into the thread of the repository that it ran in: that of the
// task's item, or the active one for a task of no item. The task's directory counts, not
// the room's.
func (r Room) ended(ctx context.Context, l Ledger, c model.EndTask) []model.Warning {
	if c.End == nil || c.End.ExitCode < 0 && c.End.Signal == "" {
		return nil // swept, or never run: nobody watched how it ended
	}
	var t model.Task
	var links []model.ThreadLink
	if err := l.View(ctx, func(reader model.Reader) error {
		t, _ = reader.Task(c.TaskID)
		w, _ := reader.Item(t.WorkItemID)
		links = w.Links.Threads
		return nil
	}); err != nil {
		return []model.Warning{trouble("the thread did not learn how the task ended", err)}
	}
	if t.Run.Dir == "" || t.WorkItemID != "" && len(links) == 0 {
		return nil
	}
	repo := threads.Of(t.Run.Dir)
	ids, _ := repo.Linked(links)
	if t.WorkItemID != "" && len(ids) == 0 || !repo.Exists() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	desk, done := r.Sit(ctx, repo.Root(), "task")
	defer done()
	if err := desk.learn(ctx, t, c, ids); err != nil {
		return []model.Warning{trouble("the thread did not learn how the task ended", err)}
	}
	return nil
}

// learn lays the task's end over the first of the threads that is live and loadable here;
// without ids, over the active one.
func (d *Desk) learn(ctx context.Context, t model.Task, c model.EndTask, ids []thread.ID) error {
	threadID, err := d.livest(ids)
	if err != nil || threadID == "" && len(ids) > 0 {
		return err
	}
	var command model.Text
	for i, word := range t.Run.Command {
		if i > 0 {
			command += " "
		}
		command += word
	}
	status := c.End.ExitCode
	if c.End.Signal != "" {
		status = signalled
	}
	ok := status == 0
	_, err = d.Apply(ctx, thread.Finalize{Task: string(threadID), Outcome: thread.Outcome{
		ExecutionID: model.Text(c.TaskID), Success: &ok,
		Commands: []thread.Execution{{
			Command: command, ExitStatus: &status,
			// Whether the work tree was clean at the start is not recorded; at the end has to do.
			Head: t.Run.GitHead, Dirty: d.Scene.Git.Dirty, At: d.Scene.At,
		}},
	}})
	return err
}

// signalled is the exit status of a command that a signal ended.
const signalled = 128

func (d *Desk) livest(ids []thread.ID) (id thread.ID, err error) {
	if len(ids) == 0 {
		return "", nil
	}
	err = d.Read(func(s *threads.Snapshot) error {
		card, err := thread.CardOf(s, d.Scene, ids)
		if err == nil && card.Thread != nil && !card.Thread.Status.Ended() {
			id = card.Thread.ID
		}
		return err
	})
	return id, err
}
