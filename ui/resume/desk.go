// Package resume ties work items to the threads of the repository that a door runs in:
// what an act on an item does to its thread, what a task's end tells the thread, and the
// resume card. Every door shares it; none of it can undo or hide what the ledger answered.
//
// Read desk.go (one repository as one act sees it), follow.go and room.go (an act on an item), record.go
// and overhear.go (facts of executions), card.go and eye.go (the resume card, live).
package resume

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Room is where a door stands: its directory, its clock, its name.
type Room struct {
	// Dir is the working directory, absolute.
	Dir   string
	Now   func() time.Time
	Actor string
	// Git reads repositories; the zero value uses the git on the path.
	Git threads.Reader
	// Abandon says that what is completed is given up: its threads end abandoned.
	Abandon *Abandonment
	// Anyway is why an item is completed although its threads speak against it.
	Anyway model.Text
}

// Abandonment is why work is given up.
type Abandonment struct {
	Reason model.Text
	// DeadEnd records what was tried as a dead end, with the reason.
	DeadEnd bool
}

func (a Abandonment) bookmark() thread.Wanted {
	b := thread.Wanted{Status: thread.Abandoned}
	if a.DeadEnd {
		b.GivenUp = a.Reason
	}
	return b
}

// lockWait is how long a command waits for another one's write.
const lockWait = 5 * time.Second

// gitBudget is how long a command asks git about saved commits, all of them together;
// those that are left then count as undecided.
const gitBudget = 4 * time.Second

// Desk is one repository as one act sees it.
type Desk struct {
	Repo  threads.Repo
	Scene thread.Stamp
	git   threads.Reader
	ask   context.Context // ends with the git budget
}

// Sit captures the repository at dir; empty means the one around the room's directory.
// Source names the door in the thread's log. The caller ends the desk with the function.
func (r Room) Sit(ctx context.Context, dir, source string) (*Desk, context.CancelFunc) {
	root := dir
	switch {
	case dir == "":
		root = threads.FindRoot(r.Dir)
	case !filepath.IsAbs(dir):
		root = filepath.Join(r.Dir, dir)
	}
	ask, cancel := context.WithTimeout(ctx, gitBudget)
	d := &Desk{git: r.Git, Repo: threads.At(root), ask: ask}
	d.Scene = thread.Stamp{
		At: thread.FormatTime(r.Now()), Actor: r.Actor, Source: source,
		Git: r.Git.Capture(ctx, root), Lineages: thread.Lineages{},
	}
	return d, cancel
}

// asking runs judge until it needs to know nothing more of git.
func (d *Desk) asking(judge func() error) error {
	for {
		err := judge()
		var need *thread.NeedLineage
		if !errors.As(err, &need) {
			return err
		}
		d.Scene.Lineages[need.Head] = d.git.Lineage(d.ask, d.Repo.Root(), need.Head)
	}
}

// Apply carries a command out.
func (d *Desk) Apply(ctx context.Context, c thread.Command) (thread.Receipt, error) {
	var answer thread.Receipt
	err := d.asking(func() error {
		wait, cancel := context.WithTimeout(ctx, lockWait)
		defer cancel()
		var err error
		answer, err = d.Repo.Apply(wait, c, d.Scene)
		return err
	})
	return answer, err
}

// SetAside renames a thread's files out of the way.
func (d *Desk) SetAside(ctx context.Context, id thread.ID) error {
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return d.Repo.SetAside(wait, id)
}

// MendLog takes the lines out of a thread's log that are no events.
func (d *Desk) MendLog(ctx context.Context, id thread.ID) error {
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return d.Repo.MendLog(wait, id)
}

// Read hands a snapshot to look, again and again while it must know more of git.
func (d *Desk) Read(look func(*threads.Snapshot) error) error {
	return d.asking(func() error {
		snap, err := d.Repo.Read()
		if err != nil {
			return err
		}
		defer snap.Close()
		return look(snap)
	})
}

// Judge asks the branch-safe rules about a thread as it is shown. Within Read its error
// goes back to Read.
func (d *Desk) Judge(t thread.Thread, source thread.Source) (thread.BranchCheck, error) {
	return thread.CheckBranch(t.Git, source == thread.FromFallback, d.Scene.Git, d.Scene.Lineages)
}

// Findings are what is wrong with the threads.
func (d *Desk) Findings() (found []thread.Finding, err error) {
	err = d.Read(func(s *threads.Snapshot) error {
		if _, err := s.Threads(); err != nil {
			return err
		}
		if found, err = thread.Diagnose(s, s.Broken()); err != nil {
			return err
		}
		torn, err := s.TornLogs()
		found = append(found, torn...)
		return err
	})
	return found, err
}
