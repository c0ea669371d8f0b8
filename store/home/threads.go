package home

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/model/thread"
	"vise/store/threads"
)

// Threads are the threads of repositories, for an actor in a directory.
type Threads struct {
	// Dir is the working directory, absolute.
	Dir   string
	Now   func() time.Time
	Actor string
	// Git reads repositories; the zero value uses the git on the path.
	Git threads.Reader
}

// Bounds of one command on a thread.
const (
	// gitLimit is the time that a command has to ask git about all saved commits. Commits that are left count as undecided.
	gitLimit = 4 * time.Second
	// followLimit is how long a command on an item waits for the item's threads.
	followLimit = 3 * time.Second
)

// Repository is the threads of one repository, as one command sees them.
type Repository struct {
	threads.Repo
	Stamp thread.Stamp
	git   threads.Reader
	ask   context.Context // ends with the time limit for git
}

// At captures the repository at dir; an empty dir means the one around the working directory. source names the frontend in the thread's
// log. The caller must call done at the end.
func (t Threads) At(ctx context.Context, dir, source string) (r *Repository, done context.CancelFunc) {
	root := dir
	switch {
	case dir == "":
		root = t.root()
	case !filepath.IsAbs(dir):
		root = filepath.Join(t.Dir, dir)
	}
	ask, done := context.WithTimeout(ctx, gitLimit)
	return &Repository{git: t.Git, Repo: threads.At(root), ask: ask, Stamp: thread.Stamp{
		At: thread.FormatTime(t.Now()), Actor: t.Actor, Source: source,
		Git: t.Git.Capture(ctx, root), Lineages: thread.Lineages{},
	}}, done
}

// root is the repository around the working directory.
func (t Threads) root() string { return threads.FindRoot(t.Dir) }

// Exist reports whether the repository has threads.
func (t Threads) Exist() bool { return threads.At(t.root()).Exists() }

// asking repeats judge until it needs no further answer from git.
func (r *Repository) asking(judge func() error) error {
	for {
		err := judge()
		var need *thread.NeedLineage
		if !errors.As(err, &need) {
			return err
		}
		r.Stamp.Lineages[need.Head] = r.git.Lineage(r.ask, r.Repo.Root(), need.Head, r.Stamp.Git.Head)
	}
}

// Apply carries out a command.
func (r *Repository) Apply(ctx context.Context, c thread.Command) (answer thread.Receipt, err error) {
	err = r.asking(func() error {
		var err error
		answer, err = r.Repo.Apply(ctx, c, r.Stamp)
		return err
	})
	return answer, err
}

// Read calls fn with a snapshot, and again while fn needs a further answer from git.
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

// Judge applies the branch rules to a thread. Within Read, the caller must return its error to Read.
func (r *Repository) Judge(t thread.Thread, source thread.Source) (thread.BranchCheck, error) {
	return thread.CheckBranch(t.Git, source == thread.FromFallback, r.Stamp.Git, r.Stamp.Lineages)
}

// Findings returns what is wrong with the threads.
func (r *Repository) Findings() (found []thread.Finding, err error) {
	err = r.Read(func(s *threads.Snapshot) error {
		if _, err := s.Threads(); err != nil {
			return err
		}
		found, err = thread.Diagnose(s, s.Broken())
		return err
	})
	if g := r.Stamp.Git; g.State == thread.GitFailed {
		found = append(found, thread.Finding{Kind: string(g.State), Message: g.Words().Raw()}) // raw: a Text where it is shown
	}
	return found, err
}

// Card says where the work was left: the work of an item with these links, or the work in the repository around the working directory. Read
// errors appear on the card.
func (t Threads) Card(ctx context.Context, links []model.ThreadLink) thread.Card {
	return t.card(ctx, links, thread.CardOf)
}

// Resume is Card. If no thread is linked or active, it also shows the paused and blocked threads here.
func (t Threads) Resume(ctx context.Context, links []model.ThreadLink) thread.Card {
	return t.card(ctx, links, thread.ResumeOf)
}

func (t Threads) card(ctx context.Context, links []model.ThreadLink,
	of func(thread.Facts, thread.Stamp, []thread.ID) (thread.Card, error)) (card thread.Card) {
	r, done := t.At(ctx, "", "card")
	defer done()
	linked, elsewhere := r.Repo.Linked(links)
	if err := r.Read(func(s *threads.Snapshot) (err error) {
		if card, err = of(s, r.Stamp, linked); err == nil && card.Empty() {
			err = s.Unread()
		}
		return err
	}); err != nil {
		card.Problem = model.Text(err.Error())
		if e := model.AsError(err); e != nil && e.Hint != "" {
			card.Problem += model.Text("; " + e.Hint)
		}
	}
	card.Repo, card.Elsewhere = model.Text(r.Repo.Root()), elsewhere
	return card
}

