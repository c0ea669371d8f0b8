package console

import (
	"slices"

	"vise/model"
	"vise/ui/console/screen"
)

// previewFrom is the width from which the fleet and the activity have room for what their cursor is on.
const previewFrom = 160

// previewPane is the preview's number, on views whose own panes have lower ones.
const previewPane = int(paneCount)

// sides are the list of a view other than the desk, and the preview beside it; that is empty where there is none.
func (c *console) sides() (list, preview screen.Rect) {
	list = c.layout.body()
	if c.layout.w < previewFrom || c.place.zoomed || c.place.view != viewFleet && c.place.view != viewActivity {
		return list, screen.Rect{}
	}
	preview = list
	list.W = list.W * 3 / 5
	preview.X, preview.W = list.W, preview.W-list.W
	return list, preview
}

// shown is the item that the detail or the preview shows, and whose it is: the one that keys are about, else,
// where there is a preview, the one that the line under the cursor speaks of.
func (c *console) shown() (model.AgentID, model.ItemID) {
	if _, preview := c.sides(); c.place.cursor != "" || preview.Empty() {
		return c.place.agent, c.place.cursor
	}
	if s := journalShown(c); c.place.view == viewActivity {
		if at := s.At(c.place.activity); at >= 0 {
			return s.Entries[at].AgentID, s.Entries[at].WorkItemID
		}
	}
	row, _ := c.subject()
	return c.place.agent, row.ID
}

// subject is what the agent under the fleet's cursor is about now, and its need if it has one.
func (c *console) subject() (row model.Row, need model.Need) {
	at := slices.IndexFunc(c.truth.fleet.Agents, func(m model.FleetMember) bool { return m.Agent.ID == c.place.agent })
	if at < 0 {
		return row, ""
	}
	switch m := c.truth.fleet.Agents[at]; {
	case m.State == model.AgentAsks && m.Asks != nil:
		return m.Asks.Row, m.Asks.Need
	case m.State == model.AgentTriggered && m.Came != nil:
		return m.Came.Row, m.Came.Need
	case m.Current != nil:
		return *m.Current, ""
	case m.Next != nil:
		return *m.Next, ""
	}
	return row, ""
}

// previewed has the detail show what the cursor is on, beside a list: what is needed, else the plan.
func (c *console) previewed(v screen.Detail) screen.Detail {
	_, v.Rect = c.sides()
	v.Preview, v.Focused, v.Row, v.Detail, v.Tab = true, false, nil, nil, screen.TabPlan
	if _, item := c.shown(); item != "" && c.truth.want.item == item {
		v.Row, v.Detail = c.truth.row, c.truth.detail
	}
	if c.place.view != viewFleet {
		return v
	}
	if e := c.place.fleet.Entry(); e != nil {
		v.Tab = screen.TabOf(e.Need)
	} else if _, need := c.subject(); need != "" {
		v.Tab = screen.TabOf(need)
	}
	return v
}

func (c *console) besidePreview(list screen.Drawing) screen.Drawing {
	if _, preview := c.sides(); preview.Empty() {
		return list
	}
	return list.NextTo(c.detailView().Draw(previewPane))
}
