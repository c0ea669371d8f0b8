package todo

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A query has 2 to 200 characters.
const (
	minQuery = 2
	maxQuery = 200
)

// Hit is a todo that a query found, and where.
type Hit struct {
	Todo  Todo   `json:"todo"`
	Where string `json:"where"`
}

// Search finds the todos that hold every word of query, in any case. What holds them all in
// its id or title comes before what holds them elsewhere, then list order decides. Body
// gives the text below a todo's front matter; it may be nil.
func Search(all []Todo, query string, body func(Todo) string) ([]Hit, error) {
	query = strings.TrimSpace(query)
	if n := utf8.RuneCountInString(query); n < minQuery || n > maxQuery {
		return nil, refuse(RuleQuery, "query", "a query has %d to %d characters, not %d", minQuery, maxQuery, n)
	}
	words := strings.Fields(strings.ToLower(query))
	type ranked struct {
		Hit
		rank int
	}
	var found []ranked
	for _, t := range all {
		if where, rank := match(t, words, body); rank >= 0 {
			found = append(found, ranked{Hit{t, where}, rank})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), Compare(a.Todo, b.Todo))
	})
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = f.Hit
	}
	return hits, nil
}

func match(t Todo, words []string, body func(Todo) string) (string, int) {
	var facts strings.Builder
	facts.WriteString(t.SourceRef.Raw() + " " + t.FindingSeverity.Raw() + " " + t.Reason.Raw() + " " + t.AssignedTo.Raw())
	for _, s := range append(slices.Clone(t.Tags), t.Files...) {
		facts.WriteString(" " + s.Raw())
	}
	where := []struct {
		name string
		text func() string
	}{
		{"id", func() string { return string(t.Ref()) + " " + t.FindingID.Raw() }},
		{"title", func() string { return t.Title.Raw() }},
		{"fields", facts.String},
		{"body", func() string {
			if body == nil {
				return ""
			}
			return body(t)
		}},
	}
	text := ""
	for rank, w := range where {
		text += " " + strings.ToLower(w.text())
		if containsAll(text, words) {
			return w.name, rank
		}
	}
	return "", -1
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
