package todo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
)

// Schema is the version of new files. Files of version 1, or without a version, can be read.
const Schema = 2

// Todo is one file todo: its front matter, and from the body the title, the history, and the day of the last Work Log entry.
type Todo struct {
	// Session is the name of the session that holds it, "reviews/abc123". It comes from the file's place, not from the file.
	Session  string   `json:"session,omitempty"`
	Source   string   `json:"source"`
	IssueID  string   `json:"issue_id"`
	Schema   int      `json:"schema_version"`
	Status   Status   `json:"status"`
	Priority Priority `json:"priority"`
	// Title is the body's first heading, or a legacy title field.
	Title model.Text `json:"title"`
	Origin
	Tags         []model.Text `json:"tags"`
	Files        []model.Text `json:"files"`
	Dependencies []Ref        `json:"dependencies"`
	Related      []Ref        `json:"related_todos"`
	Claim
	Outcome
	// Created and Updated are days, "2026-02-25". Some releases wrote times.
	Created model.Text `json:"created"`
	Updated model.Text `json:"updated"`
	Computed
	// Said identifies the words of its title and its problem statement.
	Said uint64 `json:"-"`
	// File is the name below the source's directory. It never changes. Dir is the name of that directory.
	File    string `json:"file"`
	Dir     string `json:"-"`
	History []Row  `json:"history,omitempty"`
	// LastWork is the date in the heading of the last Work Log entry.
	LastWork model.Text `json:"last_work,omitempty"`
	// Notes list what the reader had to tolerate.
	Notes []Problem `json:"notes,omitempty"`
}

// Origin says where a todo comes from.
type Origin struct {
	// SourceRef is the path of the TOME or plan. Together with FindingID it identifies a finding.
	SourceRef       model.Text   `json:"source_ref"`
	FindingID       model.Text   `json:"finding_id"`
	FindingSeverity model.Text   `json:"finding_severity"`
	WorkflowChain   []model.Text `json:"workflow_chain"`
	// WorkSession is schema 1's session. It is read and never written.
	WorkSession model.Text `json:"work_session,omitempty"`
}

// Claim says which worker has claimed a todo.
type Claim struct {
	AssignedTo model.Text `json:"assigned_to"`
	ClaimedAt  model.Text `json:"claimed_at"`
	FixerClaim model.Text `json:"mend_fixer_claim,omitempty"`
	Lease      Lease      `json:"lease,omitzero"`
}

// Outcome says how a todo ended.
type Outcome struct {
	Resolution  Resolution `json:"resolution"`
	Reason      model.Text `json:"resolution_reason"`
	ResolvedBy  model.Text `json:"resolved_by"`
	ResolvedAt  model.Text `json:"resolved_at"`
	CompletedBy model.Text `json:"completed_by"`
	CompletedAt model.Text `json:"completed_at"`
	DuplicateOf Ref        `json:"duplicate_of"`
}

// Computed is the todo's place in the dependency graph, counted from 1, or 0 if it is not computed.
type Computed struct {
	ExecutionOrder int `json:"execution_order"`
	// Wave is another tool's key. It is read and kept.
	Wave int `json:"wave"`
}

// Ref returns the todo's qualified id.
func (t Todo) Ref() Ref { return NewRef(t.Source, t.IssueID) }

// Full returns the todo's id among all sessions of a repository: "reviews/abc123/review/001".
func (t Todo) Full() Ref {
	if t.Session == "" {
		return t.Ref()
	}
	return NewRef(t.Session, t.Ref().Raw())
}

// Stamp formats a time for a file: UTC, to the second.
func Stamp(at time.Time) model.Text {
	if at.IsZero() {
		return ""
	}
	return model.Text(at.UTC().Format(time.RFC3339))
}

// Day formats a date for a file.
func Day(at time.Time) model.Text { return model.Text(at.UTC().Format(time.DateOnly)) }

