package thread

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"vise/model/workstate"
	"vise/store/files/threads"
	"vise/watcher/gitstate"
)

// Env is what the door needs of the process.
type Env struct {
	// Dir is the working directory, absolute.
	Dir   string
	Now   func() time.Time
	Actor string
	// Args is the command line, so that a bad flag in front of --json is answered in JSON too.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Git reads repositories; the zero value uses the git on the path.
	Git gitstate.Reader
}

// lockWait is how long a command waits for another one's write.
const lockWait = 5 * time.Second

// gitBudget is how long a command asks git about saved commits, all of them together;
// those that are left then count as undecided.
const gitBudget = 4 * time.Second

// desk is one repository as one invocation sees it.
type desk struct {
	env   Env
	repo  threads.Repo
	scene workstate.Scene
	ask   context.Context // ends with the git budget
}

// sit captures the repository. An empty dir means the one around the working directory.
func (e Env) sit(ctx context.Context, dir, source string) (*desk, context.CancelFunc) {
	root := dir
	switch {
	case dir == "":
		root = threads.FindRoot(e.Dir)
	case !filepath.IsAbs(dir):
		root = filepath.Join(e.Dir, dir)
	}
	ask, cancel := context.WithTimeout(ctx, gitBudget)
	d := &desk{env: e, repo: threads.At(root), ask: ask}
	d.scene = workstate.Scene{
		At: workstate.Moment(e.Now()), Actor: e.Actor, Source: source,
		Git: e.Git.Capture(ctx, root), Lineages: workstate.Lineages{},
	}
	return d, cancel
}

// asking runs judge until it needs to know nothing more of git.
func (d *desk) asking(judge func() error) error {
	for {
		err := judge()
		var need *workstate.NeedLineage
		if !errors.As(err, &need) {
			return err
		}
		d.scene.Lineages[need.Head] = d.env.Git.Lineage(d.ask, d.repo.Root(), need.Head)
	}
}

// apply carries a command out.
func (d *desk) apply(ctx context.Context, c workstate.Command) (workstate.Answer, error) {
	var answer workstate.Answer
	err := d.asking(func() error {
		wait, cancel := context.WithTimeout(ctx, lockWait)
		defer cancel()
		var err error
		answer, err = d.repo.Apply(wait, c, d.scene)
		return err
	})
	return answer, err
}

// read hands a snapshot to look, again and again while it must know more of git.
func (d *desk) read(look func(*threads.Snapshot) error) error {
	return d.asking(func() error {
		snap, err := d.repo.Read()
		if err != nil {
			return err
		}
		defer snap.Close()
		return look(snap)
	})
}

// judge asks the branch-safe rules about a thread as it is shown.
func (d *desk) judge(t workstate.Thread, source workstate.Source) (workstate.Judgement, error) {
	return workstate.Judge(t.Git, source == workstate.FromFallback, d.scene.Git, d.scene.Lineages)
}
