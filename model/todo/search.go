package todo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// Hit is a todo that contains all words of a search, and where: in its id, title, fields or body.
type Hit struct {
	*Todo
	Where string
	rank  int
}

// Search finds the todos that contain all words, in any case. Todos with all words in the id or title come first; otherwise the order of
// all is kept. body returns the text below a todo's front matter.
func Search(all []*Todo, words []string, body func(*Todo) string) (found []Hit) {
	for _, t := range all {
		facts := append([]model.Text{t.SourceRef, t.FindingSeverity, t.Reason, t.AssignedTo}, slices.Concat(t.Tags, t.Files)...)
		text := ""
		for rank, part := range []struct{ where, text string }{
			{"id", t.Ref().Raw() + " " + t.FindingID.Raw()}, {"title", t.Title.Raw()}, {"fields", model.Join(facts, " ").Raw()},
			{"body", body(t)},
		} {
			text += " " + strings.ToLower(part.text)
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) }) {
				found = append(found, Hit{t, part.where, rank})
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Hit) int { return cmp.Compare(a.rank, b.rank) })
	return found
}

// staleKind is the way in which a todo is stale.
type staleKind string

const (
	deadSession          staleKind = "dead_session"
	longInProgress       staleKind = "long_in_progress"
	unresolvedBlocked    staleKind = "unresolved_blocked"
	lingeringInterrupted staleKind = "lingering_interrupted"
)

// Stale is a todo that a person should look at, and why.
type Stale struct {
	Todo   Ref        `json:"todo"`
	Kind   staleKind  `json:"kind"`
	Since  model.Text `json:"since,omitempty"`
	Reason string     `json:"reason"`
}

// Thresholds say after how long a todo is stale.
type Thresholds struct {
	InProgress  time.Duration `json:"in_progress" yaml:"in_progress"`
	Blocked     time.Duration `json:"blocked" yaml:"blocked"`
	Interrupted time.Duration `json:"interrupted" yaml:"interrupted"`
}

// SessionLife is the known state of the workflow run that made a session.
type SessionLife struct {
	// Gone is why the session is over, or "".
	Gone string
	// Exists reports whether the session that a schema 1 todo names still exists. Nil means that this is not known.
	Exists func(workSession string) bool
}

// FindStale returns the stale todos in list order, each with its reason.
func FindStale(x *Index, now time.Time, limits Thresholds, life SessionLife, alive Probe) []Stale {
	all := append([]Todo(nil), x.All()...)
	Sort(all)
	var out []Stale
	for _, t := range all {
		if kind, reason := stale(t, x, now, limits, life, alive); kind != "" {
			out = append(out, Stale{t.Ref(), kind, Stamp(t.LastSign()), reason})
		}
	}
	return out
}

func stale(t Todo, x *Index, now time.Time, limits Thresholds, life SessionLife, alive Probe) (staleKind, string) {
	if t.Status.Final() {
		return "", ""
	}
	if t.WorkSession != "" && life.Exists != nil && !life.Exists(t.WorkSession.Raw()) {
		return deadSession, fmt.Sprintf("its work session %q no longer exists", t.WorkSession.Raw())
	}
	age, known := t.age(now)
	switch t.Status {
	case InProgress:
		if why := t.Lease.Over(now, alive); why != "" {
			return longInProgress, why
		}
		if !t.Lease.IsZero() {
			return "", ""
		}
		if life.Gone != "" {
			return deadSession, life.Gone
		}
		if known && age > limits.InProgress {
			return longInProgress, fmt.Sprintf("no Work Log entry or other sign of life for %s (limit %s)", span(age),
				span(limits.InProgress))
		}
	case Blocked:
		if waits := x.Waiting(t); len(waits) > 0 && known && age > limits.Blocked {
			return unresolvedBlocked, fmt.Sprintf("blocked for %s (limit %s) on %s", span(age), span(limits.Blocked), JoinWaits(waits))
		}
	case Interrupted:
		if known && age > limits.Interrupted {
			return lingeringInterrupted, fmt.Sprintf("interrupted %s ago (limit %s) and never resumed", span(age), span(limits.Interrupted))
		}
	}
	return "", ""
}

// age returns the time since the last sign of work, or since the day of the last update.
func (t Todo) age(now time.Time) (time.Duration, bool) {
	last, known := t.LastSign(), true
	if last.IsZero() {
		last, known = TimeOf(cmp.Or(t.Updated, t.Created))
	}
	return now.Sub(last), known
}

func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}
