package model

import (
	"errors"
	"slices"
)

// inverse is what takes a command of the operator's back, as its receipt carries it: nil
// where nothing does, or nothing changed.
func (s *step) inverse(c Command) *Undo {
	if s.at.Actor != Operator {
		return nil
	}
	var u Undo
	switch c := c.(type) {
	case Undo:
		u = c.Reversed()
		return &u
	case Acknowledge:
		u.Seen = withdrawn(s, []Acknowledge{c})
	case AcknowledgeAll:
		u.Seen = withdrawn(s, c.Items)
	default:
		u = s.standingBefore(changedItems(c))
	}
	if len(u.Items) == 0 && u.Focus == nil && len(u.Seen) == 0 {
		return nil
	}
	return &u
}

// changedItems are the items that a command changes in a way that can be taken back.
func changedItems(c Command) (ids []ItemID) {
	switch c := c.(type) {
	case PickWorkItem:
		return []ItemID{c.WorkItemID}
	case UpdateWorkItem:
		return []ItemID{c.WorkItemID}
	case WaitFor:
		if c.WorkItemID != "" {
			return []ItemID{c.WorkItemID}
		}
	case Batch:
		for _, call := range c.Calls {
			ids = append(ids, changedItems(call.Command)...)
		}
	}
	return ids
}

// standingBefore leads from how items stand after the command back to how they stood.
func (s *step) standingBefore(ids []ItemID) (u Undo) {
	if len(ids) == 0 {
		return u
	}
	for _, id := range ids {
		was, _ := s.before.Item(id)
		is, ok := s.Item(id)
		r := Restored{WorkItemID: id, Left: standingOf(s, is), Back: standingOf(s.before, was)}
		if ok && !r.Left.Same(r.Back) {
			u.Items = append(u.Items, r)
		}
	}
	was, _ := s.before.Agent(s.receipt.AgentID)
	is, _ := s.Agent(s.receipt.AgentID)
	if was.CurrentWorkItemID != is.CurrentWorkItemID {
		u.Focus = &Refocus{Left: is.CurrentWorkItemID, Back: was.CurrentWorkItemID}
	}
	return u
}

// withdrawn are the acknowledgements that the command made, turned round.
func withdrawn(s *step, seen []Acknowledge) (out []Acknowledge) {
	for _, x := range seen {
		if _, made := s.records[RecordName{KindSeen, string(x.WorkItemID)}]; made {
			x.Withdraw = !x.Withdraw
			out = append(out, x)
		}
	}
	return out
}

// UndoHistory is what a session of the operator did that can be taken back, and what was
// taken back and can be done again. Its zero value is a session in which nothing was done.
type UndoHistory struct{ done, undone []UndoEntry }

// UndoEntry is one act that can be taken back, or done again.
type UndoEntry struct {
	// Agent is whose items it changed.
	Agent AgentID
	Undo
}

// maxUndo is how many acts can be taken back.
const maxUndo = 100

// Add is h after a command for an agent, which what names: "blocked wi-7f3k". A command that
// cannot be taken back changes nothing; after one that can, nothing can be done again.
func (h UndoHistory) Add(agent AgentID, c Command, in Receipt, what Text) UndoHistory {
	if in.Inverse == nil {
		return h
	}
	e := UndoEntry{agent, *in.Inverse}
	switch undo, isUndo := c.(Undo); {
	case !isUndo:
		e.What = what
		return UndoHistory{done: pushed(h.done, e)}
	case undo.Again:
		return UndoHistory{pushed(h.done, e), popped(h.undone)}
	default:
		return UndoHistory{popped(h.done), pushed(h.undone, e)}
	}
}

// Drop is h without an act that can never be taken back any more, which err says.
func (h UndoHistory) Drop(u Undo, err error) UndoHistory {
	var e *Error
	if !errors.As(err, &e) || !slices.Contains([]Code{CodeStale, CodeCompleted, CodeNotFound, CodeInvalid, CodeRefused}, e.Code) {
		return h
	}
	if u.Again {
		return UndoHistory{h.done, popped(h.undone)}
	}
	return UndoHistory{popped(h.done), h.undone}
}

// Last is the act that would be taken back, or with again, done again; ok is false without one.
func (h UndoHistory) Last(again bool) (e UndoEntry, ok bool) {
	list := h.done
	if again {
		list = h.undone
	}
	if len(list) == 0 {
		return e, false
	}
	return list[len(list)-1], true
}

// Words name the acts that would be taken back and done again; empty: nothing.
func (h UndoHistory) Words() (undo, redo string) {
	u, _ := h.Last(false)
	r, _ := h.Last(true)
	return u.What.String(), r.What.String()
}

func pushed(list []UndoEntry, e UndoEntry) []UndoEntry {
	list = append(slices.Clip(list), e)
	return list[max(len(list)-maxUndo, 0):]
}

func popped(list []UndoEntry) []UndoEntry { return list[:max(len(list)-1, 0)] }

// Said is what is said of the act once u was carried out.
func (u Undo) Said() string {
	if u.Again {
		return "Done again: " + u.What.String()
	}
	return "Undone: " + u.What.String()
}

// Item is the first item that the act changed; empty when it changed none.
func (u Undo) Item() ItemID {
	if len(u.Items) == 0 {
		return ""
	}
	return u.Items[0].WorkItemID
}
