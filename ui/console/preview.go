package console

import (
	"slices"

	"vise/model"
	"vise/store/home"
	"vise/ui/console/screen"
)

// previewFrom is the width from which the fleet has room for a preview.
const previewFrom = 160

// previewPane is the preview's number. A view's own panes have lower numbers.
const previewPane = int(paneCount)

// sides are the list of a view other than the desk, and the preview beside it; preview is empty if there is no
// room.
func (c *console) sides() (list, preview screen.Rect) {
	list = c.layout.body()
	if c.layout.w < previewFrom || c.zoomed || c.view != viewFleet {
		return list, screen.Rect{}
	}
	preview = list
	list.W = list.W * 2 / 3
	preview.X, preview.W = list.W, preview.W-list.W
	return list, preview
}

// shown is the item in the detail or the preview, and its agent. It is the item that keys apply to, or else,
// with a preview, the item of the line under the cursor.
func (c *console) shown() (model.AgentID, model.ItemID) {
	if _, preview := c.sides(); c.cursor != "" || preview.Empty() {
		return c.agent, c.cursor
	}
	row, _ := c.subject()
	return c.agent, row.ID
}

// subject is the current item of the agent under the fleet's cursor, and the agent's need if there is one.
func (c *console) subject() (row model.Row, need model.Need) {
	at := slices.IndexFunc(c.truth.fleet.Agents, func(m model.FleetMember) bool { return m.Agent.ID == c.agent })
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

// sessionRuns reports whether the fleet's cursor is on an agent whose session runs.
func sessionRuns(c *console) bool {
	s, ok := c.talk.sessionOf(c.shown())
	return ok && c.view == viewFleet && c.fleet.Focus == screen.FleetAgents && s.State != home.SessionGone
}

// previewed makes the detail show the line under the cursor: its session if that runs, its need, or else its plan.
func (c *console) previewed(v screen.Detail) screen.Detail {
	_, v.Rect = c.sides()
	v.Preview, v.Focused, v.Row, v.Detail, v.Tab = true, false, nil, nil, screen.TabPlan
	if _, item := c.shown(); item != "" && c.truth.want.item == item {
		v.Row, v.Detail = c.truth.row, c.truth.detail
	}
	if c.view != viewFleet {
		return v
	}
	if sessionRuns(c) {
		v.Tab = screen.TabSession
	} else if e := c.fleet.Entry(); e != nil {
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
