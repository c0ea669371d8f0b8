package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
)

// Trail is what was said and done of late, within a budget.
type Trail struct {
	Steps []step `json:"steps"`
	// LeftOut counts the rounds that it has no place for.
	LeftOut int `json:"left_out,omitempty"`
}

// step is one round.
type step struct {
	At    time.Time `json:"at"`
	Calls []string  `json:"calls,omitempty"`
	// Tools are the tools of others that it called.
	Tools   []model.Text `json:"tools,omitempty"`
	Text    model.Text   `json:"text,omitempty"`
	Refused model.Text   `json:"refused,omitempty"`
}

// Bounds of a trail: rounds, of which the newest are there whatever they hold, and the characters of
// one round's words, full and brief.
const (
	maxSteps    = 8
	newestSteps = 2
	stepText    = 240
	briefText   = 80
	// summaryText and leastSummary bound the last session's words.
	summaryText  = 800
	leastSummary = 160
)

// TrailOf keeps the newest rounds, then those that decided or did something, then the rest, newest
// first, as far as there is place; of each it keeps the words that matter. Current truth is in the
// record and reports are on their items: neither is taken from a trace.
func TrailOf(entries []model.TraceEntry) Trail {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = len(entries) - 1 - i
	}
	weight := func(i int) int {
		e := entries[i]
		switch {
		case i >= len(entries)-newestSteps:
			return 0
		case decides(e.Text):
			return 1
		case len(e.Calls) > 0 || e.Refused != "":
			return 2
		}
		return 3
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(a), weight(b)) })
	kept := order[:min(len(order), maxSteps)]
	slices.Sort(kept)
	t := Trail{LeftOut: len(entries) - len(kept)}
	for _, i := range kept {
		e := entries[i]
		t.Steps = append(t.Steps, step{At: e.At, Calls: e.Calls, Tools: e.Tools, Text: gist(e.Text, stepText),
			Refused: model.Text(clip(e.Refused, stepText))})
	}
	return t
}

func trace(t Trail) layer {
	total := len(t.Steps) + t.LeftOut
	least := fmt.Sprintf("Recent rounds: %d", total)
	lines, brief := []string{least}, []string{least}
	for _, x := range t.Steps {
		lines = append(lines, x.line(stepText))
		brief = append(brief, x.line(briefText))
	}
	return layerOfSome("trace", total, least, strings.Join(brief, "\n"), strings.Join(lines, "\n"))
}

// Words are what a round did and said.
func (s step) Words() string { return s.words(stepText) }

// line is a round in one line, its words within n characters.
func (s step) line(n int) string { return "- " + stamp(s.At) + " " + s.words(n) }

func (s step) words(n int) string {
	var parts []string
	if len(s.Calls) > 0 {
		parts = append(parts, "called "+clip(model.Text(strings.Join(s.Calls, ", ")), shortObjective))
	}
	if len(s.Tools) > 0 {
		parts = append(parts, "used "+clip(model.Join(s.Tools, ", "), shortObjective))
	}
	if s.Refused != "" {
		parts = append(parts, "refused: "+clip(s.Refused, n))
	}
	if s.Text != "" {
		parts = append(parts, "said: "+gist(s.Text, n).String())
	}
	return strings.Join(parts, "; ")
}

// summary are the words that the last session ended with. They stand until the item is completed.
func summary(s model.Summary) layer {
	if s.Text == "" {
		return layer{}
	}
	say := func(n int) string {
		return fmt.Sprintf("The last session ended, %s, with: %s", stamp(s.At), gist(s.Text, n))
	}
	return layerOf("summary", 1, say(leastSummary), "", say(summaryText))
}

func summaryOf(r model.Reader, w model.WorkItem) layer {
	t, _ := r.Trace(w.AgentID, w.ID)
	return summary(t.Summary)
}

// signs of a sentence that tells of a decision or a finding, in lower case.
var signs = []string{
	"decid", "decision", "chose", "choose", "instead of", "rather than", "because", "will use", "we use", "won't", "will not",
	"must ", "do not ", "don't ", "agreed", "root cause", "turns out", "turned out", "the reason", "found that", "settled on", "going with",
}

func decides(t model.Text) bool {
	s := strings.ToLower(t.Raw()) // raw: compared, not shown
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(s, sign) })
}

// gist are the sentences of a text that matter, on one line of at most n characters: all if they
// fit, else those that decide, then the first, then the last. What is left out is marked.
func gist(t model.Text, n int) model.Text {
	whole := strings.TrimSpace(t.String())
	if utf8.RuneCountInString(whole) <= n {
		return model.Text(whole)
	}
	list := sentences(t)
	var order []int
	for i, s := range list {
		if decides(model.Text(s)) {
			order = append(order, i)
		}
	}
	taken, left := make([]bool, len(list)), n
	for _, i := range append(order, 0, len(list)-1) {
		if size := utf8.RuneCountInString(list[i]) + len(" … "); !taken[i] && size <= left {
			taken[i], left = true, left-size
		}
	}
	var b strings.Builder
	for i, s := range list {
		switch {
		case taken[i] && b.Len() > 0:
			b.WriteString(" " + s)
		case taken[i]:
			b.WriteString(s)
		case !strings.HasSuffix(b.String(), "…"):
			b.WriteString(" …")
		}
	}
	if out := strings.TrimSpace(b.String()); out != "…" {
		return model.Text(out)
	}
	return model.Text(clip(model.Text(list[append(order, 0)[0]]), n)) // one sentence alone is longer
}

// sentences splits a text at line breaks and after the marks that end a sentence.
func sentences(t model.Text) (out []string) {
	for _, line := range t.Lines() {
		line = strings.TrimSpace(line)
		from := 0
		for i, r := range line {
			end := i + utf8.RuneLen(r)
			if strings.ContainsRune(".!?", r) && (end == len(line) || line[end] == ' ') {
				out, from = append(out, strings.TrimSpace(line[from:end])), end
			}
		}
		if rest := strings.TrimSpace(line[from:]); rest != "" {
			out = append(out, rest)
		}
	}
	return out
}
