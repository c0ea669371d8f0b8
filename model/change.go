package model

import (
	"hash/fnv"
	"iter"
	"slices"
	"strings"
)

// Change is the result of a command, as data; a ledger carries it out in one transaction.
type Change struct {
	// Writes are whole records; no record occurs twice.
	Writes []Record
	Events []event
	// NewPlans are files to create before the writes are saved. Creating them again is harmless, because an existing file
	// stays.
	NewPlans []NewPlan
	Receipt  Receipt
}

// NewPlan is a plan file that is created with its item or, under another name, a report that is too long for its record.
type NewPlan struct {
	AgentID AgentID
	ItemID  ItemID
	// Name is the file's name; empty is plan.md.
	Name string
	Seed Text
}

// Empty reports whether there is nothing to save. An empty change leaves no trace.
func (c Change) Empty() bool { return len(c.Writes) == 0 && len(c.Events) == 0 }

// Receipt is the answer to a command. A ledger keeps it under the command's key.
type Receipt struct {
	Command string `json:"command"`
	// Revision is the ledger's revision after the change; the ledger fills it.
	Revision     uint64  `json:"revision"`
	AgentID      AgentID `json:"agent_id,omitempty"`
	WorkItemID   ItemID  `json:"work_item_id,omitempty"`
	ItemRevision uint64  `json:"item_revision,omitempty"`
	WaitID       WaitID  `json:"wait_condition_id,omitempty"`
	// Question is what an Answer answered.
	Question     Text         `json:"question,omitempty"`
	PermissionID PermissionID `json:"permission_id,omitempty"`
	TaskID       TaskID       `json:"task_id,omitempty"`
	DelegationID DelegationID `json:"delegation_id,omitempty"`
	// ChildWorkItemID is the item that serves the delegation.
	ChildWorkItemID ItemID    `json:"child_work_item_id,omitempty"`
	IngressID       IngressID `json:"ingress_id,omitempty"`
	// Turn is the turn that was claimed, extended or ended; Messages are the messages that were queued or taken.
	Turn     int         `json:"turn,omitempty"`
	Messages []MessageID `json:"message_ids,omitempty"`
	// Decision is the scheduler's decision at a Tick; TickKey names the offer that it made; Again asks for another Tick.
	Decision *Decision `json:"scheduler_decision,omitempty"`
	TickKey  string    `json:"tick_key,omitempty"`
	Again    bool      `json:"again,omitempty"`
	// CompletedTransition is false if the item was completed before.
	CompletedTransition bool        `json:"completed_transition,omitempty"`
	Transition          *Transition `json:"transition,omitempty"`
	FocusReleased       bool        `json:"focus_released,omitempty"`
	CancelledWaits      []WaitID    `json:"cancelled_wait_condition_ids,omitempty"`
	TriggeredWaits      []WaitID    `json:"triggered_wait_condition_ids,omitempty"`
	// Unseen are the triggers of waits that the command ended and that nobody had seen.
	Unseen []UnseenTrigger `json:"unseen_triggers,omitempty"`
	// ReportPromoted says that the round's text became the completion report; ReportSource says where it came from.
	ReportPromoted bool     `json:"completion_report_promoted,omitempty"`
	ReportSource   ReportOf `json:"completion_report_source,omitempty"`
	Imported       int      `json:"imported,omitempty"`
	// Skipped is how many records of an import were known before.
	Skipped  int       `json:"skipped,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	// Calls are the receipts of a Round's calls.
	Calls []Receipt `json:"calls,omitempty"`
	// Inverse undoes the command; nil if nothing does. Its sender fills in What.
	Inverse *Undo `json:"inverse,omitempty"`
	// Replayed says that the key was known and nothing was done now.
	Replayed bool `json:"replayed,omitempty"`
	// Unchanged says that the command found everything as it wants it: nothing was saved. The ledger fills it.
	Unchanged bool `json:"-"`
}

// Transition is a change of focus (docs/lifecycle.md 6). Only the event keeps the reason.
type Transition struct {
	PreviousWorkItemID ItemID     `json:"previous_work_item_id,omitempty"`
	CurrentWorkItemID  ItemID     `json:"current_work_item_id"`
	Reason             Text       `json:"reason,omitempty"`
	PreviousReadiness  readiness  `json:"previous_readiness,omitempty"`
	CurrentReadiness   readiness  `json:"current_readiness"`
	SwitchKind         switchKind `json:"switch_kind"`
	FocusMode          focusMode  `json:"current_focus_mode"`
	BlockerCleared     bool       `json:"blocker_cleared,omitempty"`
	CancelledWaits     []WaitID   `json:"cancelled_wait_condition_ids,omitempty"`
	Warnings           []Warning  `json:"warnings"`
}

// switchKind says how the focus moved.
type switchKind string

// The kinds of switches.
const (
	switchSame     switchKind = "same_work_item"
	switchPick     switchKind = "explicit_focus_pick"
	switchOverride switchKind = "explicit_focus_override"
	SwitchAutoPick switchKind = "scheduler_auto_pick"
)

// focusMode says whether the picked item can be worked on or only inspected.
type focusMode string

// The focus modes.
const (
	focusRunnable   focusMode = "runnable"
	FocusInspection focusMode = "inspection"
)

// AgentID names an agent; it is also the name of a directory in the home.
type AgentID string

// ItemID identifies a WorkItem: "wi-" and a ULID in lower case, or the id an import brought.
type ItemID string

// WaitID, TaskID, BriefID, DeliveryID and DelegationID identify their records.
type (
	WaitID       string
	TaskID       string
	briefID      string
	deliveryID   string
	DelegationID string
)

// Handle is the short name of a WorkItem for people: "wi-" and four to twelve letters.
type Handle string

// MaxID is the length of the longest id.
const MaxID = 64

// ValidID reports whether s can name a record, an agent or a directory.
func ValidID(s string) bool { return len(s) <= MaxID && IsName(s, LowerCase+Digits, "_-") }

// The letters of names.
const (
	LowerCase = "abcdefghijklmnopqrstuvwxyz"
	UpperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Digits    = "0123456789"
)

// IsName reports whether s begins with one of first and continues only with letters of first or more.
func IsName(s, first, more string) bool {
	return s != "" && strings.IndexByte(first, s[0]) >= 0 && strings.Trim(s, first+more) == ""
}

// handleOf returns an item's handle with its first n letters. The letters come from a hash, so that the handles of items made
// in one second differ, although their ULIDs share the first half.
func handleOf(id ItemID, n int) Handle {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	h := fnv.New64a()
	h.Write([]byte(id))
	sum := h.Sum64()
	sum ^= sum >> 29
	b := []byte("wi-")
	for range n {
		b = append(b, letters[sum&31])
		sum >>= 5
	}
	return Handle(b)
}

// shortestHandle and longestHandle bound a handle's letters after "wi-".
const (
	shortestHandle = 4
	longestHandle  = 12
)

// newHandle is the shortest free handle of id.
func newHandle(id ItemID, taken func(Handle) bool) Handle {
	for n := shortestHandle; n < longestHandle; n++ {
		if h := handleOf(id, n); !taken(h) {
			return h
		}
	}
	return handleOf(id, longestHandle)
}

// inverse undoes an operator's command; the receipt carries it. It is nil if nothing undoes the command, or if nothing changed.
func (s *step) inverse(c Command) *Undo {
	if s.at.Actor != Operator {
		return nil
	}
	var u Undo
	switch c := c.(type) {
	case Undo:
		u = c.Reversed()
		if c.Comment != nil {
			u.Comment = c.Comment.inverse(s)
		} else if c.Snooze != nil {
			u.Snooze = c.Snooze.inverse(s)
		} else if u.Answer = c.Answer; c.Answer != nil && c.Again {
			u.Answer = c.Answer.Answer.inverse(s)
		}
		return &u
	case CommentOn:
		u.Comment = c.inverse(s)
	case Snooze:
		u.Snooze = c.inverse(s)
	case Answer:
		u.Answer = c.inverse(s)
	default:
		u = s.standingBefore(changedItems(c))
		u.Seen = s.withdrawn(c)
	}
	if len(u.Items) == 0 && u.Focus == nil && len(u.Seen) == 0 && u.Comment == nil && u.Snooze == nil && u.Answer == nil {
		return nil
	}
	return &u
}

// changedItems are the items that a command changes in a way that can be undone.
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

// standingBefore restores, from the state of the items after the command, their state before it.
func (s *step) standingBefore(ids []ItemID) (u Undo) {
	if len(ids) == 0 {
		return u
	}
	for _, id := range ids {
		was, _ := s.before.Item(id)
		is, ok := s.Item(id)
		r := restored{WorkItemID: id, Left: standingOf(s, is), Back: standingOf(s.before, was)}
		if ok && !r.Left.Same(r.Back) {
			u.Items = append(u.Items, r)
		}
	}
	was, _ := s.before.Agent(s.receipt.AgentID)
	is, _ := s.Agent(s.receipt.AgentID)
	if was.CurrentWorkItemID != is.CurrentWorkItemID {
		u.Focus = &refocus{Left: is.CurrentWorkItemID, Back: was.CurrentWorkItemID}
	}
	return u
}

// withdrawn are the opposites of the acknowledgements that the command made, with the snoozes that they ended.
func (s *step) withdrawn(c Command) (out []Acknowledge) {
	switch c := c.(type) {
	case Acknowledge:
		if _, made := s.records[RecordName{KindSeen, string(c.WorkItemID)}]; made {
			was, _ := s.before.Seen(s.receipt.AgentID, c.WorkItemID)
			c.Withdraw, c.Snooze = !c.Withdraw, was.Snooze
			return []Acknowledge{c}
		}
	case Batch:
		for _, call := range c.Calls {
			out = append(out, s.withdrawn(call.Command)...)
		}
	}
	return out
}

// UndoHistory holds the operator's acts of a session that can be undone, and the undone acts that can be redone. Its zero value
// is a session without acts.
type UndoHistory struct{ done, undone []undoEntry }

// undoEntry is one act that can be undone or redone.
type undoEntry struct {
	// Agent owns the items that the act changed.
	Agent AgentID
	// Final: nothing undoes the act.
	Final bool
	Undo
}

// maxUndo is how many acts can be undone.
const maxUndo = 100

// Add is h after a command for an agent; what names the command: "blocked wi-7f3k". After a command that can be undone, nothing
// can be redone.
func (h UndoHistory) Add(agent AgentID, c Command, in Receipt, what Text) UndoHistory {
	e := undoEntry{Agent: agent, Final: in.Inverse == nil, Undo: Undo{What: what}}
	if e.Final {
		if in.Unchanged || in.follows() {
			return h
		}
		return UndoHistory{pushed(h.done, e), h.undone}
	}
	e.Undo = *in.Inverse
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

// Drop is h without the act u, if err says that u can never be undone or redone any more.
func (h UndoHistory) Drop(u Undo, err error) UndoHistory {
	e := AsError(err)
	if e == nil || !slices.Contains([]Code{CodeStale, CodeCompleted, CodeNotFound, CodeInvalid, CodeRefused}, e.Code) {
		return h
	}
	if u.Again {
		return UndoHistory{h.done, popped(h.undone)}
	}
	return UndoHistory{popped(h.done), h.undone}
}

// Before is h without the acts after the last one that can be undone.
func (h UndoHistory) Before() UndoHistory {
	for e, ok := h.Last(false); ok && e.Final; e, ok = h.Last(false) {
		h.done = popped(h.done)
	}
	return h
}

// Last is the last act or, with again, the act that redo would redo; ok is false without one.
func (h UndoHistory) Last(again bool) (e undoEntry, ok bool) {
	list := h.done
	if again {
		list = h.undone
	}
	if len(list) == 0 {
		return e, false
	}
	return list[len(list)-1], true
}

// Words name the acts that undo and redo would change; empty: nothing.
func (h UndoHistory) Words() (undo, redo string) {
	u, _ := h.Last(false)
	r, _ := h.Last(true)
	if u.Final {
		u.What = "what came before: " + u.What
	}
	return u.What.String(), r.What.String()
}

// LastUndo finds, among receipts of the operator's acts (newest first), the last act or, with again, the last undo: its inverse
// redoes. Undone acts do not count. The inverse of the last act is nil if nothing undoes it; before is the newest act before it
// that can be undone. Both are empty if there is none.
func LastUndo(receipts iter.Seq[Receipt], again bool) (last, before Receipt) {
	passed := 0 // acts that a later undo or redo cancels
	for in := range receipts {
		undid := in.Inverse != nil && in.Command == CommandName(Undo{}) && in.Inverse.Again
		redid := in.Command == CommandName(Undo{}) && !undid
		switch {
		case in.Inverse == nil:
			if !again && last.Command == "" && !in.follows() {
				last = in
			}
		case again && !undid && !redid:
			return last, before // after a new act nothing can be redone
		case undid != again:
			passed++
		case passed > 0:
			passed--
		case last.Command == "":
			last = in
		default:
			return last, in
		}
	}
	return last, before
}

// follows reports whether the command is none of a person: vise sends it because of another one, or of a file.
func (r Receipt) follows() bool {
	const commands = "RefreshPlan SavePlan RefreshTodos RefreshTree NoteOverlap NoteChecks KeepCheck KeepSummary KeepUsageLimit " +
		"AskPermission EndPermissions ClaimTurn BeatTurn EndTurn HandMessages SeeMessages NotifyOperator Tick"
	return slices.Contains(strings.Fields(commands), r.Command)
}

func pushed(list []undoEntry, e undoEntry) []undoEntry {
	list = append(slices.Clip(list), e)
	return list[max(len(list)-maxUndo, 0):]
}

func popped(list []undoEntry) []undoEntry { return list[:max(len(list)-1, 0)] }

// Said is the message about the act after u was carried out.
func (u Undo) Said() string {
	if u.Again {
		return "Done again: " + u.What.String()
	}
	return "Undone: " + u.What.String()
}

// Touches reports whether the act changed the item, or the acknowledgement of the item.
func (u Undo) Touches(id ItemID) bool {
	return slices.ContainsFunc(u.Items, func(r restored) bool { return r.WorkItemID == id }) ||
		slices.ContainsFunc(u.Seen, func(a Acknowledge) bool { return a.WorkItemID == id }) ||
		u.Comment != nil && u.Comment.WorkItemID == id || u.Snooze != nil && u.Snooze.WorkItemID == id ||
		u.Answer != nil && (u.Answer.Answer.WorkItemID == id || ItemID(u.Answer.Answer.WaitID) == id) ||
		u.Focus != nil && (u.Focus.Left == id || u.Focus.Back == id)
}

// Item is the first item that the act changed; empty if it changed none.
func (u Undo) Item() ItemID {
	switch {
	case u.Comment != nil:
		return u.Comment.WorkItemID
	case u.Snooze != nil:
		return u.Snooze.WorkItemID
	case u.Answer != nil:
		return u.Answer.Answer.WorkItemID
	}
	if len(u.Items) == 0 {
		return ""
	}
	return u.Items[0].WorkItemID
}
