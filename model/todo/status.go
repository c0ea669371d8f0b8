package todo

import "strings"

// Status is where a todo stands in its life.
type Status string

// The seven statuses. Complete and WontFix are final.
const (
	Pending     Status = "pending"
	Ready       Status = "ready"
	InProgress  Status = "in_progress"
	Complete    Status = "complete"
	Blocked     Status = "blocked"
	WontFix     Status = "wont_fix"
	Interrupted Status = "interrupted"
)

// Statuses lists all statuses, in the order of a life.
func Statuses() []Status {
	return []Status{Pending, Ready, InProgress, Complete, Blocked, WontFix, Interrupted}
}

// Final reports whether only an operator's reopening leaves s.
func (s Status) Final() bool { return s == Complete || s == WontFix }

// ParseStatus reads one of the seven; the error names them.
func ParseStatus(s string) (Status, error) { return oneOf("status", s, Statuses()) }

// Priority says how much a todo matters: p1 critical, p2 important, p3 nice to have.
type Priority string

// The three priorities.
const (
	P1 Priority = "p1"
	P2 Priority = "p2"
	P3 Priority = "p3"
)

// Priorities lists all priorities, most urgent first.
func Priorities() []Priority { return []Priority{P1, P2, P3} }

// ParsePriority reads p1, p2 or p3; the error names them.
func ParsePriority(s string) (Priority, error) { return oneOf("priority", s, Priorities()) }

// ReadPriority understands what files say: the three, and the words of earlier
// releases. exact is false when a word was translated; what nobody knows is p3.
func ReadPriority(s string) (p Priority, exact bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "p1":
		return P1, s == "p1"
	case "p2":
		return P2, s == "p2"
	case "critical", "high":
		return P1, false
	case "medium", "important":
		return P2, false
	}
	return P3, s == "p3"
}

// Resolution says why a todo is over.
type Resolution string

// Fixed belongs to Complete, the other five to WontFix.
const (
	Unresolved    Resolution = ""
	Fixed         Resolution = "fixed"
	FalsePositive Resolution = "false_positive"
	Duplicate     Resolution = "duplicate"
	NotFixed      Resolution = "wont_fix"
	OutOfScope    Resolution = "out_of_scope"
	Superseded    Resolution = "superseded"
)

// Rejections lists the resolutions of WontFix.
func Rejections() []Resolution {
	return []Resolution{FalsePositive, Duplicate, NotFixed, OutOfScope, Superseded}
}

// ParseResolution reads a resolution; the error names all six.
func ParseResolution(s string) (Resolution, error) {
	return oneOf("resolution", s, append([]Resolution{Fixed}, Rejections()...))
}

// Fits reports whether r is a resolution that belongs to status s.
func (r Resolution) Fits(s Status) bool {
	switch s {
	case Complete:
		return r == Fixed
	case WontFix:
		return r != Unresolved && r != Fixed
	}
	return r == Unresolved
}

// Sources lists the sources that are known by name; others are read with a warning.
func Sources() []string {
	return []string{"review", "audit", "work", "pr-comment", "tech-debt", "test-browser", "gap", "test"}
}

// ParseSource accepts any source's name that is safe as a directory.
func ParseSource(s string) (string, error) {
	if !ValidSource(s) {
		return "", refuse(RuleSource, "source", "%q is not a source", s).
			hint("lower-case letters, digits and hyphens; known are " + strings.Join(Sources(), ", "))
	}
	return s, nil
}

// ValidSource reports whether s may name a source: ^[a-z0-9][a-z0-9-]{0,63}$.
func ValidSource(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alnum(c) && c != '-' {
			return false
		}
	}
	return true
}

func alnum(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }

func oneOf[T ~string](field, s string, valid []T) (T, error) {
	words := make([]string, len(valid))
	for i, v := range valid {
		if string(v) == s {
			return v, nil
		}
		words[i] = string(v)
	}
	return "", refuse(RuleValue, field, "%q is not a %s", s, field).hint("one of " + strings.Join(words, ", "))
}
