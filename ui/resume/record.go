package resume

import (
	"context"
	"errors"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Run is the end of a command that a door watched: a task, a hook's tool call, a round of
// an agent program.
type Run struct {
	// ID names the execution; the thread remembers it as the source of what it learned.
	ID         string
	Command    string
	ExitStatus int
	// Untold: nobody told the exit status, and the command is at most claimed to have gone
	// well, if Claimed.
	Untold, Claimed bool
	// Head and Dirty are the repository when the command began, as Room.Head told; an empty
	// Head takes the present one.
	Head  string
	Dirty bool
	// Touched are the files that the run opened or edited, if the door knows.
	Touched []string
	// Over says that the session is at its end, whether well or by a crash: the thread is
	// left paused, with the facts alone.
	Over bool
}

// Head is the commit that a command is about to run on, and whether the work tree differs
// from it; empty where git cannot tell.
func (r Room) Head(ctx context.Context) (head string, dirty bool) {
	g := r.Git.Capture(ctx, threads.FindRoot(r.Dir))
	return g.Head, g.Dirty
}

// Record takes a run into the thread that is active in the repository around the room. A
// thread that belongs to another branch learns nothing, and none is made: then the answer's
// thread is empty or its judgement says why.
func (r Room) Record(ctx context.Context, run Run) (thread.Receipt, error) {
	desk, done := r.Sit(ctx, "", "finalize_execution")
	defer done()
	a, err := desk.Apply(ctx, thread.Finalize{Outcome: run.outcome(r.Now())})
	if err != nil || !run.Over {
		return a, err
	}
	return a, desk.rest(ctx)
}

func (run Run) outcome(at time.Time) thread.Outcome {
	ok := run.ExitStatus == 0
	o := thread.Outcome{ExecutionID: model.Text(run.ID), Success: &ok}
	e := thread.Execution{Command: model.Text(run.Command), ExitStatus: &run.ExitStatus, Head: run.Head, Dirty: run.Dirty, At: thread.FormatTime(at)}
	if run.Untold {
		e.ExitStatus = nil
		if o.Success = nil; run.Claimed {
			o.Success = &run.Claimed
		}
	}
	if run.Command != "" {
		o.Commands = []thread.Execution{e}
	}
	for _, f := range run.Touched {
		o.Edited = append(o.Edited, model.Text(f))
	}
	return o
}

// rest pauses the active thread, if there is one and it belongs here.
func (d *Desk) rest(ctx context.Context) error {
	var id thread.ID
	if err := d.Read(func(s *threads.Snapshot) error {
		t, _, err := thread.ActiveOf(s)
		id = t.ID
		return err
	}); err != nil || id == "" {
		return err
	}
	_, err := d.Apply(ctx, thread.Follow{Thread: id, Wanted: thread.Wanted{Status: thread.Paused}})
	if errors.Is(err, &model.Error{Code: model.CodeRefused}) {
		return nil // it is parked: another branch's, and as it was left there
	}
	return err
}
