package console

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/screen"
)

// Changes read what the work on an item changed in its repository.
type Changes interface {
	// Diff compares a work tree with where the work on an item with these links began; space: white space counts.
	Diff(ctx context.Context, links model.Links, space bool) thread.Diff
	// Hunks reads the lines of one file of it.
	Hunks(ctx context.Context, d thread.Diff, f thread.DiffFile, space bool) thread.Hunks
	// Hash is that of a file of a work tree as it is now; empty where it cannot be read.
	Hash(ctx context.Context, dir string, file model.Text) string
	// Altered are those of some comments whose lines are not as they were.
	Altered(ctx context.Context, dir string, list []model.Commented) map[model.CommentID]bool
	// Watch watches a work tree until ctx ends. What it gives waits until files may have changed since.
	Watch(ctx context.Context, dir string) (next func(context.Context) error)
	// Refresh has the ledger know whether files changed since the checks of an item.
	Refresh(ctx context.Context, id model.ItemID) error
}

// itemChanges are the changes of one item, as they were read last.
type itemChanges struct {
	item  model.ItemID
	links model.Links
	screen.Changes
	// underWay and again: one reading at a time, and the last request last.
	underWay, again bool
	// stop ends the watch of the work tree; nil: none is watched.
	stop context.CancelFunc
}

// changesMsg brings a diff, with the lines of the files that are unfolded.
type changesMsg struct {
	item     model.ItemID
	diff     thread.Diff
	space    bool
	unfolded map[model.Text]screen.Unfolded
	// folded were unfolded and are not read again: all together took too much.
	folded  []model.Text
	altered map[model.CommentID]bool
}

// worktree is where the work on the item under the cursor is done, if that is known.
func (c *console) worktree() string {
	if d := c.detail(); d != nil && c.fx.Changes != nil {
		return d.Links.Worktree()
	}
	return ""
}

// showsChanges reports whether the changes are on screen.
func showsChanges(c *console) bool {
	return c.place.view == viewDesk && c.place.tab == screen.TabChanges && c.layout.shows(paneDetail) && c.worktree() != ""
}

// followChanges reads the changes once they are on screen, and again as long as they are there: when the work tree
// changes, or the links of the item do.
func followChanges(c *console) tea.Cmd {
	x := &c.changes
	if !showsChanges(c) {
		if x.stop != nil {
			x.stop()
			x.stop = nil
		}
		return nil
	}
	d := c.detail()
	if x.item == d.ID && !slices.Equal(x.Comments, d.Comments) {
		x.Comments = d.Comments
		x.Changes = x.Laid()
	}
	if x.item == d.ID && x.links.Worktree() == d.Links.Worktree() && x.stop != nil {
		return nil
	}
	if x.stop != nil {
		x.stop()
	}
	if x.item != d.ID {
		*x = itemChanges{item: d.ID, underWay: x.underWay, Changes: screen.Changes{Space: x.Space, Comments: d.Comments}}
	}
	x.links = d.Links
	var ctx context.Context
	ctx, x.stop = context.WithCancel(c.fx.ctx)
	return tea.Batch(readChanges(c), c.fx.watchTree(ctx, x.links.Worktree(), readChanges))
}

// restBetween is the least time between two readings of a work tree.
const restBetween = time.Second

// watchTree reads a work tree again whenever files of it changed, as long as ctx lasts. What changed before it was
// watched is read at once.
func (e *effects) watchTree(ctx context.Context, dir string, read act) tea.Cmd {
	return func() tea.Msg {
		next := e.Changes.Watch(ctx, dir)
		return act(func(c *console) tea.Cmd { return tea.Batch(read(c), waitForTree(ctx, next, read)) })
	}
}

func waitForTree(ctx context.Context, next func(context.Context) error, read act) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(restBetween)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if next(ctx) != nil {
			return nil
		}
		return act(func(c *console) tea.Cmd { return tea.Batch(read(c), waitForTree(ctx, next, read)) })
	}
}

