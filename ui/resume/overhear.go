package resume

import (
	"context"
	"errors"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// ErrSlowGit says that a command was left out: git did not tell in time on which branch it
// ran, and so whose fact it is.
var ErrSlowGit = errors.New("git did not answer in time; the thread did not learn of the command")

// Overhear takes the end of a command that an agent ran by itself into the active thread of
// the repository around the room, if there is one and the command is a fact of its work;
// what else an agent runs is not kept. Git is asked for no other command.
func (r Room) Overhear(ctx context.Context, run Run) error {
	repo := threads.At(threads.FindRoot(r.Dir))
	if !repo.Exists() {
		return nil
	}
	if awaited, err := awaits(repo, model.Text(run.Command)); err != nil || !awaited {
		return err
	}
	desk, done := r.Sit(ctx, repo.Root(), "finalize_execution")
	defer done()
	if desk.Scene.Git.State == thread.GitSlow {
		return ErrSlowGit
	}
	_, err := desk.Apply(ctx, thread.Finalize{Outcome: run.outcome(r.Now())})
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
