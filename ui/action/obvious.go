package action

import "vise/model"

// Obvious returns the action that most likely comes next at the cursor, for the hint line. It can always be done, since reading on is
// always possible.
func (t Catalogue) Obvious(s State) ID {
	if id := obvious(s); t.Refusal(t.ByID(id), s) == "" {
		return id
	}
	return Open
}

// PickKey returns the key that picks the item under the cursor: the obvious action's key if that picks. It returns "" if nothing can be
// picked.
func (t Catalogue) PickKey(s State) string {
	pick := t.ByID(Pick)
	if t.Refusal(pick, s) != "" {
		return ""
	}
	if do := t.KeyOf(Do); do != "" && t.Obvious(s) == Pick {
		return do
	}
	return pick.Key()
}

func obvious(s State) ID {
	r := s.Item
	switch {
	case s.MarkedNeed:
		return Hide
	case s.Marked > 0:
		return Block
	case r == nil && isDesk(s):
		return New
	case r == nil:
		return Open
	case s.needs() && !s.Need.Seen:
		return NeedsYou
	case model.NotOffered(*r, "Answer") == "":
		return Answer
	case r.Class == model.CompletedRecent:
		return Open
	case !r.IsCurrent:
		return Pick
	case s.triggered():
		return Review
	case r.BlockedBy != "":
		return Block
	case r.Todo.Done < r.Todo.Total:
		return Tick
	case r.Todo.Total > 0:
		return Complete
	}
	return Open
}

// needs reports whether the item under the cursor is in the inbox.
func (s State) needs() bool { return s.Need != nil && s.Need.ID == s.Item.ID }
