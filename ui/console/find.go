package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
)

// maxFilter bounds a filter, in Unicode scalars.
const maxFilter = 200

// filterText is the filter that holds: the one being typed, else the one kept.
func (c Console) filterText() string {
	if c.find != nil {
		return c.find.Value()
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

// filterTrouble is what is wrong with the filter, in words.
func (c Console) filterTrouble() string {
	switch c.place.view {
	case viewActivity:
		return c.truth.journal.Trouble
	case viewReports:
		return c.truth.finished.Trouble
	}
	return c.queue.Trouble
}

// filterShown is the filter as it is drawn.
func (c Console) filterShown() screen.Filter {
	return screen.Filter{Text: c.filterText(), Trouble: c.filterTrouble(), Typing: c.find != nil}
}

// filter starts typing one, or what the detail is searched for. All rows are read for a
// filter.
func (c Console) filter() (Console, tea.Cmd) {
	if c.place.focus == paneDetail && c.place.view == viewDesk {
		return c.search()
	}
	f := widget.NewField(*c.keptFilter(), 1, maxFilter)
	c.find = &f
	c.place.focus = paneQueue
	c, laid := c.laidOut()
	c, look := c.look()
	return c, tea.Batch(laid, look)
}

// typedFilter narrows the queue with each key. Enter keeps the filter, esc clears it, the
// arrows move in what is left.
func (c Console) typedFilter(k tea.KeyPressMsg) (Console, tea.Cmd) {
	switch k.String() {
	case "esc", "alt+esc":
		c.find = nil
		return c.filtered("")
	case "enter":
		value := c.find.Value()
		c.find = nil
		return c.filtered(value)
	case "up":
		return c.act(action.ByID(action.Up))
	case "down":
		return c.act(action.ByID(action.Down))
	}
	f := *c.find
	f.Press(k, maxFilter)
	c.find = &f
	return c.filteredNow()
}

func (c Console) filtered(f string) (Console, tea.Cmd) {
	*c.keptFilter() = f
	c, cmd := c.filteredNow()
	c, look := c.look()
	return c, tea.Batch(cmd, look)
}

func (c Console) filteredNow() (Console, tea.Cmd) {
	if c.place.view != viewDesk {
		c.calm.quiet = calmBeats // what is typed narrows at once
		c.place.activity.Cursor, c.place.activity.Deep = model.Position{}, 0
		return c.look()
	}
	before := c.place.cursor
	c = c.reorder()
	if c.place.cursor == before {
		return c, nil
	}
	c, look := c.look()
	c, plan := c.openPlan()
	return c, tea.Batch(look, plan)
}
