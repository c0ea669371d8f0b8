package console

import (
	"context"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/screen"
)

// Threads show where the work was left in the repository that the console runs in.
type Threads interface {
	// Card is the resume card of an item with these links; without any it is that of the
	// repository's active thread.
	Card(context.Context, []model.ThreadLink) thread.Card
	// Next waits until the threads or the head of the repository may have changed; it is
	// called by one goroutine at a time.
	Next(context.Context) error
	// Radar is every thread that somebody may take up: of the repository around the console
	// first, then of those that work items link to.
	Radar(context.Context) []thread.Overview
	// Act carries out what the operator decided on a thread, and says what is worth knowing.
	Act(context.Context, ThreadAct) ([]model.Text, error)
	// Record makes the command that runs argv in a repository and takes its end into the
	// active thread there.
	Record(repo model.Text, argv []string) (*exec.Cmd, error)
}

// bookmark is the resume card of the item under the cursor, as it was read last.
type bookmark struct {
	item  model.ItemID
	links []model.ThreadLink
	card  thread.Card
	// asked is the number of the newest reading; older answers are dropped.
	asked int
}

type (
	cardMsg struct {
		n    int
		card thread.Card
	}
	// threadNewsMsg says that the card may have changed.
	threadNewsMsg struct{ err error }
)

func (e *effects) readCard(n int, links []model.ThreadLink) tea.Cmd {
	return func() tea.Msg { return cardMsg{n, e.Threads.Card(e.ctx, links)} }
}

// watchThreads parks until the threads have news.
func (e *effects) watchThreads() tea.Cmd {
	if e.Threads == nil {
		return nil
	}
	return func() tea.Msg { return threadNewsMsg{e.Threads.Next(e.ctx)} }
}

// openCard turns to the card of the item under the cursor, if the one at hand is another's
// or its links changed.
func (c Console) openCard() (Console, tea.Cmd) {
	d := c.detail()
	if c.fx.Threads == nil || d == nil || c.bookmark.item == d.ID && slices.Equal(c.bookmark.links, d.Links.Threads) {
		return c, nil
	}
	known := c.bookmark.asked > 0 && len(c.bookmark.links)+len(d.Links.Threads) == 0 // the repository's own card
	if !known && c.bookmark.item != d.ID {
		c.bookmark.card = thread.Card{}
	}
	c.bookmark.item, c.bookmark.links = d.ID, d.Links.Threads
	if known {
		return c, nil
	}
	return c.readCard()
}

func (c Console) readCard() (Console, tea.Cmd) {
	c.bookmark.asked++
	return c, c.fx.readCard(c.bookmark.asked, c.bookmark.links)
}

// handle reads the card again and goes on waiting; eyes that ended stay shut.
func (m threadNewsMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err != nil {
		return c, nil
	}
	c, read := c.readCard()
	if c.showsRadar() {
		var radar tea.Cmd
		c, radar = c.readRadar()
		read = tea.Batch(read, radar)
	}
	return c, tea.Batch(read, c.fx.watchThreads())
}

// glanceAtTree reads again what is on screen of threads: nobody tells of each file of a work
// tree that changes, and whether there are uncommitted changes is part of the git line.
func (c Console) glanceAtTree() (Console, tea.Cmd) {
	var card, radar tea.Cmd
	if c.fx.Threads == nil {
		return c, nil
	}
	if c.place.tab == screen.TabThread && c.layout.shows(paneDetail) && c.bookmark.asked > 0 {
		c, card = c.readCard()
	}
	if c.showsRadar() {
		c, radar = c.readRadar()
	}
	return c, tea.Batch(card, radar)
}

func (m cardMsg) handle(c Console) (Console, tea.Cmd) {
	if m.n == c.bookmark.asked {
		c.bookmark.card = m.card
	}
	return c, nil
}
