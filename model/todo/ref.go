package todo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
)

// Ref is a qualified id, "review/001", exactly as stored, with its own padding. A file can hold any text here, so String is safe for a
// terminal and Raw is not.
type Ref string

// NewRef joins a source and an issue id.
func NewRef(source, id string) Ref { return Ref(source + "/" + id) }

// Raw returns the ref as it was written.
func (r Ref) Raw() string { return string(r) }

func (r Ref) String() string { return fmt.Sprint(model.Text(r)) }

// MarshalJSON writes the ref as a text.
func (r Ref) MarshalJSON() ([]byte, error) { return json.Marshal(model.Text(r)) }

// Source returns the part before the slash, or "" if r is not qualified.
func (r Ref) Source() string {
	source, _, ok := strings.Cut(string(r), "/")
	if !ok {
		return ""
	}
	return source
}

// ID returns the part after the slash, or all of an unqualified ref.
func (r Ref) ID() string {
	if _, id, ok := strings.Cut(string(r), "/"); ok {
		return id
	}
	return string(r)
}

// Split splits a full ref, "reviews/abc123/review/001", into session and ref. A ref within a session has no session part.
func (r Ref) Split() (session string, within Ref) {
	id := strings.LastIndexByte(string(r), '/')
	if source := strings.LastIndexByte(string(r)[:max(id, 0)], '/'); source >= 0 {
		return string(r)[:source], r[source+1:]
	}
	return "", r
}

// In adds source to r if r is not qualified: schema 1 wrote bare ids.
func (r Ref) In(source string) Ref {
	if strings.Contains(string(r), "/") {
		return r
	}
	return NewRef(source, string(r))
}

// maxID bounds an issue id and the name of a source. Another tool writes "task-N-" and a slug of 40.
const maxID = 64

// ValidID reports whether s can be an issue id.
func ValidID(s string) bool {
	return len(s) <= maxID && model.IsName(s, model.LowerCase+model.UpperCase+model.Digits, "_-")
}

// digits returns the digits at the start of a name, after an optional "task-".
func digits(name string) string {
	name = strings.TrimPrefix(name, "task-")
	return name[:len(name)-len(strings.TrimLeft(name, model.Digits))]
}

// number returns the number in an issue id or a file name ("007-ready-p1-x.md" is 7, "task-3-auth.md" is 3), or -1.
func number(name string) int {
	n, err := strconv.Atoi(digits(name))
	if err != nil {
		return -1
	}
	return n
}

// NextID returns the id after the highest number in names (ids and file names of one source and session): three digits, and four after 999.
// A deleted file's id is not used again while a higher one exists.
func NextID(names []string) string {
	highest := 0
	for _, n := range names {
		highest = max(highest, number(n))
	}
	return fmt.Sprintf("%03d", highest+1)
}

// IDOfFile returns the issue id from a file's name, for files that do not contain one: "task-2" from task-2-auth.md, "004" from
// 004-ready-p1-x.md, "" from others.
func IDOfFile(name string) string {
	n := digits(name)
	id := name[:strings.Index(name, n)+len(n)]
	if n == "" || id == name {
		return ""
	}
	return id
}

// IsTodoFile reports whether a todo can have this file name: NNN-….md, NNNN-….md, task-N.md, task-N-….md. A status in the name is never
// used.
func IsTodoFile(name string) bool {
	stem, md := strings.CutSuffix(name, ".md")
	n := digits(stem)
	if !md || n == "" || strings.Contains(stem, "\n") {
		return false
	}
	return strings.HasPrefix(stem, "task-") || len(n) >= 3 && strings.HasPrefix(stem[len(n):], "-")
}

// FileName returns the name of a new todo's file, which never changes.
func FileName(id string, s Status, p Priority, title string) string {
	return fmt.Sprintf("%s-%s-%s-%s.md", id, s, p, slug(title))
}

// slugLength bounds a slug, in bytes.
const slugLength = 40

