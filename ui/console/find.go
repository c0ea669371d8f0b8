package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
)

// maxFilter bounds a filter, in Unicode scalars.
const maxFilter = 200

// filterText is the filter that holds: the one being typed, else the one kept.
func (c Console) filterText() string {
	if p := c.layers.prompt(filterPrompt); p != nil {
		return p.Value()
	}
	return *c.keptFilter()
}

// keptFilter is the filter of the view that is shown.
func (c *Console) keptFilter() *string {
	switch c.place.view {
	case viewActivity:
		return &c.place.activity.Filter
	case viewReports:
		return &c.place.reports.Filter
	}
	return &c.place.filter
}

// filterShown is the filter as it is drawn.
func (c Console) filterShown() screen.Filter {
	f := screen.Filter{Text: c.filterText(), Trouble: c.queue.Trouble, Typing: c.layers.prompt(filterPrompt) != nil}
	switch c.place.view {
	case viewActivity:
		f.Trouble = c.truth.journal.Trouble
	case viewReports:
		f.Trouble = c.truth.finished.Trouble
	}
	return f
}

// startFilter starts typing one, or what the detail is searched for. All rows are read for a
// filter.
func startFilter(c Console) (Console, tea.Cmd) {
	if c.place.focus == paneDetail && c.place.view == viewDesk {
		return startSearch(c)
	}
	c, _ = c.open(newPrompt(filterPrompt, *c.keptFilter()))
	c.place.focus = paneQueue
	return c.then(Console.laidOut, Console.look)
}

// handle takes what is typed into a prompt.
func (m promptMsg) handle(c Console) (Console, tea.Cmd) {
	switch {
	case m.what == searchPrompt:
		return c.searched(m)
	case m.dropped:
		return c.filtered("")
	case m.ended:
		return c.filtered(m.text)
	}
	return c.filteredNow()
}

// filterMsg is a filter that was chosen.
type filterMsg string

func (m filterMsg) handle(c Console) (Console, tea.Cmd) { return c.filtered(string(m)) }

func (c Console) filtered(f string) (Console, tea.Cmd) {
	*c.keptFilter() = f
	return c.then(Console.filteredNow, Console.look)
}

// filteredNow narrows what is shown to the filter that holds.
func (c Console) filteredNow() (Console, tea.Cmd) {
	if c.place.view != viewDesk {
		c.idle.quiet = idleBeats // what is typed narrows at once
		c.place.activity.Cursor, c.place.activity.Deep = model.Position{}, 0
		return c.look()
	}
	before := c.place.cursor
	c = c.reorder()
	if c.place.cursor == before {
		return c, nil
	}
	return c.then(Console.look, Console.openPlan)
}
