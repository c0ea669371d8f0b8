package console

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
)

// checkedTrees are the work trees in which an item's checks ran. They are watched while the item's evidence is
// on screen, so that it says whether files changed since the checks.
type checkedTrees struct {
	item model.ItemID
	dirs []model.Text
	// stop ends the watches; nil: nothing is watched.
	stop context.CancelFunc
}

// showsEvidence reports whether the evidence of the item under the cursor is on screen, or a dialog that may
// show it.
func showsEvidence(c *console) bool {
	return c.layers.dialog() != nil || c.view == viewDesk && c.tab == screen.TabReport && c.layout.shows(paneDetail)
}

// followTrees records in the ledger the files' state for the evidence on screen, and again after every change.
func followTrees(c *console) {
	x, now := &c.checked, checkedTrees{}
	if d := c.detail(); d != nil && c.fx.Changes != nil && model.HostOf(d.AgentID) == "" && showsEvidence(c) {
		now = checkedTrees{item: d.ID, dirs: d.Evidence.Trees()}
	}
	if x.item == now.item && slices.Equal(x.dirs, now.dirs) {
		return
	}
	if x.stop != nil {
		x.stop()
	}
	if *x = now; len(x.dirs) == 0 {
		return
	}
	ctx, stop := context.WithCancel(c.fx.ctx)
	x.stop = stop
	refresh := func(c *console) { c.start(c.fx.refreshTrees(ctx, now.item)) }
	for _, dir := range x.dirs {
		c.start(c.fx.watchTree(ctx, dir.Raw(), refresh)) // raw: a path, not shown
	}
}

// refreshTrees records the files' state. After an error the next reader records it.
func (e *effects) refreshTrees(ctx context.Context, id model.ItemID) tea.Cmd {
	return func() tea.Msg {
		_ = e.Changes.Refresh(ctx, id)
		return nil
	}
}
