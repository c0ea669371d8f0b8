package console

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// hide hides an entry of the inbox. A permission that is not answered here is hidden for good: nobody else may say that it is over.
func hide(c *console) {
	if r := c.row(); r != nil && r.IsPermission() && len(c.marked()) == 0 {
		c.send(model.EndPermissions{AgentID: r.AgentID, PermissionIDs: []model.PermissionID{model.PermissionID(r.ID)}},
			"Hid the permission")
		return
	}
	c.open(hiding(c))
}

// hiding lets the operator choose until when the inbox hides the item under the cursor, or the marked items.
func hiding(c *console) dialog {
	news := menuLine{Title: "until something new", Does: "happens: a question, news, a report"}
	if rows := c.marked(); len(rows) > 0 {
		news.Does = "happens; questions and stalled work stay, as seen"
		news.Result = act(func(c *console) { hideMarked(c, rows) })
		return &menu{Title: fmt.Sprintf("Hide %d marked", len(rows)), Lines: []menuLine{news}}
	}
	r, now := *c.row(), c.now
	command := model.Snooze{WorkItemID: r.ID, SeenRevision: r.Revision}
	news.Result = untilNews(*c.truth.need)
	lines := []menuLine{news}
	for _, x := range []struct{ title, at string }{{"for an hour", "1h"}, {"until tonight", "20:00"}, {"until tomorrow", "tomorrow 9"}} {
		at, err := model.ParseTime(x.at, now)
		at = at.Truncate(time.Second)
		l := menuLine{Title: x.title, Does: c.frame().BothTimes(at), Result: hidden(command, at, r, now)}
		if err != nil || x.title == "until tonight" && at.In(now.Location()).Day() != now.Day() {
			l.Off = "it is past"
		}
		lines = append(lines, l)
	}
	lines = append(lines, menuLine{Title: "until…", Does: "a time of yours", Result: opens{hidingUntil(command, r)}})
	if c.truth.need.Hidden(now) {
		command.Withdraw = true
		lines = append(lines, menuLine{Title: "bring it back now", Does: "it is there again",
			Result: apply{Said: "Back in the inbox: " + string(r.Handle), Command: command}})
	}
	return &menu{Title: "Hide " + text.Cut(r.Objective.String(), 50), Lines: lines}
}

// untilNews hides an entry until something new happens. A question or stalled work that is only acknowledged would stay in the inbox.
func untilNews(x model.Inboxed) apply {
	out := apply{Said: "Hid " + string(x.Handle) + " until something new happens",
		Command: model.Acknowledge{WorkItemID: x.ID, SeenRevision: x.Revision}}
	if x.Need == model.NeedAnswer || x.Need == model.NeedNudge {
		out.Command = model.Snooze{WorkItemID: x.ID, SeenRevision: x.Revision}
	}
	return out
}

// hidden hides an item until a time, with a message that says until when.
func hidden(z model.Snooze, until time.Time, r model.Row, now time.Time) apply {
	z.Until = until
	return apply{Said: string(r.Handle) + " is " + action.SnoozedWords(until, now), Command: z}
}

// hidingUntil asks for the time.
func hidingUntil(z model.Snooze, r model.Row) dialog {
	var until time.Time
	at := lineField("Until   2h, 16:00, tomorrow 9", model.MaxWaitText, nil, sayWhen)
	at.Instant = &until
	return &form{
		Title:  "Hide until",
		Fields: []formField{at},
		Foot:   "{open} hide · {back} cancel",
		Submit: func(x facts) message { return hidden(z, until, r, x.Now) },
	}
}

// showHidden shows the hidden items, or hides them again, at the end of the inbox.
func showHidden(c *console) {
	c.fleet.Snoozed = !c.fleet.Snoozed
	if c.view != viewFleet {
		toView(viewFleet)(c)
		return
	}
	refreshView(c)
}

// hideMarked sends one command for each agent, as the ledger requires. The needs of agents themselves
// cannot be hidden, and are skipped.
func hideMarked(c *console, rows []model.Row) {
	of := map[model.AgentID][]model.Row{}
	for _, r := range rows {
		if !r.OfAgent() {
			of[r.AgentID] = append(of[r.AgentID], r)
		}
	}
	if len(of) == 0 {
		c.say("What is marked stays until it is answered, or its agent is well.")
		return
	}
	m, group := listed(c).marks, c.outbox.seq+1
	for _, r := range rows {
		if r.OfAgent() && len(of) > 1 {
			*m = m.with(false, r.ID)
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(of)) {
		which := model.Counted(len(of[agent]), "marked item")
		if len(of) > 1 {
			which += " of " + clean(agent)
		}
		j := c.fx.decided(agent, action.AcknowledgeRows(of[agent]), // skips items without a need
			"Hid what "+which+" needed; questions and stalled work stay, as seen")
		if len(of) > 1 {
			j.group = group
			j.unsaid = "Not hidden: " + which + "."
			for _, r := range of[agent] {
				j.marked = append(j.marked, r.ID)
			}
		}
		c.post(j)
	}
}
