package agents

import (
	"bytes"
	"context"
	"slices"
	"time"

	"vise/model"
	"vise/store/home"
)

// Several sessions may work for one agent. A message about an item is for the session that holds the item. Any other message is for a
// session that is working, and for an idle one only if none is working.

// siblings describes the agent's other sessions: the items that they hold, and whether one of them is working. own is the item of this
// session.
type siblings struct {
	holds []model.ItemID
	own   model.ItemID
	work  bool
}

func (c *call) siblings() (out siblings) {
	for _, s := range c.home.LiveSessions(c.agent) {
		switch isOwn := s.Program == c.program && s.ID == c.session; {
		case isOwn:
			out.own = s.Item
		case s.Item != "":
			out.holds = append(out.holds, s.Item)
			fallthrough
		default:
			out.work = out.work || s.State == home.SessionWorks && !c.interrupted(s)
		}
	}
	return out
}

// interruption is the text that Claude Code writes when somebody stops a turn. No hook reports that.
const interruption = `"[Request interrupted by user`

// interrupted reports whether the session's transcript shows that somebody stopped its turn and nothing was said since.
func (c *call) interrupted(s home.Session) bool {
	if s.Program != "claude" {
		return false
	}
	end, _ := transcriptEnd(c.Getenv, s, maxInterruption)
	return stopped(end)
}

// stopped reports whether the end of a Claude Code transcript shows that somebody stopped the turn.
func stopped(end []byte) bool {
	for _, line := range slices.Backward(bytes.Split(end, []byte("\n"))) {
		if bytes.Contains(line, []byte(`"role":"`)) {
			return bytes.Contains(line, []byte(interruption))
		}
	}
	return false
}

// transcriptEnd returns the end of a session's transcript and the time of its last write, or nil if it cannot be read.
func transcriptEnd(getenv func(string) string, s home.Session, most int64) (end []byte, written time.Time) {
	f, size, err := openOf(getenv, s)
	if err != nil {
		return nil, written
	}
	defer f.Close()
	end = make([]byte, min(size, most))
	if _, err = f.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, written
	}
	if info, err := f.Stat(); err == nil {
		written = info.ModTime()
	}
	return end, written
}

// maxInterruption bounds the end of a transcript that is searched for an interruption.
const maxInterruption = 16 << 10

// others returns the items whose messages are for other sessions; "" stands for messages about no item.
func (s siblings) others(rests bool) []model.ItemID {
	if rests && s.work {
		return append(s.holds, "")
	}
	return s.holds
}

// reads reports whether a message is for this session. An idle session leaves a message to one that is working.
func (s siblings) reads(m model.Message, rests bool) bool {
	switch {
	case m.WorkItemID != "" && m.WorkItemID == s.own:
		return true
	case m.WorkItemID != "" && slices.Contains(s.holds, m.WorkItemID):
		return false
	}
	return !rests || !s.work
}

// urgentMessage is the first queued message for this session that should not wait for a prompt, if any, and the revision at which it was
// read. others means that there are such messages for other sessions.
type urgentMessage struct {
	message  model.MessageID
	revision uint64
	others   bool
}

// maxLooked bounds the queued messages that are searched for an urgent one.
const maxLooked = 100

func (c *call) firstUrgent(ctx context.Context, rests bool) (first urgentMessage, err error) {
	all := c.siblings()
	err = c.home.View(ctx, func(r model.Reader) error {
		first = urgentMessage{revision: r.Revision()}
		for _, m := range r.QueuedMessages(c.agent, maxLooked) {
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
