package thread

import (
	"slices"
	"strings"

	"vise/model"
)

// EventKind names an entry of a thread's log. The first four are the file format's.
type EventKind string

// The kinds of events.
const (
	Started    EventKind = "started"
	Updated    EventKind = "updated"
	Resumed    EventKind = "resumed"
	Closed     EventKind = "closed"
	AutoPaused EventKind = "auto_paused"
	Rebound    EventKind = "rebound"
	Replaced   EventKind = "replaced"
	Evicted    EventKind = "evicted"
	GapOpened  EventKind = "gap_opened"
	GapCleared EventKind = "gap_cleared"
	DeadEndHit EventKind = "dead_end_repeated"
	Repaired   EventKind = "repaired"
	Remarked   EventKind = "remark"
)

// Event is one line of a thread's log. It tells what a command changed; the thread's
// state is never read from it. A crash can leave an event of a save that did not happen,
// never a save without its event.
type Event struct {
	Kind    EventKind
	Thread  ID
	At      model.Text
	Source  string
	Actor   string
	Status  Status
	Fields  []Field
	Changes []FieldChange
	// Note says why, in the rules' words.
	Note model.Text
	// Detail is what the kind needs besides: the evicted entry, the cleared gap.
	Detail any
	Git    Git
}

// FieldChange is what happened to one field: words replaced, or entries, as the file
// spells them, that came and went.
type FieldChange struct {
	Field          Field
	Old, New       model.Text
	Added, Removed []any
}

// Line spells the event as one line of the log, without its line break.
func (e Event) Line() []byte {
	o := object{
		"event": string(e.Kind), "task_id": string(e.Thread), "timestamp": e.At.Raw(), "source": e.Source,
		"fields": fieldNames(e.Fields),
	}
	put(o, "actor", e.Actor)
	put(o, "status", string(e.Status))
	putText(o, "note", e.Note)
	if len(e.Changes) > 0 {
		changes := object{}
		for _, c := range e.Changes {
			changes[string(c.Field)] = c.json()
		}
		o["changes"] = changes
	}
	if e.Detail != nil {
		o["detail"] = e.Detail
	}
	if e.Git.State == GitOK {
		putText(o, "branch", e.Git.BranchName())
		put(o, "head", e.Git.Head)
	}
	return jsonStyle{}.appendJSON(nil, o, 0)
}

func (c FieldChange) json() object {
	if c.Field.in(textFields) || c.Field == StatusField {
		return object{"old": c.Old.Raw(), "new": c.New.Raw()}
	}
	o := object{}
	if len(c.Added) > 0 {
		o["added"] = c.Added
	}
	if len(c.Removed) > 0 {
		o["removed"] = c.Removed
	}
	return o
}

func fieldNames(fields []Field) []any {
	return values(fields, func(f Field) any { return string(f) })
}

// Compare lists what differs between two states of a thread, by field name.
func Compare(before, after Thread) []FieldChange {
	changes := []FieldChange{replaced(StatusField, model.Text(before.Status), model.Text(after.Status))}
	for _, f := range textFields {
		changes = append(changes, replaced(f, *before.text(f), *after.text(f)))
	}
	for _, f := range listFields {
		changes = append(changes, entries(f, texts(*before.list(f)), texts(*after.list(f))))
	}
	changes = append(changes,
		entries(Uncertainties, objects(before.Uncertainties), objects(after.Uncertainties)),
		entries(DiscardedHypotheses, objects(before.DeadEnds), objects(after.DeadEnds)),
		entries(ContractGaps, objects(before.Gaps), objects(after.Gaps)),
		entries(EvidenceField, objects(before.Evidence), objects(after.Evidence)))
	changes = slices.DeleteFunc(changes, func(c FieldChange) bool {
		return c.Old == c.New && len(c.Added)+len(c.Removed) == 0
	})
	slices.SortFunc(changes, func(a, b FieldChange) int { return strings.Compare(string(a.Field), string(b.Field)) })
	return changes
}

func replaced(f Field, before, after model.Text) FieldChange {
	return FieldChange{Field: f, Old: before, New: after}
}

func entries(f Field, before, after []any) FieldChange {
	return FieldChange{Field: f, Added: missing(after, before), Removed: missing(before, after)}
}

// missing is what a holds and b does not.
func missing(a, b []any) []any {
	held := map[string]bool{}
	for _, v := range b {
		held[spelled(v)] = true
	}
	return without(a, func(v any) bool { return held[spelled(v)] })
}

func spelled(v any) string { return string(jsonStyle{}.appendJSON(nil, v, 0)) }

// changedFields are the names of the fields that changed, sorted.
func changedFields(changes []FieldChange) []Field {
	var out []Field
	for _, c := range changes {
		out = append(out, c.Field)
	}
	return out
}
