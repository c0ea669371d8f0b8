package thread

import (
	"slices"
	"strings"
	"unicode"

	"vise/model"
)

// Repeats finds the first dead end that words repeat and that nobody was told of yet: they
// name one of its paths, or hold every word of what was abandoned. Index -1: none.
//
// Only recorded dead ends count; nothing is inferred.
func (t Thread) Repeats(words model.Text) int {
	spoken := significant(words)
	return slices.IndexFunc(t.DeadEnds, func(d DeadEnd) bool {
		return d.FlaggedAt == "" && d.repeatedBy(words, spoken)
	})
}

func (d DeadEnd) repeatedBy(words model.Text, spoken map[string]bool) bool {
	for _, p := range d.RelatedPaths {
		if p != "" && mentions(words.Raw(), p.Raw()) {
			return true
		}
	}
	abandoned := significant(d.Hypothesis)
	if len(abandoned) == 0 {
		return false
	}
	for w := range abandoned {
		if !spoken[w] {
			return false
		}
	}
	return true
}

// mentions finds path in words as a whole path, not as a piece of another.
func mentions(words, path string) bool {
	for _, w := range strings.FieldsFunc(words, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},;:", r)
	}) {
		if strings.TrimRight(w, ".!?") == path || w == path {
			return true
		}
	}
	return false
}

// significant are the words that carry meaning: lower case, without those that negate or
// join, so that "X was not the cause" and "X was the cause" are one approach.
func significant(t model.Text) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(t.Raw()), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !fillers[w] {
			set[w] = true
		}
	}
	return set
}

var fillers = map[string]bool{
	"a": true, "an": true, "the": true, "is": true, "was": true, "are": true, "were": true, "be": true, "been": true,
	"not": true, "no": true, "isn": true, "wasn": true, "t": true, "it": true, "this": true, "that": true,
	"of": true, "for": true, "in": true, "on": true, "to": true, "by": true, "and": true, "or": true, "maybe": true,
}
