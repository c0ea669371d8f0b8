package console

import (
	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// maxFilter bounds a filter, in Unicode scalars.
const maxFilter = 200

func (c Console) filtering() bool { return c.find != nil }

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
		return &c.place.stream.filter
	case viewReports:
		return &c.place.reports.filter
	}
	return &c.place.filter
}

// filterTrouble is what is wrong with the filter, in words.
func (c Console) filterTrouble() string {
	switch c.place.view {
	case viewActivity:
		return c.truth.stream.trouble
	case viewReports:
		return c.truth.finished.trouble
	}
	return c.queue.trouble
}

// filterRows is how many lines the filter takes from the queue.
func (c Console) filterRows() int {
	if c.find != nil || *c.keptFilter() != "" {
		return 1
	}
	return 0
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
		c.place.stream.cursor, c.place.stream.deep = model.Position{}, 0
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

// filterLine is the filter above the queue.
func (c Console) filterLine(w int) string {
	k := c.styles
	shown := model.Text(c.filterText()).String()
	if why := c.filterTrouble(); why != "" {
		return k.Strip(w, false, k.Key.Of(" / "), k.Blocked.Of(shown+"  "), k.Muted.Of(why))
	}
	ink := k.Strong
	if c.find == nil {
		ink = k.Muted
	}
	return k.Strip(w, false, k.Key.Of(" / "), ink.Of(text.Cut(shown, w-3)))
}
