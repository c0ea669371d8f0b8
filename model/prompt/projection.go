// Package prompt is what an agent is told: why it was woken, the current work item in
// full, what else waits, and what was said to it. It is pure, and its text is for a program's
// input, never for a terminal.
//
// Fit (layers.go) tells a model, in words within a budget; Of tells a program, as data.
package prompt

import (
	"time"

	"vise/model"
	"vise/model/thread"
)

// Context is everything that a turn begins with, as data for a program that speaks rounds.
type Context struct {
	AgentID model.AgentID `json:"agent_id"`
	Turn    int           `json:"turn"`
	// Tick is the key of the tick that the turn answers; empty when messages woke the agent.
	Tick string `json:"tick,omitempty"`
	// Current is the focus; nothing else may be worked on without a pick.
	Current *Item `json:"current,omitempty"`
	// Offered is what the tick is about, when that is not the focus.
	Offered  *Item           `json:"offered,omitempty"`
	Rechecks []Item          `json:"rechecks,omitempty"`
	Messages []model.Message `json:"messages,omitempty"`
	Groups   []Group         `json:"candidates,omitempty"`
	At       time.Time       `json:"at"`
}

// Item is one work item with what an agent needs to go on with it.
type Item struct {
	model.View
	Advice []model.Advice     `json:"advice,omitempty"`
	Trace  []model.TraceEntry `json:"trace,omitempty"`
	// Thread is where the work was left in the repository; nil when it was not read.
	Thread *thread.Card `json:"thread,omitempty"`
}

// Group is the beginning of a candidate class, and its whole size.
type Group struct {
	Class model.Class `json:"class"`
	Total int         `json:"total"`
	Rows  []model.Row `json:"rows"`
}

// shownTrace is how many rounds an agent is reminded of.
const shownTrace = 5

// Of reads the context of the agent's running turn.
func Of(f model.Facts, agent model.AgentID, now time.Time) Context {
	a, _ := f.Agent(agent)
	c := Context{AgentID: agent, At: now}
	read := func(id model.ItemID) *Item {
		w, ok := f.Item(id)
		if !ok || w.AgentID != agent {
			return nil
		}
		return itemOf(f, w, now)
	}
	if w, ok := model.Focus(f, agent); ok {
		c.Current = read(w.ID)
	}
	if a.Turn != nil {
		c.Turn, c.Tick = a.Turn.Index, a.Turn.Tick
		if a.Turn.OfferedID != "" && a.Turn.OfferedID != a.CurrentWorkItemID {
			c.Offered = read(a.Turn.OfferedID)
		}
		for _, id := range a.Turn.Rechecks {
			if x := read(id); x != nil && x.BlockedBy != "" {
				c.Rechecks = append(c.Rechecks, *x)
			}
		}
		for _, id := range a.Turn.Messages {
			if m, ok := f.Message(id); ok {
				c.Messages = append(c.Messages, m)
			}
		}
	}
	c.Groups = groups(f, agent)
	return c
}

func itemOf(f model.Facts, w model.WorkItem, now time.Time) *Item {
	x := &Item{View: model.ViewOf(f, w), Advice: model.Advise(f, w, now)}
	t, _ := f.Trace(w.AgentID, w.ID)
	x.Trace = t.Entries[max(0, len(t.Entries)-shownTrace):]
	return x
}

// groups are the candidates by class; the current item is told apart and left out.
func groups(f model.Facts, agent model.AgentID) []Group {
	var out []Group
	for _, class := range model.Classes[1:] {
		g := Group{Class: class, Total: f.Count(agent, model.ClassTally(class))}
		for _, r := range f.Rows(agent, class, nil, class.Limit()+1) {
			shown := !r.IsCurrent && (class != model.CompletedRecent || r.Reported)
			if shown && len(g.Rows) < class.Limit() {
				g.Rows = append(g.Rows, r)
			}
		}
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}
