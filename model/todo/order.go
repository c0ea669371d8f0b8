package todo

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// Compare is the order of lists: priority, then number, then source.
func Compare(a, b Todo) int {
	return cmp.Or(
		cmp.Compare(a.Priority, b.Priority),
		CompareID(a.IssueID, b.IssueID),
		compareSource(a.Source, b.Source),
		cmp.Compare(a.File, b.File),
	)
}

// Sort puts todos in list order.
func Sort(all []Todo) { slices.SortFunc(all, Compare) }

// comparePlan is the order among equally deep todos: priority, source, number.
func comparePlan(a, b Todo) int {
	return cmp.Or(
		cmp.Compare(a.Priority, b.Priority),
		compareSource(a.Source, b.Source),
		CompareID(a.IssueID, b.IssueID),
		cmp.Compare(a.File, b.File),
	)
}

// sourceRank puts findings before plan tasks; other sources follow by name.
func sourceRank(s string) int {
	switch s {
	case "review":
		return 0
	case "audit":
		return 1
	case "work":
		return 2
	}
	return 3
}

func compareSource(a, b string) int {
	return cmp.Or(cmp.Compare(sourceRank(a), sourceRank(b)), cmp.Compare(a, b))
}

// Filter admits todos. Empty parts admit all; the parts must all agree.
type Filter struct {
	Status   []Status
	Priority []Priority
	Source   []string
	// Tags must all be carried.
	Tags []model.Text
	// Owner is who a todo is assigned to.
	Owner model.Text
}

// ParseFilter reads the words of flags; an unknown word is an error that names the valid ones.
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

// Admits reports whether t passes.
func (f Filter) Admits(t Todo) bool {
	return in(f.Status, t.Status) && in(f.Priority, t.Priority) && in(f.Source, t.Source) &&
		t.HasTags(f.Tags) && (f.Owner == "" || f.Owner == t.AssignedTo)
}

// KnownSources refuses a source that no todo has and no release knows: a filter's typing
// error must not look like an empty list.
func (f Filter) KnownSources(present []string) error {
	for _, s := range f.Source {
		if !slices.Contains(present, s) && !slices.Contains(Sources(), s) {
			valid := slices.Compact(slices.Sorted(slices.Values(append(Sources(), present...))))
			return refuse(RuleValue, "source", "%q is not a source", s).hint("one of " + strings.Join(valid, ", "))
		}
	}
	return nil
}

// Select keeps what f admits.
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
