package home

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Threads are the threads of repositories, for who acts on them in a directory.
type Threads struct {
	// Dir is the working directory, absolute.
	Dir   string
	Now   func() time.Time
	Actor string
	// Git reads repositories; the zero value uses the git on the path.
	Git threads.Reader
}

// Bounds of one act on a thread.
const (
	// gitLimit is how long a command asks git about saved commits, all of them together;
	// those that are left then count as undecided.
	gitLimit = 4 * time.Second
	// followLimit is how long an act on an item waits for its threads, at most.
	followLimit = 3 * time.Second
)

// Repository is one repository's threads as one act sees them.
type Repository struct {
	threads.Repo
	Scene thread.Stamp
	git   threads.Reader
	ask   context.Context // ends with the time for git
}

// At captures the repository at dir; empty means the one around the working directory.
// Source names the frontend in the thread's log. The caller calls done at the end.
func (t Threads) At(ctx context.Context, dir, source string) (r *Repository, done context.CancelFunc) {
	root := dir
	switch {
	case dir == "":
		root = t.root()
	case !filepath.IsAbs(dir):
		root = filepath.Join(t.Dir, dir)
	}
	ask, done := context.WithTimeout(ctx, gitLimit)
	return &Repository{git: t.Git, Repo: threads.At(root), ask: ask, Scene: thread.Stamp{
		At: thread.FormatTime(t.Now()), Actor: t.Actor, Source: source,
		Git: t.Git.Capture(ctx, root), Lineages: thread.Lineages{},
	}}, done
}

// root is the repository around the working directory.
func (t Threads) root() string { return threads.FindRoot(t.Dir) }

// Exist reports whether the repository has threads.
func (t Threads) Exist() bool { return threads.At(t.root()).Exists() }

// asking repeats judge until it needs to know nothing more of git.
func (r *Repository) asking(judge func() error) error {
	for {
		err := judge()
		var need *thread.NeedLineage
		if !errors.As(err, &need) {
			return err
		}
		r.Scene.Lineages[need.Head] = r.git.Lineage(r.ask, r.Repo.Root(), need.Head)
	}
}

// Apply carries a command out.
func (r *Repository) Apply(ctx context.Context, c thread.Command) (answer thread.Receipt, err error) {
	err = r.asking(func() error {
		var err error
		answer, err = r.Repo.Apply(ctx, c, r.Scene)
		return err
	})
	return answer, err
}

// Read hands a snapshot to fn, again while fn must know more of git.
func (r *Repository) Read(fn func(*threads.Snapshot) error) error {
	return r.asking(func() error {
		snap, err := r.Repo.Read()
		if err != nil {
			return err
		}
		defer snap.Close()
		return fn(snap)
	})
}

// Judge asks the branch-safe rules about a thread. Within Read its error goes back to Read.
func (r *Repository) Judge(t thread.Thread, source thread.Source) (thread.BranchCheck, error) {
	return thread.CheckBranch(t.Git, source == thread.FromFallback, r.Scene.Git, r.Scene.Lineages)
}

// Findings are what is wrong with the threads.
func (r *Repository) Findings() (found []thread.Finding, err error) {
	err = r.Read(func(s *threads.Snapshot) error {
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

// Card is where the work was left: that of an item with these links, or of the repository
// around the working directory. What cannot be read is said on the card.
func (t Threads) Card(ctx context.Context, links []model.ThreadLink) (card thread.Card) {
	r, done := t.At(ctx, "", "card")
	defer done()
	linked, elsewhere := r.Repo.Linked(links)
	if err := r.Read(func(s *threads.Snapshot) (err error) {
		card, err = thread.CardOf(s, r.Scene, linked)
		return err
	}); err != nil {
		card.Problem = model.Text(err.Error())
	}
	card.Repo, card.Elsewhere = model.Text(r.Repo.Root()), elsewhere
	return card
}
