package todo

import (
	"slices"

	"vise/model"
)

// Value is what a front matter key holds, and in which notation it is written.
type Value struct {
	Kind ValueKind
	Text string
	List []string
	// Pairs are keys and values in turn.
	Pairs []string
}

// ValueKind is a notation.
type ValueKind int

// The notations. Absent is a key that is not written at all.
const (
	Absent ValueKind = iota
	Null
	Plain
	Quoted
	Sequence
	Mapping
)

// Equal compares values as they would be written.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && slices.Equal(v.List, w.List) && slices.Equal(v.Pairs, w.Pairs)
}

// Field is one key of the front matter and how a todo tells its value.
type Field struct {
	Key string
	Of  func(Todo) Value
}

// Fields is schema 2's front matter, in the order of its template. The lease is ours; it
// stands in a file only while a claim does.
func Fields() []Field {
	return []Field{
		{"schema_version", func(t Todo) Value { return count(t.Schema) }},
		{"status", func(t Todo) Value { return plain(t.Status) }},
		{"priority", func(t Todo) Value { return plain(t.Priority) }},
		{"issue_id", func(t Todo) Value { return quoted(t.IssueID) }},
		{"source", func(t Todo) Value { return plain(t.Source) }},
		{"source_ref", func(t Todo) Value { return quoted(t.SourceRef) }},
		{"finding_id", func(t Todo) Value { return quoted(t.FindingID) }},
		{"finding_severity", func(t Todo) Value { return quoted(t.FindingSeverity) }},
		{"tags", func(t Todo) Value { return sequence(t.Tags) }},
		{"dependencies", func(t Todo) Value { return sequence(t.Dependencies) }},
		{"files", func(t Todo) Value { return sequence(t.Files) }},
		{"assigned_to", func(t Todo) Value { return nullable(t.AssignedTo) }},
		{"work_session", func(t Todo) Value { return quoted(t.WorkSession) }},
		{"created", func(t Todo) Value { return quoted(t.Created) }},
		{"updated", func(t Todo) Value { return quoted(t.Updated) }},
		{"resolution", func(t Todo) Value { return word(t.Resolution) }},
		{"resolution_reason", func(t Todo) Value { return quoted(t.Reason) }},
		{"resolved_by", func(t Todo) Value { return quoted(t.ResolvedBy) }},
		{"resolved_at", func(t Todo) Value { return quoted(t.ResolvedAt) }},
		{"claimed_at", func(t Todo) Value { return quoted(t.ClaimedAt) }},
		{"lease", func(t Todo) Value { return t.Lease.value() }},
		{"completed_by", func(t Todo) Value { return quoted(t.CompletedBy) }},
		{"completed_at", func(t Todo) Value { return quoted(t.CompletedAt) }},
		{"mend_fixer_claim", func(t Todo) Value { return quoted(t.FixerClaim) }},
		{"duplicate_of", func(t Todo) Value { return quoted(t.DuplicateOf) }},
		{"related_todos", func(t Todo) Value { return sequence(t.Related) }},
		{"workflow_chain", func(t Todo) Value { return sequence(t.WorkflowChain) }},
		{"execution_order", func(t Todo) Value { return count(t.ExecutionOrder) }},
		{"wave", func(t Todo) Value { return count(t.Wave) }},
	}
}

// Set is one key and the value it is to have.
type Set struct {
	Key   string
	Value Value
}

// Diff lists the keys whose values differ, in template order: the only lines of a file
// that a change may touch.
func Diff(before, after Todo) []Set {
	var sets []Set
	for _, f := range Fields() {
		if v := f.Of(after); !v.Equal(f.Of(before)) {
			sets = append(sets, Set{f.Key, v})
		}
	}
	return sets
}

func plain[T ~string](s T) Value { return Value{Kind: Plain, Text: string(s)} }

func quoted[T ~string](s T) Value { return Value{Kind: Quoted, Text: OneLine(string(s))} }

func nullable(s model.Text) Value {
	if s == "" {
		return Value{Kind: Null}
	}
	return quoted(s)
}

func word[T ~string](s T) Value {
	if s == "" {
		return Value{Kind: Null}
	}
	return plain(s)
}

func count(n int) Value {
	if n <= 0 {
		return Value{Kind: Null}
	}
	return Value{Kind: Plain, Text: itoa(n)}
}

func sequence[T ~string](list []T) Value {
	v := Value{Kind: Sequence, List: make([]string, len(list))}
	for i, s := range list {
		v.List[i] = OneLine(string(s))
	}
	return v
}
