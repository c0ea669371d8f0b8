package todo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
)

// Similar are two todos that are duplicates or look alike. Score says how alike, from 0 to 1.
type Similar struct {
	Keep  Ref     `json:"keep"`
	Other Ref     `json:"other"`
	Score float64 `json:"score"`
	// Duplicate says that one source gave both the same finding id and the same text. It is never set because two todos look alike.
	Duplicate bool `json:"duplicate"`
}

// showSimilar is the least score of a pair that is shown.
const showSimilar = 0.70

// The weights of a score, and the least likeness of titles that counts.
const (
	fileWeight   = 0.40
	titleWeight  = 0.30
	prefixWeight = 0.20
	refWeight    = 0.10
	titleFloor   = 0.80
	overlapFloor = 0.30
	nearLines    = 10
)

// FindSimilar returns pairs of open todos that are duplicates, then pairs that look alike, surest first. It compares only todos that share
// a file. Keep is the todo that comes first in list order.
func FindSimilar(all []Todo) []Similar {
	open := slices.DeleteFunc(slices.Clone(all), func(t Todo) bool { return t.Status.Final() })
	Sort(open)
	type pair struct{ a, b int }
	seen := map[pair]bool{}
	var out []Similar
	byFile, byFinding := map[string][]int{}, map[Key]int{}
	for i, t := range open {
		for f := range places(t) {
			byFile[f] = append(byFile[f], i)
		}
		k, ok := findingKey(t)
		k.Said = t.Said
		first, taken := byFinding[k]
		switch {
		case ok && taken:
			seen[pair{first, i}] = true
			out = append(out, Similar{open[first].Ref(), t.Ref(), 1, true})
		case ok:
			byFinding[k] = i
		}
	}
	for _, group := range byFile {
		for i, a := range group {
			for _, b := range group[i+1:] {
				p := pair{min(a, b), max(a, b)}
				if seen[p] {
					continue
				}
				seen[p] = true
				if s := score(open[p.a], open[p.b]); s >= showSimilar {
					out = append(out, Similar{open[p.a].Ref(), open[p.b].Ref(), float64(int(s*100+0.5)) / 100, false})
				}
			}
		}
	}
	certain := map[bool]int{true: 1}
	slices.SortFunc(out, func(a, b Similar) int {
		return cmp.Or(certain[b.Duplicate]-certain[a.Duplicate], cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.Keep, b.Keep), cmp.Compare(a.Other, b.Other))
	})
	return out
}

// CheckLikeness names the todos that look like another one. Only a person can say that they are duplicates.
func CheckLikeness(x *Index) (problems []Problem) {
	for _, p := range FindSimilar(x.All()) {
		if t, _ := x.Find(p.Other); !p.Duplicate {
			problems = append(problems, t.problem(Info, ruleAlike, "title",
				fmt.Sprintf("looks like %s, %d%%: a suggestion", p.Keep, int(p.Score*100))))
		}
	}
	return problems
}

// findingKey returns source and finding id, or for a plan task its number there. Duplicates share it and what they say.
func findingKey(t Todo) (Key, bool) {
	if t.FindingID != "" {
		return Key{Source: t.Source, Finding: t.FindingID.Raw()}, true
	}
	return KeyOf(t)
}

func score(a, b Todo) float64 {
	overlap := jaccard(a, b)
	if overlap <= overlapFloor {
		return 0
	}
	s := fileWeight * overlap
	if w := likeness(strings.ToLower(a.Title.Raw()), strings.ToLower(b.Title.Raw())); w >= titleFloor {
		s += titleWeight * w
	}
	if p := findingPrefix(a); p != "" && p == findingPrefix(b) {
		s += prefixWeight
	}
	if a.SourceRef != "" && a.SourceRef == b.SourceRef {
		s += refWeight
	}
	return s
}

// places returns the files of a todo, each with its line or 0.
func places(t Todo) map[string]int {
	out := map[string]int{}
	for _, f := range t.Files {
		name, line := placeOf(f)
		out[name] = line
	}
	return out
}

// placeOf splits a file entry, "a.go", "a.go:12" or "a.go:12-14".
func placeOf(f model.Text) (name string, line int) {
	name, lines, _ := strings.Cut(f.Raw(), ":")
	first, _, _ := strings.Cut(lines, "-")
	line, _ = strconv.Atoi(first)
	return name, line
}

