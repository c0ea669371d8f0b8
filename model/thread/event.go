package thread

import (
	"slices"
	"strings"

	"vise/model"
)

// eventKind names an entry of a thread's log. The first four are from the file format.
type eventKind string

const (
	// a thread began
	started eventKind = "started"
	// its content changed
	updated eventKind = "updated"
	// it goes on
	resumed eventKind = "resumed"
	// its status was set
	closed eventKind = "closed"
	// another thread was started or resumed, or its session ended
	autoPaused eventKind = "auto_paused"
	// taken over to another branch
	rebound eventKind = "rebound"
	// `--force` started it again
	Replaced eventKind = "replaced"
	// a full list dropped an entry
	evicted eventKind = "evicted"
	// a contract gap came up
	gapOpened eventKind = "gap_opened"
	// evidence cleared a contract gap
	gapCleared eventKind = "gap_cleared"
	// a run repeated a dead end
	deadEndHit eventKind = "dead_end_repeated"
	// `doctor --yes` mended it
	repaired eventKind = "repaired"
	// a sentence without a change
	remarked eventKind = "remark"
)

// Event is one line of a thread's log. It says what a command changed. The thread's state is never read from it. After a crash, or a save
// by another program, the log can hold an event of a save that did not happen. It never lacks the event of a save.
type Event struct {
	Kind    eventKind
	Thread  ID
	At      model.Text
	Source  string
	Actor   string
	Status  Status
	Fields  []Field
	Changes []fieldChange
	// Note is the reason, in the rules' words.
	Note model.Text
	// Detail is the data of this kind of event: the evicted entry, the cleared gap.
	Detail any
	Git    Git
}

// fieldChange is the change of one field: replaced words, or added and removed entries as the file spells them.
type fieldChange struct {
	Field          Field
	Old, New       model.Text
	Added, Removed []any
}

// Line encodes the event as one line of the log, without its line break and without secrets.
func (e Event) Line() []byte {
	o := object{
		"event": e.Kind, "task_id": e.Thread, "timestamp": e.At, "source": e.Source, "fields": e.Fields,
	}
	put(o, "actor", e.Actor)
	put(o, "status", e.Status)
	put(o, "note", e.Note)
	if len(e.Changes) > 0 {
		changes := object{}
		for _, c := range e.Changes {
			changes[string(c.Field)] = c
		}
		o["changes"] = changes
	}
	if e.Detail != nil {
		o["detail"] = e.Detail
	}
	if e.Git.State == GitOK {
		put(o, "branch", e.Git.BranchName())
		put(o, "head", e.Git.Head)
	}
	return jsonStyle{redacts: true}.appendJSON(nil, o, 0)
}

func (c fieldChange) json() object {
	if c.Field.in(textFields) || c.Field == statusField {
		return object{"old": c.Old, "new": c.New}
	}
	o := object{}
	putList(o, "added", c.Added)
	putList(o, "removed", c.Removed)
	return o
}

// Compare returns the differences between two states of a thread, by field name.
func Compare(before, after Thread) []fieldChange {
	changes := []fieldChange{replaced(statusField, model.Text(before.Status), model.Text(after.Status))}
	for _, f := range textFields {
		changes = append(changes, replaced(f, *before.text(f), *after.text(f)))
	}
	for _, f := range listFields {
		changes = append(changes, entries(f, *before.list(f), *after.list(f)))
	}
	changes = append(changes,
		entries(uncertainties, before.Uncertainties, after.Uncertainties),
		entries(discardedHypotheses, before.DeadEnds, after.DeadEnds),
		entries(contractGaps, before.Gaps, after.Gaps),
		entries(evidenceField, before.Evidence, after.Evidence))
	changes = slices.DeleteFunc(changes, func(c fieldChange) bool {
		return c.Old == c.New && len(c.Added)+len(c.Removed) == 0
	})
	slices.SortFunc(changes, func(a, b fieldChange) int { return strings.Compare(string(a.Field), string(b.Field)) })
	return changes
}

func replaced(f Field, before, after model.Text) fieldChange {
	return fieldChange{Field: f, Old: before, New: after}
}

func entries[T any](f Field, before, after []T) fieldChange {
	return fieldChange{Field: f, Added: missing(after, before), Removed: missing(before, after)}
}

// missing returns the entries of a that b does not have.
func missing[T any](a, b []T) (out []any) {
	held := map[string]bool{}
	for _, v := range b {
		held[spelled(v)] = true
	}
	for _, v := range a {
		if !held[spelled(v)] {
			out = append(out, v)
		}
	}
	return out
}

func spelled(v any) string { return string(jsonStyle{}.appendJSON(nil, v, 0)) }

// changedFields returns the names of the changed fields, sorted.
func changedFields(changes []fieldChange) []Field {
	var out []Field
	for _, c := range changes {
		out = append(out, c.Field)
	}
	return out
}
