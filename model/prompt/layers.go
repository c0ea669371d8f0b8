package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vise/model"
	"vise/model/thread"
)

// Reader is what the layered context asks of the ledger.
type Reader interface {
	model.Facts
	Revision() uint64
}

// Options bound a layered context.
type Options struct {
	// Budget is how many tokens the text may have, by Tokens; zero is DefaultBudget.
	Budget int
	// Card is where the work was left in the repository; nil when it was not read.
	Card *thread.Card
}

// DefaultBudget is the budget of Holon's request context.
const DefaultBudget = 4096

// runesPerToken is the estimate: four characters are a token, rounded up.
const runesPerToken = 4

// Tokens estimates how many tokens a text is.
func Tokens(s string) int { return (utf8.RuneCountInString(s) + runesPerToken - 1) / runesPerToken }

// Layered is the work context of an agent within a budget. The same ledger revision, budget
// and plan files give the same bytes.
type Layered struct {
	AgentID  model.AgentID `json:"agent_id"`
	Revision uint64        `json:"revision"`
	Budget   int           `json:"budget_tokens"`
	Tokens   int           `json:"tokens"`
	// Current is the focus; empty when there is none.
	Current model.ItemID `json:"current_work_item_id,omitempty"`
	// Layers are those that found room, in the order of their priority.
	Layers []Layer `json:"layers"`
	// Left are the names of those that found none.
	Left []string `json:"left_out,omitempty"`
}

// Layer is one part of the context, as much of it as the budget allowed.
type Layer struct {
	Name   string `json:"name"`
	Detail Detail `json:"detail"`
	// Total counts what the layer is about; Shown names the items told of.
	Total int            `json:"total,omitempty"`
	Shown []model.ItemID `json:"shown,omitempty"`
	Text  string         `json:"text"`
}

// Detail is how much of a layer is told.
type Detail string

// The details, least first. A layer falls from one to the next as a whole.
const (
	Counts  Detail = "counts"
	Compact Detail = "compact"
	Full    Detail = "full"
)

// layer is a Layer with all its forms, least first; empty forms are not told.
type layer struct {
	name  string
	total int
	forms []form
}

type form struct {
	detail Detail
	text   string
	shown  []model.ItemID
}

// Fit reads an agent's work context within a budget: every layer at its least, then, in the
// order of priority, each as full as the rest of the budget allows.
func Fit(r Reader, agent model.AgentID, o Options) Layered {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	out := Layered{AgentID: agent, Revision: r.Revision(), Budget: o.Budget, Layers: []Layer{}}
	a, _ := r.Agent(agent)
	all := []layer{heading(agent, out.Revision), turnOf(a)}
	if w, ok := model.Focus(r, agent); ok {
		out.Current = w.ID
		all = append(append(all, current(r, w)...), threadOf(o.Card))
	} else {
		all = append(all, noCurrent())
	}
	all = append(all, besideFocus(r, a, out.Current)...)
	all = append(all, candidates(r, agent)...)
	out.settle(all)
	return out
}

// settle chooses a form of each layer.
func (l *Layered) settle(all []layer) {
	room := max(0, l.Budget) * runesPerToken
	chosen := make([]int, len(all))
	for i, x := range all {
		chosen[i] = -1
		if len(x.forms) > 0 && x.forms[0].size() <= room {
			chosen[i] = 0
			room -= x.forms[0].size()
		}
	}
	for i, x := range all {
		for n := len(x.forms) - 1; n > chosen[i] && chosen[i] >= 0; n-- {
			if more := x.forms[n].size() - x.forms[chosen[i]].size(); more <= room {
				room -= more
				chosen[i] = n
			}
		}
	}
	for i, x := range all {
		if len(x.forms) == 0 {
			continue
		}
		if chosen[i] < 0 {
			l.Left = append(l.Left, x.name)
			continue
		}
		f := x.forms[chosen[i]]
		l.Layers = append(l.Layers, Layer{Name: x.name, Detail: f.detail, Total: x.total, Shown: f.shown, Text: f.text})
	}
	l.Tokens = Tokens(l.Text())
}

// size is what a form takes of the room, its line break counted.
func (f form) size() int { return utf8.RuneCountInString(f.text) + 1 }

// Text is the context for a model to read.
func (l Layered) Text() string {
	var b strings.Builder
	for _, x := range l.Layers {
		b.WriteString(x.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// layerOf makes a layer of texts, least first. A text that equals a lesser one is left out.
func layerOf(name string, total int, counts, compact, full string) layer {
	l := layer{name: name, total: total}
	for i, text := range []string{counts, compact, full} {
		known := slices.ContainsFunc(l.forms, func(f form) bool { return f.text == text })
		if text != "" && !known {
			l.forms = append(l.forms, form{detail: []Detail{Counts, Compact, Full}[i], text: text})
		}
	}
	if n := len(l.forms); n > 0 {
		l.forms[n-1].detail = Full
	}
	return l
}

// clip is a text on one line, safe to show, of at most n characters.
func clip(t model.Text, n int) string {
	s := strings.TrimSpace(t.String())
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