// jaccard compares the files of two todos. A shared file counts half if both name lines that are not near each other.
func jaccard(a, b Todo) float64 {
	pa, pb := places(a), places(b)
	shared, all := 0.0, len(pa)
	for f, lb := range pb {
		la, ok := pa[f]
		switch {
		case !ok:
			all++
		case la > 0 && lb > 0 && max(la, lb)-min(la, lb) > nearLines:
			shared += 0.5
		default:
			shared++
		}
	}
	if all == 0 {
		return 0
	}
	return shared / float64(all)
}

func findingPrefix(t Todo) string {
	p, _, ok := strings.Cut(t.FindingID.Raw(), "-")
	if !ok {
		return ""
	}
	return p
}

// likeness is the share of pairs of neighbouring letters that two strings have in common, 0 to 1 (Dice).
func likeness(s, t string) float64 {
	a, b := []rune(s), []rune(t)
	pairs := map[[2]rune]int{}
	for i := 1; i < len(a); i++ {
		pairs[[2]rune{a[i-1], a[i]}]++
	}
	shared := 0
	for i := 1; i < len(b); i++ {
		if p := [2]rune{b[i-1], b[i]}; pairs[p] > 0 {
			pairs[p]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(max(len(a)+len(b)-2, 1))
}

// Twin returns the todo of all, those of a session, that t duplicates or looks most like. found is false if there is none.
func Twin(all []Todo, t Todo) (twin Todo, how Similar, found bool) {
	k, keyed := findingKey(t)
	var near []Todo
	for _, o := range all {
		if same, ok := findingKey(o); keyed && ok && same == k || jaccard(t, o) > 0 {
			near = append(near, o)
		}
	}
	for _, p := range FindSimilar(near) {
		other := p.Keep
		switch t.Ref() {
		case p.Keep:
			other = p.Other
		case p.Other:
		default:
			continue
		}
		twin, found = NewIndex(near).Find(other)
		return twin, p, found
	}
	return twin, how, false
}

// Key identifies what a todo is about, so that creating it twice makes one todo.
type Key struct {
	Source, SourceRef, Finding string
	// Said is set where only the same words count.
	Said uint64
}

// KeyOf returns a todo's key: finding and source ref, or for plan tasks the tag task-N and the source ref. A todo with neither has no key.
func KeyOf(t Todo) (Key, bool) {
	k := Key{Source: t.Source, SourceRef: t.SourceRef.Raw(), Finding: t.FindingID.Raw()}
	if k.Finding == "" {
		k.Finding = taskTag(t.Tags)
	}
	return k, k.Finding != "" && k.SourceRef != ""
}

func taskTag(tags []model.Text) string {
	for _, t := range tags {
		if rest, ok := strings.CutPrefix(t.Raw(), "task-"); ok && allDigits(rest) {
			return t.Raw()
		}
	}
	return ""
}

// sameFinding reports whether an earlier todo, closed without a fix, says the same as t: the same finding of the same file, or one that
// looks like it. A todo closed as duplicate or superseded dismissed nothing.
func sameFinding(t, earlier Todo) bool {
	if earlier.Status != WontFix || earlier.Resolution == Duplicate || earlier.Resolution == Superseded {
		return false
	}
	shared := jaccard(t, earlier) > 0
	if t.FindingID != "" && t.FindingID == earlier.FindingID && t.Said == earlier.Said && shared {
		return true
	}
	return score(t, earlier) >= showSimilar
}

// DismissedBefore returns the newest earlier todo, of one of these sessions, that says the same as t and was dismissed, or nil.
func DismissedBefore(t Todo, sessions ...[]Todo) (newest *Todo) {
	for _, all := range sessions {
		for i := range all {
			e := &all[i]
			if e.Full() != t.Full() && sameFinding(t, *e) && (newest == nil || e.ResolvedAt > newest.ResolvedAt) {
				newest = e
			}
		}
	}
	return newest
}

// Dismissal says when, how and why t was closed. It names t's session unless that is the session of the reader.
func (t Todo) Dismissal(session string) model.Text {
	day, _, _ := strings.Cut(t.ResolvedAt.Raw(), "T")
	name := t.Full()
	if t.Session == session {
		name = t.Ref()
	}
	return model.Textf("%s as %s (%s): %s", model.Text(day), t.Resolution.Words(), name, t.Reason)
}