// Left says where the work on an item with these links was left. A repository without threads is not read.
func (t Threads) Left(ctx context.Context, links model.Links) (out prompt.Left) {
	if len(links.Threads) > 0 || t.Exist() {
		if card := t.Card(ctx, links.Threads); !card.Empty() {
			out.Thread = &card
		}
	}
	files := NewTodoFiles()
	defer files.Close()
	for _, x := range files.Todos(links.TodoRefs) {
		if x.Missing == "" && !x.Status.Final() {
			out.Todos = append(out.Todos, x)
		}
	}
	return out
}

// Focus returns an agent's current item; a zero one if there is none.
func (h *Home) Focus(ctx context.Context, agent model.AgentID) (w model.WorkItem, err error) {
	err = h.View(ctx, func(r model.Reader) error {
		w, _ = model.Focus(r, agent)
		return nil
	})
	return w, err
}

// Bounds of a list of threads: how many open items are read, how many repositories other than the one around the working directory, and the
// time for all of it.
const (
	listedItems = 500
	listedRepos = 16
	listLimit   = 6 * time.Second
)

// List returns the threads that can be resumed: those of the repository around the working directory, then those of the repositories that
// open work items link to. It changes nothing. h is nil if there is no home.
func (t Threads) List(ctx context.Context, h *Home) []thread.Overview {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	here := t.root()
	owners, err := threadOwners(ctx, h)
	roots := []string{here}
	for _, root := range slices.Sorted(maps.Keys(owners)) {
		if at, _ := threads.At(here).Linked([]model.ThreadLink{{Repo: model.Text(root), TaskID: "x"}}); len(at) > 0 {
			if root != here {
				owners[here] = append(owners[here], owners[root]...)
			}
		} else if len(roots) <= listedRepos {
			roots = append(roots, root)
		}
	}
	var out []thread.Overview
	for _, root := range roots {
		list := t.listOf(ctx, root, owners[root])
		if root == here && err != nil {
			list.Problem = model.Text("which items the threads belong to is not known: " + err.Error())
		}
		if root == here || len(list.Rows) > 0 || list.Problem != "" {
			out = append(out, list)
		}
	}
	return out
}

func (t Threads) listOf(ctx context.Context, root string, owners []threadOwner) (list thread.Overview) {
	r, done := t.At(ctx, root, "overview")
	defer done()
	if err := r.Read(func(s *threads.Snapshot) (err error) {
		list, err = thread.OverviewOf(s, r.Stamp)
		return err
	}); err != nil {
		list.Problem = model.Text(err.Error())
	}
	list.Repo = model.Text(root)
	for i, row := range list.Rows {
		for _, o := range owners {
			if o.thread == row.Thread.ID {
				list.Rows[i].Items = append(list.Rows[i].Items, o.Owner)
			}
		}
	}
	return list
}

// threadOwner is a thread and the item that links to it.
type threadOwner struct {
	thread thread.ID
	thread.Owner
}

// threadOwners returns the open items with threads, by repository.
func threadOwners(ctx context.Context, h *Home) (map[string][]threadOwner, error) {
	out := map[string][]threadOwner{}
	if h == nil {
		return out, nil
	}
	err := h.View(ctx, func(r model.Reader) error {
		clear(out)
		left := listedItems
		for _, a := range r.Agents("", model.MaxLimit) {
			for _, class := range model.Classes[:5] {
				rows := r.Rows(a.ID, class, nil, left)
				left -= len(rows)
				for _, row := range rows {
					item, _ := r.Item(row.ID)
					ownersOf(out, item)
				}
				if left <= 0 {
					return nil
				}
			}
		}
		return nil
	})
	return out, err
}

func ownersOf(out map[string][]threadOwner, w model.WorkItem) {
	for _, link := range w.Links.Threads {
		if root := filepath.Clean(link.Repo.Raw()); filepath.IsAbs(root) { // raw: compared, not shown
			id := thread.Slug(link.TaskID.Raw()) // raw: compared, not shown
			out[root] = append(out[root], threadOwner{id, thread.Owner{Agent: w.AgentID, Item: w.ID, Handle: w.Handle}})
		}
	}
}

// Unsettled returns what the threads of an item with these links say against completing it now: gaps that need at least a review, and
// unverified work. It does not ask git. A thread that cannot be read says nothing.
func (t Threads) Unsettled(links []model.ThreadLink) []model.Warning {
	if len(links) == 0 {
		return nil
	}
	var out []model.Warning
	for _, p := range byRepository(t.root(), []itemThreads{{links: links}}) {
		out = append(out, unsettled(threads.At(p.root), p.items[0].ids)...)
	}
	return out
}

func unsettled(repo threads.Repo, ids []thread.ID) (out []model.Warning) {
	s, err := repo.Read()
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, id := range ids {
		t, _, err := s.Thread(id)
		if err != nil {
			continue
		}
		for _, words := range t.Unsettled() {
			out = append(out, model.Warning{Kind: model.WarnThreadUnsettled, Message: string(id) + ": " + words.String()})
		}
	}
	return out
}
