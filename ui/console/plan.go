package console

import (
	tea "charm.land/bubbletea/v2"

	"time"
	"vise/model"
	"vise/ui/text"
)

// plan is the plan file of the item under the cursor, as it was last read and painted.
type plan struct {
	item model.ItemID
	text PlanText
	at   time.Time
	// mode says how files are watched when that is not as it should be.
	mode  string
	lines []string
}

type paintedMsg struct{}

func (c Console) painted(paintedMsg) (Console, tea.Cmd) { return c, nil }

func (c Console) openPlan() (Console, tea.Cmd) {
	if c.plan.item == c.place.cursor {
		return c, nil
	}
	c.plan = plan{item: c.place.cursor, mode: c.plan.mode}
	return c, c.fx.readPlan(c.place.agent, c.place.cursor)
}

func (c Console) informed(m newsMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c, nil
	}
	c.plan.mode = m.news.Mode
	return c, tea.Batch(c.fx.watch(), c.fx.readPlan(c.place.agent, c.place.cursor))
}

func (c Console) planRead(m planMsg) (Console, tea.Cmd) {
	if m.item == c.plan.item && !m.text.Unsettled {
		c.plan.text, c.plan.at = m.text, m.at
	}
	return c.drawPlan()
}

func (c Console) drawPlan() (Console, tea.Cmd) {
	w, _ := c.layout.panes[paneDetail].inner()
	c.plan.lines = nil
	for _, l := range c.plan.text.Text.Lines() {
		c.plan.lines = append(c.plan.lines, text.Wrap(l, max(w-2, 1))...)
	}
	return c, nil
}

func (c Console) editPlan() (Console, tea.Cmd) { return c, c.fx.edit(c.plan.text.Artifact.Path) }

func (c Console) edited(m editedMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c.complain(m.err)
	}
	return c, tea.Batch(c.fx.readPlan(c.place.agent, c.place.cursor), tea.RequestWindowSize, tea.ClearScreen)
}

func (c Console) planPage(d model.Detail, w, h int) []string {
	top := min(c.place.scroll[c.place.page()], c.lastPlanTop())
	var out []string
	for _, l := range c.plan.lines[top:min(top+h, len(c.plan.lines))] {
		out = append(out, " "+l)
	}
	return out
}

func (c Console) lastPlanTop() int {
	_, h := c.layout.panes[paneDetail].inner()
	return max(len(c.plan.lines)-(h-headRows), 0)
}

func (c Console) planFoot() string { return "" }
