package agents

import (
	"context"
	"slices"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// Several sessions may work for one agent. A message about an item is for the one that holds it; any other
// for one that works, and for one that rests only when none works.

// works notes that the session works, and what it picked. A subagent may work while its session rests.
func (c *call) works(ctx context.Context, p payload) {
	if c.session == "" || p.Subagent != "" {
		return
	}
	s := home.LiveSession{Program: c.program, ID: c.session, Agent: model.AgentID(c.agent), Works: true}
	if transcript.Picks(p.Tool) && transcript.Succeeded(p.Response) && !c.busy {
		ctx, cancel := c.soon(ctx)
		defer cancel()
		err := c.home.View(ctx, func(r model.Reader) error {
			if w, ok := model.Focus(r, s.Agent); ok {
				s.Item = w.ID
			}
			return nil
		})
		c.busy = err != nil // then it holds what it held
	}
	c.home.NoteLive(s)
}

// rests notes that the session's turn has ended.
func (c *call) rests() {
	c.home.NoteLive(home.LiveSession{Program: c.program, ID: c.session, Agent: model.AgentID(c.agent)})
}

// siblings are the agent's other sessions: the items that they hold, and whether one of them works. own is
// what this one holds.
type siblings struct {
	holds []model.ItemID
	own   model.ItemID
	work  bool
}

func (c *call) siblings() (out siblings) {
	for _, s := range c.home.LiveSessions(model.AgentID(c.agent)) {
		switch isOwn := s.Program == c.program && s.ID == c.session; {
		case isOwn:
			out.own = s.Item
		case s.Item != "":
			out.holds = append(out.holds, s.Item)
			fallthrough
		default:
			out.work = out.work || s.Works
		}
	}
	return out
}

// others are the items whose messages are for other sessions; "" stands for messages about none.
func (s siblings) others(rests bool) []model.ItemID {
	if rests && s.work {
		return append(s.holds, "")
	}
	return s.holds
}

// reads reports whether a message is for this session. One that rests leaves it to one that works.
func (s siblings) reads(m model.Message, rests bool) bool {
	switch {
	case m.WorkItemID != "" && m.WorkItemID == s.own:
		return true
	case m.WorkItemID != "" && slices.Contains(s.holds, m.WorkItemID):
		return false
	}
	return !rests || !s.work
}

// urgentMessage is the first queued message for this session that should not wait for a prompt, if there is one,
// and the revision at which that was read. others: there are such for other sessions.
type urgentMessage struct {
	message  model.MessageID
	revision uint64
	others   bool
}

// maxLooked bounds the queued messages that are looked through for one that is urgent.
const maxLooked = 100

func (c *call) firstUrgent(ctx context.Context, rests bool) (first urgentMessage, err error) {
	all := c.siblings()
	err = c.home.View(ctx, func(r model.Reader) error {
		first = urgentMessage{revision: r.Revision()}
		for _, m := range r.QueuedMessages(model.AgentID(c.agent), maxLooked) {
			switch {
			case m.Priority == model.Background:
			case all.reads(m, rests):
				first.message = m.ID
				return nil
			default:
				first.others = true
			}
		}
		return nil
	})
	return first, err
}
