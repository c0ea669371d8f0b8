package console

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// Diffs read an item's changes in its repository.
type Diffs interface {
	// Diff compares a work tree with the commit at which the work on an item with these links began. space:
	// white space counts.
	Diff(ctx context.Context, links model.Links, space bool) thread.Diff
	// Hunks reads the changed lines of one file of a diff.
	Hunks(ctx context.Context, d thread.Diff, f thread.DiffFile, space bool) thread.Hunks
	// Hash is the hash of a file's current content in a work tree; empty if the file cannot be read.
	Hash(ctx context.Context, dir string, file model.Text) string
	// Altered are the comments in list whose lines have changed.
	Altered(ctx context.Context, dir string, list []model.Commented) map[model.CommentID]bool
	// Watch watches a work tree until ctx ends. next waits until files may have changed.
	Watch(ctx context.Context, dir string) (next func(context.Context) error)
	// Refresh records in the ledger whether files changed after the checks of an item.
	Refresh(ctx context.Context, id model.ItemID) error
}

// itemChanges are the changes of one item, as last read.
type itemChanges struct {
	item  model.ItemID
	links model.Links
	screen.Changes
	// underWay and again: only one read runs at a time, and the last request is always done.
	underWay, again bool
	// stop ends the watch of the work tree; nil: no work tree is watched.
	stop context.CancelFunc
}

// worktree is the work tree of the item under the cursor; empty if unknown.
func (c *console) worktree() string {
	if d := c.detail(); d != nil && c.fx.Changes != nil {
		return d.Links.Worktree()
	}
	return ""
}

// showsChanges reports whether the changes are on screen.
func showsChanges(c *console) bool {
	return c.view == viewDesk && c.tab == screen.TabChanges && c.layout.shows(paneDetail) && c.worktree() != ""
}