// readChanges reads the changes, unless a reading is under way: then its answer starts the next. A file that is
// unfolded is read again if it is another now.
func readChanges(c *console) tea.Cmd {
	x := &c.changes
	if x.again = x.underWay; x.underWay || !showsChanges(c) {
		return nil
	}
	x.underWay = true
	fx, item, links, space, known, before, comments := c.fx, x.item, x.links, x.Space, x.Known, x.Unfolded, c.detail().Comments
	return func() tea.Msg {
		m := changesMsg{item: item, space: space, diff: fx.Changes.Diff(fx.ctx, links, space), unfolded: map[model.Text]screen.Unfolded{}}
		m.altered = fx.Changes.Altered(fx.ctx, links.Worktree(), comments)
		opening := []model.Text(nil)
		if !known {
			opening = screen.Opening(m.diff)
		}
		left := screen.MaxUnfolded
		for _, f := range m.diff.Files {
			lines, open := before[f.Path]
			switch {
			case !open && !slices.Contains(opening, f.Path):
				continue
			case left < 0:
				m.folded = append(m.folded, f.Path)
				continue
			case f.Print == "" || lines.Print != f.Print:
				turn := lines.Turn
				lines = fx.unfold(m.diff, f, space)
				lines.Turn = turn
			}
			m.unfolded[f.Path] = lines
			left -= lines.Cost()
		}
		return m
	}
}

// unfold reads the lines of a file.
func (e *effects) unfold(d thread.Diff, f thread.DiffFile, space bool) screen.Unfolded {
	if f.Binary {
		return screen.Unfolded{Print: f.Print}
	}
	hash := e.Changes.Hash(e.ctx, d.Dir.Raw(), f.Path) // raw: a path, not shown
	return screen.Unfolded{Hunks: e.Changes.Hunks(e.ctx, d, f, space), Print: f.Print, Hash: hash}
}

// handle takes what a reading found. What was unfolded or folded meanwhile stays so.
func (m changesMsg) handle(c *console) tea.Cmd {
	x := &c.changes
	x.underWay = false
	var said tea.Cmd
	if m.item == x.item && m.space == x.Space {
		for path := range m.unfolded {
			if _, open := x.Unfolded[path]; x.Known && !open {
				delete(m.unfolded, path)
			}
		}
		for path, open := range x.Unfolded {
			if _, read := m.unfolded[path]; !read && !slices.Contains(m.folded, path) {
				m.unfolded[path] = open
			}
		}
		x.Diff, x.Known, x.Unfolded, x.Altered = m.diff, true, m.unfolded, m.altered
		said = bound(c, len(m.folded))
	} else {
		x.again = true
	}
	if x.again {
		return tea.Batch(said, readChanges(c))
	}
	return said
}

// bound lays the changes out, and says how many files are folded again because their lines take too much together;
// before are those that are already.
func bound(c *console, before int) tea.Cmd {
	x, n := &c.changes, 0
	if x.Changes, n = x.Bounded(); n+before == 0 {
		return nil
	}
	return c.say("Folded " + model.Counted(n+before, "file") + " again: too many lines were unfolded together.")
}

// inChanges moves the cursor within the changes.
func inChanges(move func(screen.Changes) screen.Changes) act {
	return func(c *console) tea.Cmd {
		c.changes.Changes = move(c.changes.Changes)
		return nil
	}
}

// foldChanges folds the file at the cursor, or unfolds it and reads its lines.
func foldChanges(c *console) tea.Cmd {
	x := &c.changes
	f, ok := x.File(x.Cursor)
	if !ok {
		return nil
	}
	if _, open := x.Unfolded[f.Path]; open {
		x.Unfolded = maps.Clone(x.Unfolded)
		delete(x.Unfolded, f.Path)
		x.Cursor = screen.ChangeRow{File: f.Path, Hunk: -1, Line: -1}
		x.Changes = x.Laid()
		return nil
	}
	fx, item, d, space := c.fx, x.item, x.Diff, x.Space
	return func() tea.Msg {
		read := fx.unfold(d, f, space)
		return act(func(c *console) tea.Cmd {
			if x := &c.changes; x.item == item && x.Space == space {
				x.Changes = x.Unfold(f.Path, read)
				return bound(c, 0)
			}
			return nil
		})
	}
}

// spaceInChanges shows what changes white space alone, or leaves it out.
func spaceInChanges(c *console) tea.Cmd {
	x := &c.changes
	x.Space, x.Unfolded, x.Known = !x.Space, nil, false
	return readChanges(c)
}
