package todos

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/model/todo"
)

// Parse reads a todo file's bytes. dir is the source's directory and name the file's name. They supply what older files leave out, but
// never the status. It reads the formats of all earlier releases; the todo's Notes list what it tolerated.
func Parse(raw []byte, dir, name string) (todo.Todo, error) {
	t, d := parse(raw, dir, name)
	if d != nil {
		d.Source, d.File = dir, name
		return todo.Todo{}, d
	}
	return t, nil
}

func parse(raw []byte, dir, name string) (todo.Todo, *Damage) {
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return todo.Todo{}, damaged(todo.RuleNotText, "the file is not UTF-8 text")
	}
	doc, d := split(string(raw))
	if d != nil {
		return todo.Todo{}, d
	}
	keys, d := entries(doc.head)
	if d != nil {
		return todo.Todo{}, d
	}
	r := &reader{keys: keys}
	t := r.todo(dir, name)
	if r.damage != nil {
		return todo.Todo{}, r.damage
	}
	bodyFacts(&t, doc.body)
	t.Title = cmp.Or(t.Title, t.FindingID, model.Text(strings.TrimSuffix(name, ".md")))
	for i := range r.notes {
		r.notes[i].Todo, r.notes[i].File = t.Ref(), name
	}
	t.Notes = r.notes
	return t, nil
}

// reader reads typed values from the keys. The first wrong value becomes the file's damage.
type reader struct {
	keys   map[string]entry
	damage *Damage
	notes  []todo.Problem
}

func (r *reader) todo(dir, name string) todo.Todo {
	t := todo.Todo{
		Dir: dir, File: name, Schema: r.number("schema_version"),
		Title: r.text("title"),
		Origin: todo.Origin{SourceRef: r.text("source_ref"), FindingID: r.text("finding_id"),
			FindingSeverity: r.text("finding_severity"),
			WorkflowChain:   texts[model.Text](r, "workflow_chain"), WorkSession: r.text("work_session")},
		Tags: texts[model.Text](r, "tags"), Files: texts[model.Text](r, "files"),
		Dependencies: texts[todo.Ref](r, "dependencies"), Related: texts[todo.Ref](r, "related_todos"),
		Claim: todo.Claim{AssignedTo: r.text("assigned_to"), ClaimedAt: r.time("claimed_at"),
			FixerClaim: r.text("mend_fixer_claim"), Lease: r.lease()},
		Created: r.aliased("created", "created_at"), Updated: r.aliased("updated", "updated_at"),
		Computed: todo.Computed{ExecutionOrder: r.number("execution_order"), Wave: r.number("wave")},
	}
	t.Outcome = todo.Outcome{
		Resolution: r.resolution(), Reason: r.text("resolution_reason"),
		ResolvedBy: r.text("resolved_by"), ResolvedAt: r.time("resolved_at"),
		CompletedBy: r.text("completed_by"), CompletedAt: r.time("completed_at"),
		DuplicateOf: todo.Ref(r.text("duplicate_of")),
	}
	r.identity(&t, dir, name)
	r.standing(&t)
	if t.Schema > todo.Schema {
		r.fail(todo.RuleNewer, "schema_version", "is %d; up to %d can be read", t.Schema, todo.Schema)
	}
	return t
}

// identity sets source and id, from the file's contents or else from its place.
func (r *reader) identity(t *todo.Todo, dir, name string) {
	t.Source, t.IssueID = r.text("source").Raw(), r.text("issue_id").Raw()
	for _, legacy := range []string{"id", "task_id"} {
		if id := r.text(legacy).Raw(); t.IssueID == "" && id != "" {
			t.IssueID = id
			r.note(todo.Info, todo.RuleLegacy, legacy, "an earlier name of issue_id")
		}
	}
	t.IssueID, t.Source = cmp.Or(t.IssueID, todo.IDOfFile(name)), cmp.Or(t.Source, dir)
	if !todo.ValidSource(t.Source) {
		r.fail(todo.RuleSource, "source", "%q is not a source", t.Source)
	} else if t.Source != dir {
		r.note(todo.Warn, todo.RuleSourceDir, "source", "says "+t.Source+" and lies in "+dir)
	}
	if !todo.ValidID(t.IssueID) {
		r.fail(todo.RuleID, "issue_id", "%q is not an issue id", t.IssueID)
	}
}