func slug(title string) string {
	s := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !strings.ContainsRune(model.LowerCase+model.Digits, r)
	}), "-")
	return cmp.Or(strings.TrimRight(s[:min(len(s), slugLength)], "-"), "todo")
}

// compareID orders issue ids by number, then as text: 999 before 1000.
func compareID(a, b string) int {
	// An id without a number counts as the highest of all.
	return cmp.Or(cmp.Compare(uint(number(a)), uint(number(b))), cmp.Compare(a, b))
}

// Compare is the order of lists: priority, then number, then source.
func Compare(a, b *Todo) int {
	return cmp.Or(
		cmp.Compare(a.Priority, b.Priority),
		compareID(a.IssueID, b.IssueID),
		compareSource(a.Source, b.Source),
		cmp.Compare(a.File, b.File),
	)
}

// Sort puts todos in list order.
func Sort(all []Todo) { slices.SortFunc(all, func(a, b Todo) int { return Compare(&a, &b) }) }

// Merge puts the todos of several sessions, each in list order, into one list: by priority, then in the order of the sessions.
func Merge(sessions ...[]Todo) []*Todo {
	var out []*Todo
	for _, p := range Priorities() {
		for _, all := range sessions {
			for i := range all {
				if all[i].Priority == p {
					out = append(out, &all[i])
				}
			}
		}
	}
	return out
}

// compareSource puts findings before plan tasks. Other sources follow by name.
func compareSource(a, b string) int {
	rank := func(s string) uint { return uint(slices.Index([]string{"review", "audit", "work"}, s)) }
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// Filter selects todos. An empty field accepts all. A todo must match all fields.
type Filter struct {
	Status   []Status
	Priority []Priority
	Source   []string
	// Tags must all be in the todo.
	Tags []model.Text
	// Owner is the worker to whom the todo is assigned.
	Owner model.Text
}

// ParseFilter reads the words of flags. An unknown word is an error that names the valid ones.
func ParseFilter(status, priority, source, tags []string, owner string) (Filter, error) {
	f := Filter{Owner: model.Text(owner)}
	var err error
	if f.Status, err = parseAll(status, ParseStatus); err != nil {
		return f, err
	}
	if f.Priority, err = parseAll(priority, ParsePriority); err != nil {
		return f, err
	}
	if f.Source, err = parseAll(source, ParseSource); err != nil {
		return f, err
	}
	for _, t := range tags {
		if t = strings.TrimSpace(t); t != "" {
			f.Tags = append(f.Tags, model.Text(t))
		}
	}
	return f, nil
}

func parseAll[T any](words []string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for _, w := range words {
		v, err := parse(strings.TrimSpace(w))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Admits reports whether f accepts t.
func (f Filter) Admits(t Todo) bool {
	lacks := func(tag model.Text) bool { return !slices.Contains(t.Tags, tag) }
	return in(f.Status, t.Status) && in(f.Priority, t.Priority) && in(f.Source, t.Source) &&
		!slices.ContainsFunc(f.Tags, lacks) && (f.Owner == "" || f.Owner == t.AssignedTo)
}

// KnownSources refuses a source that no todo has and no release knows. Otherwise a typing error in a filter would look like an empty list.
func (f Filter) KnownSources(present []string) error {
	for _, s := range f.Source {
		if !slices.Contains(present, s) && !slices.Contains(Sources(), s) {
			valid := slices.Compact(slices.Sorted(slices.Values(append(Sources(), present...))))
			return Refuse(RuleValue, "source", "%q is not a source", s).WithHint("one of %s", strings.Join(valid, ", "))
		}
	}
	return nil
}

// Select returns the todos that f accepts.
func (f Filter) Select(all []Todo) []Todo {
	var out []Todo
	for _, t := range all {
		if f.Admits(t) {
			out = append(out, t)
		}
	}
	return out
}

func in[T comparable](set []T, v T) bool { return len(set) == 0 || slices.Contains(set, v) }
