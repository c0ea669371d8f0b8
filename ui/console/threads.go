package console

import (
	"context"
	"fmt"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// Threads show the state of unfinished work in the repository in which the console runs.
type Threads interface {
	// Card is the resume card and work tree of an item with these links. Without links it is the card of the
	// repository's active thread.
	Card(context.Context, model.Links) thread.Card
	// Next waits until the threads or the head of the repository may have changed. Only one goroutine calls it
	// at a time.
	Next(context.Context) error
	// All are the threads that the operator can take up: first those of the console's repository, then those
	// that work items link to.
	All(context.Context) []thread.Overview
	// Act carries out the operator's decision on a thread, and returns its warnings.
	Act(context.Context, ThreadAct) ([]model.Text, error)
	// Record makes the command that runs argv in a repository and records its result in the active thread
	// there.
	Record(repo model.Text, argv []string) (*exec.Cmd, error)
}

// ThreadAct is the operator's decision on a thread.
type ThreadAct struct {
	// Repo is the repository's directory.
	Repo    model.Text
	Command thread.Command
	// Item is the item to link to the thread that the command starts; empty for none.
	Item model.ItemID
}

// threads are the threads, as last read.
type threads struct {
	// card is the resume card of the item under the cursor, which has these links.
	item  model.ItemID
	links model.Links
	card  thread.Card
	// all are the threads that the operator can take up; known: they were read.
	all   []thread.Overview
	known bool
	// asked is the number of the newest read; answers of older reads are dropped.
	asked int
}

// followOthers reads the threads and the file todos again when they have news, and draws what was laid out.
func (e *effects) followOthers() tea.Cmd {
	out := []tea.Cmd{e.following(e.pages.Next, func(*console) {})}
	if e.Threads != nil {
		out = append(out, e.following(e.Threads.Next, (*console).readThreads))
	}
	if e.Files != nil {
		out = append(out, e.following(e.Files.Next, (*console).readFiles))
	}
	return tea.Batch(out...)
}

// record gives the terminal to a command that the operator confirmed word by word, says how it ended, and reads the thread again.
func (e *effects) record(repo model.Text, argv []string) tea.Cmd {
	ended := func(err error) tea.Msg {
		return act(func(c *console) {
			said := "It succeeded. If it validates something, that is a fact of the thread now."
			if err != nil {
				said = "It failed (" + clean(err.Error()) + "): the thread keeps that as a risk."
			}
			c.say(said)
			c.readThreads()
		})
	}
	run, err := e.Threads.Record(repo, argv)
	if err != nil {
		return func() tea.Msg { return ended(err) }
	}
	return onTerminal(run, ended)
}

// readThreads reads the resume card, and all threads if they are on screen.
func (c *console) readThreads() {
	if c.fx.Threads == nil {
		return
	}
	c.threads.asked++
	fx, links, asked, whole := c.fx, c.threads.links, c.threads.asked, c.showsThreads()
	c.start(func() tea.Msg {
		card, all := fx.Threads.Card(fx.ctx, links), []thread.Overview(nil)
		if whole {
			all = fx.Threads.All(fx.ctx)
		}
		return act(func(c *console) {
			if t := &c.threads; asked == t.asked {
				t.card = card
				if whole {
					t.all, t.known = all, true
				}
			}
		})
	})
}

// showsThreads reports whether all threads are on screen and must be read.
func (c *console) showsThreads() bool {
	_, open := c.layers.top().(*threadsDialog)
	return open || c.view == viewFleet
}

// openCard reads the card of the item under the cursor, if the present card belongs to another item or the
// links changed.
func (c *console) openCard() {
	d, t := c.detail(), &c.threads
	if c.fx.Threads == nil || d == nil {
		return
	}
	if t.item == d.ID && slices.Equal(t.links.Threads, d.Links.Threads) && slices.Equal(t.links.Refs, d.Links.Refs) {
		return
	}
	owns := func(l model.Links) bool { return len(l.Threads)+len(l.Refs) > 0 }
	known := t.asked > 0 && !owns(t.links) && !owns(d.Links) // the repository's own card
	if !known && t.item != d.ID {
		t.card = thread.Card{}
	}
	t.item, t.links = d.ID, d.Links
	if known {
		return
	}
	c.readThreads()
}

// checkWorkTree reads the threads on screen again. No event reports every changed file of a work tree, and the
// git line shows whether there are uncommitted changes.
func (c *console) checkWorkTree() {
	isTold := c.tab == screen.TabThread || c.threads.card.Worktree.Path != ""
	if c.showsThreads() || isTold && c.layout.shows(paneDetail) && c.threads.asked > 0 {
		c.readThreads()
	}
}

// threadActed shows the result of an action on a thread.
func (j job) threadActed(c *console, m receiptMsg) {
	if m.err != nil {
		c.complain(m.err)
		return
	}
	c.readThreads()
	if j.said == "" {
		return
	}
	c.say(receiptWords(c.styles, j.said, m.receipt))
}

// threadsDialog shows the threads that the operator can take up, the condition that would wake each parked
// thread, and the actions for the thread at the cursor.
type threadsDialog struct {
	deskKeys
	fx *effects
	threads
	at screen.ThreadKey
}

// openThreads opens the dialog at the thread of the resume card.
func openThreads(c *console) {
	if c.fx.Threads == nil {
		c.say("Threads are not read here.")
		return
	}
	d, card := &threadsDialog{fx: c.fx, threads: c.threads}, c.threads.card
	d.at.Repo = card.Repo
	switch {
	case card.Thread != nil:
		d.at.ID = card.Thread.ID
	case len(card.Parked) > 0:
		d.at.ID = card.Parked[0].Thread.ID
	}
	c.open(d)
	if host := model.HostOf(c.cursor); host != "" {
		c.say("These are the threads of this machine: those of " + clean(host) + " are not shown.")
		c.readThreads()
		return
	}
	c.readThreads()
}

// chosen is the row at the cursor, or else the first row.
func (d *threadsDialog) chosen() action.ThreadRow {
	rows := action.ThreadRows(d.all)
	if len(rows) == 0 {
		return action.ThreadRow{}
	}
	return rows[max(slices.IndexFunc(rows, func(b action.ThreadRow) bool { return screen.ThreadKeyOf(b) == d.at }), 0)]
}

// Press is part of dialog.
func (d *threadsDialog) Press(k keyPress, x facts) (open bool, m message) {
	n := k.digit()
	switch k.ID {
	case action.Down:
		d.move(1)
		return true, nil
	case action.Up:
		d.move(-1)
		return true, nil
	case action.Open, action.Do:
		n = 0
	}
	row := d.chosen()
	switch all := row.Actions(); {
	case closes(k):
		return false, nil
	case !d.known:
		return true, nil
	case n >= len(all):
		return true, unused(k)
	case all[n].Off != "":
		return true, trouble(all[n].Off)
	default:
		return false, threadRow{row, d.fx}.take(x, all[n])
	}
}

func (d *threadsDialog) move(by int) {
	l := screen.List[screen.ThreadKey]{Cursor: screen.ThreadKeyOf(d.chosen())}
	for _, b := range action.ThreadRows(d.all) {
		l.Order = append(l.Order, screen.ThreadKeyOf(b))
	}
	d.at = l.Step(by).Cursor
}

// threadsW is the greatest width of the dialog.
const threadsW = 110

// Draw is part of dialog.
func (d *threadsDialog) Draw(x facts) drawnDialog {
	w := min(threadsW, x.W)
	lines := []string{x.Note("Reading the threads…")}
	if d.known {
		lines = screen.ThreadList{Frame: x.Frame, W: w - 2, H: x.H - 2, All: d.all, Chosen: d.chosen()}.Lines()
	}
	out := x.dialog("Where work was left", "{down} {up} thread · a digit or {open} acts · {back} close", lines)
	if out.W = w; screen.Parked(d.all) > 0 {
		out.Right = x.Muted.Paint(fmt.Sprintf("%d parked", screen.Parked(d.all)))
	}
	return out
}