func (r *reader) standing(t *todo.Todo) {
	word := r.text("status").Raw()
	status, err := todo.ParseStatus(word)
	switch {
	case word == "":
		r.fail(todo.RuleNoStatus, "status", "is missing")
	case err != nil:
		r.fail(todo.RuleStatus, "status", "is %q; one of pending, ready, in_progress, complete, blocked, wont_fix, interrupted", word)
	}
	t.Status = status
	said := r.text("priority").Raw()
	priority, exact, known := todo.ReadPriority(said)
	switch {
	case !known && said != "":
		r.note(todo.Warn, todo.RuleValue, "priority", fmt.Sprintf("is %q, which is none; read as %s", said, priority))
	case !exact:
		r.note(todo.Info, todo.RulePriorityWord, "priority", "read as "+string(priority))
	}
	t.Priority = priority
}

func (r *reader) resolution() todo.Resolution {
	word := r.text("resolution").Raw()
	if word == "" {
		return todo.Unresolved
	}
	res, err := todo.ParseResolution(word)
	if err != nil {
		r.fail(todo.RuleValue, "resolution", "is %q; one of fixed, false_positive, duplicate, wont_fix, out_of_scope, superseded", word)
	}
	return res
}

func (r *reader) fail(rule todo.Rule, key, format string, args ...any) {
	if r.damage == nil {
		r.damage = damaged(rule, key+" "+format, args...)
	}
}

func (r *reader) note(s todo.Severity, rule todo.Rule, field, message string) {
	r.notes = append(r.notes, todo.Problem{Severity: s, Rule: rule, Field: field, Message: message})
}

func (r *reader) text(key string) model.Text {
	n := r.keys[key].value
	if n != nil && n.Kind != yaml.ScalarNode {
		r.fail(todo.RuleType, key, "is not a single value")
		return ""
	}
	return model.Text(scalar(n))
}

// scalar returns a node's text, or "" for nil and null.
func scalar(n *yaml.Node) string {
	if n == nil || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

func notScalar(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }

// time reads text that must be a time unless it is empty.
func (r *reader) time(key string) model.Text {
	s := r.text(key)
	if s == "" {
		return ""
	}
	if _, ok := todo.TimeOf(s); !ok {
		r.fail(todo.RuleDate, key, "is %q, which is not a date", s.Raw())
	}
	return s
}

func (r *reader) aliased(key, legacy string) model.Text {
	if _, ok := r.keys[key]; ok {
		return r.time(key)
	}
	if _, ok := r.keys[legacy]; ok {
		r.note(todo.Info, todo.RuleLegacy, legacy, "an earlier name of "+key)
	}
	return r.time(legacy)
}

func (r *reader) number(key string) int {
	s := r.text(key).Raw()
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<30 {
		r.fail(todo.RuleType, key, "is %q, which is not a count", s)
		return 0
	}
	return n
}

// texts reads a list. A single value counts as a list of one.
func texts[T ~string](r *reader, key string) []T {
	n := r.keys[key].value
	if n == nil || n.Kind == yaml.ScalarNode {
		if s := scalar(n); s != "" {
			return []T{T(s)}
		}
		return nil
	}
	if n.Kind != yaml.SequenceNode || slices.ContainsFunc(n.Content, notScalar) {
		r.fail(todo.RuleType, key, "is not a list of words")
		return nil
	}
	var out []T
	for _, c := range n.Content {
		out = append(out, T(scalar(c)))
	}
	return out
}

func (r *reader) lease() todo.Lease {
	n := r.keys["lease"].value
	switch {
	case n == nil, n.Tag == "!!null":
		return todo.Lease{}
	case n.Kind != yaml.MappingNode, slices.ContainsFunc(n.Content, notScalar):
		r.fail(todo.RuleType, "lease", "is not a set of keys")
		return todo.Lease{}
	}
	has := map[string]string{}
	for pair := range slices.Chunk(n.Content, 2) { // Decode gives nothing if a key stands twice
		has[pair[0].Value] = scalar(pair[1])
	}
	pid, _ := strconv.Atoi(has["pid"])
	return todo.Lease{ID: has["id"], PID: pid, Host: model.Text(has["host"]), Until: model.Text(has["until"])}
}