// followChanges reads the changes when they appear on screen. While they are on screen, it reads them again
// when the work tree or the item's links change.
func followChanges(c *console) {
	x := &c.changes
	if !showsChanges(c) {
		if x.stop != nil {
			x.stop()
			x.stop = nil
		}
		return
	}
	d := c.detail()
	if x.item == d.ID && !slices.Equal(x.Comments, d.Comments) {
		x.Comments = d.Comments
		x.Changes = x.Laid()
	}
	if x.item == d.ID && x.links.Worktree() == d.Links.Worktree() && x.stop != nil {
		return
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
	readChanges(c)
	c.start(c.fx.watchTree(ctx, x.links.Worktree(), readChanges))
}

// restBetween is the shortest time between two reads of a work tree.
const restBetween = time.Second

// watchTree reads a work tree again when its files change, until ctx ends. One read at the start covers the
// changes before the watch began.
func (e *effects) watchTree(ctx context.Context, dir string, read act) tea.Cmd {
	return func() tea.Msg {
		next := e.Changes.Watch(ctx, dir)
		rested := func(context.Context) error {
			home.Pause(ctx, restBetween) // next ends with ctx too
			return next(ctx)
		}
		return act(func(c *console) { read(c); c.start(e.following(rested, read)) })
	}
}

// readChanges reads the changes. If a read is in progress, the next one starts when it ends. An unfolded file
// is read again if it has changed.
func readChanges(c *console) {
	x := &c.changes
	if x.again = x.underWay; x.underWay || !showsChanges(c) {
		return
	}
	x.underWay = true
	fx, item, links, space, known, before, comments := c.fx, x.item, x.links, x.Space, x.Known, x.Unfolded, c.detail().Comments
	c.start(func() tea.Msg {
		diff, altered := fx.Changes.Diff(fx.ctx, links, space), fx.Changes.Altered(fx.ctx, links.Worktree(), comments)
		var opening, folded []model.Text // folded are not read again, because the lines of all unfolded files are too many
		if !known {
			opening = screen.Opening(diff)
		}
		unfolded, left := map[model.Text]screen.Unfolded{}, screen.MaxUnfolded
		for _, f := range diff.Files {
			lines, open := before[f.Path]
			switch {
			case !open && !slices.Contains(opening, f.Path):
				continue
			case left < 0:
				folded = append(folded, f.Path)
				continue
			case f.Print == "" || lines.Print != f.Print:
				turn := lines.Turn
				lines = fx.unfold(diff, f, space)
				lines.Turn = turn
			}
			unfolded[f.Path] = lines
			left -= lines.Cost()
		}
		return act(func(c *console) {
			x := &c.changes
			if x.underWay = false; item != x.item || space != x.Space {
				readChanges(c)
				return
			}
			if x.Known { // files that were folded or unfolded meanwhile stay so
				for path, open := range x.Unfolded {
					if _, read := unfolded[path]; !read && !slices.Contains(folded, path) {
						unfolded[path] = open
					}
				}
				maps.DeleteFunc(unfolded, func(path model.Text, _ screen.Unfolded) bool {
					_, open := x.Unfolded[path]
					return !open
				})
			}
			x.Diff, x.Known, x.Unfolded, x.Altered = diff, true, unfolded, altered
			if bound(c, len(folded)); x.again {
				readChanges(c)
			}
		})
	})
}

// unfold reads the lines of a file.
func (e *effects) unfold(d thread.Diff, f thread.DiffFile, space bool) screen.Unfolded {
	if f.Binary {
		return screen.Unfolded{Print: f.Print}
	}
	hash := e.Changes.Hash(e.ctx, d.Dir.Raw(), f.Path) // raw: a path, not shown
	return screen.Unfolded{Hunks: e.Changes.Hunks(e.ctx, d, f, space), Print: f.Print, Hash: hash}
}

// bound lays out the changes, and says how many files were folded again because their lines together are too
// many. before is the number of files that already were.
func bound(c *console, before int) {
	x, n := &c.changes, 0
	if x.Changes, n = x.Bounded(); n+before == 0 {
		return
	}
	c.say("Folded " + model.Counted(n+before, "file") + " again: too many lines were unfolded together.")
}

// changesActs are the actions of the page of changes.
var changesActs = []pageAct{
	{action.NextTab, "next file", inChanges(screen.Changes.ToFile, 1)}, {action.PrevTab, "", inChanges(screen.Changes.ToFile, -1)},
	{action.NextMatch, "next hunk", inChanges(screen.Changes.ToHunk, 1)},
	{action.PrevMatch, "", inChanges(screen.Changes.ToHunk, -1)},
	{action.Do, "fold", foldChanges}, {action.Open, "", foldChanges},
	{action.New, "comment", writing(action.New, comment)}, {action.Message, "send comments", writing(action.Message, sendComments)},
	{action.Drop, "", writing(action.Drop, dropComment)},
}

// writing does what changes the ledger for an item, or says why it cannot be done.
func writing(id action.ID, do act) act {
	return func(c *console) {
		switch why := c.readOnly(); {
		case why != "":
			c.refuse(c.keys.ByID(id), why)
		case c.row() == nil:
			c.refuse(c.keys.ByID(id), action.NoItem)
		default:
			do(c)
		}
	}
}

// inChanges moves the cursor within the changes.
func inChanges(move func(screen.Changes, int) screen.Changes, by int) act {
	return func(c *console) { c.changes.Changes = move(c.changes.Changes, by) }
}

// foldChanges folds the file at the cursor, or unfolds it and reads its lines.
func foldChanges(c *console) {
	x := &c.changes
	f, ok := x.File(x.Cursor)
	if !ok {
		return
	}
	if _, open := x.Unfolded[f.Path]; open {
		x.Unfolded = maps.Clone(x.Unfolded)
		delete(x.Unfolded, f.Path)
		x.Cursor = screen.ChangeRow{File: f.Path, Hunk: -1, Line: -1}
		x.Changes = x.Laid()
		return
	}
	fx, item, d, space := c.fx, x.item, x.Diff, x.Space
	c.start(func() tea.Msg {
		read := fx.unfold(d, f, space)
		return act(func(c *console) {
			if x := &c.changes; x.item == item && x.Space == space {
				x.Changes = x.Unfold(f.Path, read)
				bound(c, 0)
			}
		})
	})
}

// spaceInChanges shows or hides changes of white space only.
func spaceInChanges(c *console) {
	x := &c.changes
	x.Space, x.Unfolded, x.Known = !x.Space, nil, false
	readChanges(c)
}

// comment asks for a comment on the line under the cursor of the changes.
func comment(c *console) {
	on, ok := c.changes.About()
	if !ok {
		c.unheard("The cursor is on no file.")
		return
	}
	on.WorkItemID = c.changes.item
	where := model.Comment{File: on.File, Line: on.Line}.Where()
	shown := c.facts().Cut(where, 50)
	c.open(&form{
		Title:    "Comment on " + shown,
		DraftKey: fmt.Sprintf("comment:%s:%s:%s", on.WorkItemID, where.Raw(), on.Quote.Raw()), // raw: a key
		Head: func(x facts) []string {
			if on.Quote == "" {
				return nil
			}
			return []string{x.Note("> " + x.Cut(on.Quote, x.Inner()-4))}
		},
		Fields: []formField{textField("Comment", 3, model.MaxComment, &on.Text, "a comment is needed")},
		Foot:   "{submit} keep · {back} keeps the draft",
		Submit: func(facts) message { return apply{Command: on, Said: "Commented on " + shown} },
	})
}

// sendComments sends the unsent comments. If there are none, it asks for a message.
func sendComments(c *console) {
	n := c.changes.Unsent()
	if n == 0 {
		c.open(messaging(c))
		return
	}
	c.send(model.SendComments{WorkItemID: c.changes.item}, "Sent "+model.Counted(n, "comment")+" to "+clean(c.agent))
}

// dropComment deletes the comment at the cursor.
func dropComment(c *console) {
	id := c.changes.Cursor.Comment
	if id == "" {
		c.say("The cursor is on no comment.")
		return
	}
	c.send(model.CommentOn{WorkItemID: c.changes.item, Withdraw: id}, "Dropped a comment")
}