// TimeOf reads a time from a file: an ISO time, or a day, which stands for its first moment.
func TimeOf(s model.Text) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(layout, s.Raw()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Status is a todo's status.
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

// Final reports whether only an operator's Reopen can change s.
func (s Status) Final() bool { return s == Complete || s == WontFix }

// Resumable reports whether work on the todo has stopped and the todo can be made ready again.
func (s Status) Resumable() bool { return s == Blocked || s == Interrupted }

func (s Status) known() bool { return slices.Contains(Statuses(), s) }

// ParseStatus reads one of the seven statuses. The error names them.
func ParseStatus(s string) (Status, error) { return oneOf("status", s, Statuses()) }

// Priority says how much a todo matters: p1 critical, p2 important, p3 nice to have.
type Priority string

const (
	P1 Priority = "p1"
	P2 Priority = "p2"
	P3 Priority = "p3"
)

// Priorities lists all priorities, most urgent first.
func Priorities() []Priority { return []Priority{P1, P2, P3} }

// ParsePriority reads p1, p2 or p3. The error names them.
func ParsePriority(s string) (Priority, error) { return oneOf("priority", s, Priorities()) }

// ReadPriority reads a priority from a file: one of the three, or a word of an earlier release. exact is false if a word was translated.
// known is false if no release wrote it: then the priority is p3.
func ReadPriority(s string) (p Priority, exact, known bool) {
	p, known = priorityWords[strings.ToLower(strings.TrimSpace(s))]
	p = cmp.Or(p, P3)
	return p, s == string(p), known
}

var priorityWords = map[string]Priority{"p1": P1, "critical": P1, "high": P1, "p2": P2, "medium": P2, "important": P2,
	"p3": P3, "low": P3, "nice-to-have": P3}

// Resolution says why a todo has ended.
type Resolution string

// Fixed belongs to Complete, the others to WontFix.
const (
	Unresolved    Resolution = ""
	Fixed         Resolution = "fixed"
	FalsePositive Resolution = "false_positive"
	Duplicate     Resolution = "duplicate"
	NotFixed      Resolution = "wont_fix"
	OutOfScope    Resolution = "out_of_scope"
	Superseded    Resolution = "superseded"
)

// Rejections returns the resolutions of WontFix.
func Rejections() []Resolution {
	return []Resolution{FalsePositive, Duplicate, NotFixed, OutOfScope, Superseded}
}

// Words returns a resolution in words for people.
func (r Resolution) Words() string {
	if r == NotFixed {
		return "won't fix"
	}
	return model.Spaced(r)
}

// ParseResolution reads a resolution. The error names all six.
func ParseResolution(s string) (Resolution, error) {
	return oneOf("resolution", s, append([]Resolution{Fixed}, Rejections()...))
}

// Sources returns the source names that vise knows. Others are read with a warning.
func Sources() []string {
	return []string{"review", "audit", "work", "pr-comment", "tech-debt", "test-browser", "gap", "test"}
}

// ParseSource accepts every source name that is safe as a directory.
func ParseSource(s string) (string, error) {
	if !ValidSource(s) {
		return "", Refuse(RuleSource, "source", "%q is not a source", s).
			WithHint("lower-case letters, digits and hyphens; known are %s", strings.Join(Sources(), ", "))
	}
	return s, nil
}

// ValidSource reports whether s can be the name of a source.
func ValidSource(s string) bool {
	return len(s) <= maxID && model.IsName(s, model.LowerCase+model.Digits, "-")
}

func oneOf[T ~string](field, s string, valid []T) (T, error) {
	if i := slices.Index(valid, T(s)); i >= 0 {
		return valid[i], nil
	}
	return "", Refuse(RuleValue, field, "%q is not a %s", s, field).WithHint("one of %s", model.Join(valid, ", "))
}

// Value is the value of a front matter key, with its notation.
type Value struct {
	Kind valueKind
	Text string
	List []string
	// Pairs are alternating keys and values.
	Pairs []string
}

// valueKind is a notation.
type valueKind int

// The notations. Absent is a key that is not written.
const (
	Absent valueKind = iota
	Null
	Plain
	Quoted
	Sequence
	Mapping
)

// Equal compares values in their written form.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && slices.Equal(v.List, w.List) && slices.Equal(v.Pairs, w.Pairs)
}

// Set is a key of the front matter and its value.
type Set struct {
	Key   string
	Value Value
}

// Fields returns schema 2's front matter, in the order of its template. The lease is vise's own key. It is in a file only while a claim is.
func (t Todo) Fields() []Set {
	return []Set{
		{"schema_version", count(t.Schema)},
		{"status", plain(t.Status)},
		{"priority", plain(t.Priority)},
		{"issue_id", quoted(t.IssueID)},
		{"source", plain(t.Source)},
		{"source_ref", quoted(t.SourceRef)},
		{"finding_id", quoted(t.FindingID)},
		{"finding_severity", quoted(t.FindingSeverity)},
		{"tags", sequence(t.Tags)},
		{"dependencies", sequence(t.Dependencies)},
		{"files", sequence(t.Files)},
		{"assigned_to", orNull(quoted(t.AssignedTo))},
		{"work_session", quoted(t.WorkSession)},
		{"created", quoted(t.Created)},
		{"updated", quoted(t.Updated)},
		{"resolution", orNull(plain(t.Resolution))},
		{"resolution_reason", quoted(t.Reason)},
		{"resolved_by", quoted(t.ResolvedBy)},
		{"resolved_at", quoted(t.ResolvedAt)},
		{"claimed_at", quoted(t.ClaimedAt)},
		{"lease", t.Lease.value()},
		{"completed_by", quoted(t.CompletedBy)},
		{"completed_at", quoted(t.CompletedAt)},
		{"mend_fixer_claim", quoted(t.FixerClaim)},
		{"duplicate_of", quoted(t.DuplicateOf)},
		{"related_todos", sequence(t.Related)},
		{"workflow_chain", sequence(t.WorkflowChain)},
		{"execution_order", count(t.ExecutionOrder)},
		{"wave", count(t.Wave)},
	}
}

// Diff returns the keys whose values differ, in template order. A change can touch only their lines in the file.
func Diff(before, after Todo) []Set {
	var sets []Set
	old := before.Fields()
	for i, f := range after.Fields() {
		if !f.Value.Equal(old[i].Value) {
			sets = append(sets, f)
		}
	}
	return sets
}

func plain[T ~string](s T) Value { return Value{Kind: Plain, Text: string(s)} }

func quoted[T ~string](s T) Value { return Value{Kind: Quoted, Text: OneLine(string(s))} }

// orNull writes an empty text as null.
func orNull(v Value) Value {
	if v.Text == "" {
		return Value{Kind: Null}
	}
	return v
}

func count(n int) Value {
	if n <= 0 {
		return Value{Kind: Null}
	}
	return Value{Kind: Plain, Text: strconv.Itoa(n)}
}

func sequence[T ~string](list []T) Value {
	v := Value{Kind: Sequence, List: make([]string, len(list))}
	for i, s := range list {
		v.List[i] = OneLine(string(s))
	}
	return v
}
