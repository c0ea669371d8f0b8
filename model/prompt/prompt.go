// Package prompt is what an agent is shown: why it was woken, the current work item in
// full, what else waits, and what was said to it. It is pure, and its text is for a program's
// input, never for a terminal.
//
// Fit (layers.go) tells a model, in words within a budget; Of tells a program, as data.
package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
	"vise/model/thread"
	"vise/model/todo"
)

// Context is everything that a turn begins with, as data for a program that speaks rounds.
type Context struct {
	AgentID model.AgentID `json:"agent_id"`
	Turn    int           `json:"turn"`
	// Tick is the key of the tick that the turn answers; empty when messages woke the agent.
	Tick string `json:"tick,omitempty"`
	// Current is the focus; nothing else may be worked on without a pick.
	Current *Item `json:"current,omitempty"`
	// Offered is what the tick is about, when that is not the focus.
	Offered  *Item           `json:"offered,omitempty"`
	Rechecks []Item          `json:"rechecks,omitempty"`
	Messages []model.Message `json:"messages,omitempty"`
	Groups   []group         `json:"candidates,omitempty"`
	At       time.Time       `json:"at"`
}

// Item is one work item with what an agent needs to go on with it.
type Item struct {
	model.View
	Advice []model.Advice     `json:"advice,omitempty"`
	Trace  []model.TraceEntry `json:"trace,omitempty"`
	// Evidence is what was seen to check the work; nil where nothing was and none is asked for.
	Evidence *model.Evidence `json:"evidence,omitempty"`
	Left
}

// Left is where the work on an item was left, as the files of its repositories have it.
type Left struct {
	// Thread is the item's thread; nil when there is none or it was not read.
	Thread *thread.Card `json:"thread,omitempty"`
	// Todos are the open file todos that the item links to.
	Todos []LinkedTodo `json:"linked_todos,omitempty"`
}

// LinkedTodo is a file todo that an item links to, as its file is now.
type LinkedTodo struct {
	Todo   todo.Ref    `json:"todo"`
	Base   model.Text  `json:"todos_base"`
	Status todo.Status `json:"status,omitempty"`
	Title  model.Text  `json:"title,omitempty"`
	// Missing is the reason why the file cannot be shown.
	Missing string `json:"missing,omitempty"`
}

// group is the beginning of a candidate class, and its whole size.
type group struct {
	Class model.Class `json:"class"`
	Total int         `json:"total"`
	Rows  []model.Row `json:"rows"`
}

// shownTrace is how many rounds an agent is reminded of.
const shownTrace = 5

// Of reads the context of the agent's running turn.
func Of(f model.Facts, agent model.AgentID, now time.Time) Context {
	a, _ := f.Agent(agent)
	c := Context{AgentID: agent, At: now}
	read := func(id model.ItemID) *Item {
		w, ok := f.Item(id)
		if !ok || w.AgentID != agent {
			return nil
		}
		return itemOf(f, w, now)
	}
	if w, ok := model.Focus(f, agent); ok {
		c.Current = read(w.ID)
	}
	if a.Turn != nil {
		c.Turn, c.Tick = a.Turn.Index, a.Turn.Tick
		if a.Turn.OfferedID != "" && a.Turn.OfferedID != a.CurrentWorkItemID {
			c.Offered = read(a.Turn.OfferedID)
		}
		for _, id := range a.Turn.Rechecks {
			if x := read(id); x != nil && x.BlockedBy != "" {
				c.Rechecks = append(c.Rechecks, *x)
			}
		}
		for _, id := range a.Turn.Messages {
			if m, ok := f.Message(id); ok {
				c.Messages = append(c.Messages, m)
			}
		}
	}
	c.Groups = groups(f, agent)
	return c
}

func itemOf(f model.Facts, w model.WorkItem, now time.Time) *Item {
	x := &Item{View: model.ViewOf(f, w), Advice: model.Advise(f, w, now)}
	t, _ := f.Trace(w.AgentID, w.ID)
	x.Trace = t.Entries[max(0, len(t.Entries)-shownTrace):]
	if e := model.EvidenceOf(f, w); e.IsKnown() {
		x.Evidence = &e
	}
	return x
}

// groups are the candidates by class; the current item is shown apart and left out.
func groups(f model.Facts, agent model.AgentID) []group {
	var out []group
	for _, class := range model.Classes[1:] {
		g := group{Class: class, Total: f.Count(agent, model.ClassTally(class))}
		for _, r := range f.Rows(agent, class, nil, class.Limit()+1) {
			shown := !r.IsCurrent && (class != model.CompletedRecent || r.Reported)
			if shown && len(g.Rows) < class.Limit() {
				g.Rows = append(g.Rows, r)
			}
		}
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Options bound a layered context.
type Options struct {
	// Budget is how many tokens the text may have, by Tokens; zero is DefaultBudget.
	Budget int
	// Left is where the work on the focus was left.
	Left
	// Now is when reminders are due; zero leaves out those of time.
	Now time.Time
}

// DefaultBudget is the budget of Holon's request context.
const DefaultBudget = 4096

// runesPerToken is the estimate: four characters are a token, rounded up.
const runesPerToken = 4

// Tokens estimates how many tokens a text is.
func Tokens(s string) int { return (utf8.RuneCountInString(s) + runesPerToken - 1) / runesPerToken }

// Layered is the work context of an agent within a budget. The same ledger revision, budget,
// instant and plan files give the same bytes.
type Layered struct {
	AgentID  model.AgentID `json:"agent_id"`
	Revision uint64        `json:"revision"`
	Budget   int           `json:"budget_tokens"`
	Tokens   int           `json:"tokens"`
	// Current is the focus; empty when there is none.
	Current model.ItemID `json:"current_work_item_id,omitempty"`
	// Layers are those that fit, in the order of their priority.
	Layers []Layer `json:"layers"`
	// Left are the names of those that did not.
	Left []string `json:"left_out,omitempty"`
}

// Layer is one part of the context, as much of it as the budget allowed.
type Layer struct {
	Name   string `json:"name"`
	Detail detail `json:"detail"`
	// Total counts what the layer is about; Shown names the items in it.
	Total int            `json:"total,omitempty"`
	Shown []model.ItemID `json:"shown,omitempty"`
	Text  string         `json:"text"`
}

// detail is how much of a layer is shown.
type detail string

// The details, least first. A layer falls from one to the next as a whole.
const (
	Counts  detail = "counts"
	Compact detail = "compact"
	Full    detail = "full"
)

// layer is a Layer with all its forms, least first; empty forms are left out.
type layer struct {
	name  string
	total int
	forms []form
	// class: it lists candidates, and goes before the classes after it.
	class bool
}

// listed is how many items a form tells of.
func (l layer) listed(form int) int {
	if form < 0 || len(l.forms) == 0 {
		return 0
	}
	return len(l.forms[form].shown)
}

type form struct {
	detail detail
	text   string
	shown  []model.ItemID
}

// Fit reads an agent's work context within a budget: every layer at its least, then, in the
// order of priority, each as full as the rest of the budget allows.
func Fit(r model.Reader, agent model.AgentID, o Options) Layered {
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	out := Layered{AgentID: agent, Revision: r.Revision(), Budget: o.Budget, Layers: []Layer{}}
	a, _ := r.Agent(agent)
	all := []layer{heading(agent, out.Revision), turnOf(a, o.Now)}
	if w, ok := model.Focus(r, agent); ok {
		out.Current = w.ID
		all = append(all, current(r, w, o)...)
	} else {
		all = append(all, layerOf("current", 0, "Current work item: none", "",
			"Current work item: none. PickWorkItem before you work; only a pick sets the focus."))
	}
	all = append(append(all, ownWaits(r, agent)), otherItems(r, a, out.Current)...)
	all = append(all, candidates(r, agent)...)
	out.settle(all)
	return out
}

// settle chooses a form of each layer.
func (l *Layered) settle(all []layer) {
	budget := max(0, l.Budget) * runesPerToken
	chosen := make([]int, len(all))
	for i, x := range all {
		chosen[i] = -1
		if len(x.forms) > 0 && x.forms[0].size() <= budget {
			chosen[i] = 0
			budget -= x.forms[0].size()
		}
	}
	most := Full // no class is fuller than one before it; after one that leaves items out, the others have their counts alone
	for i, x := range all {
		for n := len(x.forms) - 1; n > chosen[i] && chosen[i] >= 0; n-- {
			if x.class && (most == Counts || most == Compact && x.forms[n].detail == Full) {
				continue
			}
			if more := x.forms[n].size() - x.forms[chosen[i]].size(); more <= budget {
				budget -= more
				chosen[i] = n
			}
		}
		switch {
		case !x.class || chosen[i] == len(x.forms)-1:
		case x.listed(chosen[i]) < x.listed(len(x.forms)-1):
			most = Counts
		case most == Full:
			most = Compact
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

// size is what a form takes of the budget, its line break counted.
func (f form) size() int { return utf8.RuneCountInString(f.text) + 1 }

// TellsAll reports whether a layer is there in full.
func (l Layered) TellsAll(name string) bool {
	return slices.ContainsFunc(l.Layers, func(x Layer) bool { return x.Name == name && x.Detail == Full })
}

// Text is the context for a model to read.
func (l Layered) Text() string {
	text := ""
	for _, x := range l.Layers {
		text += x.Text + "\n"
	}
	return text
}

// layerOf makes a layer of texts, least first. A text that equals a lesser one is left out.
func layerOf(name string, total int, counts, compact, full string) layer {
	l := layer{name: name, total: total}
	for i, text := range []string{counts, compact, full} {
		known := slices.ContainsFunc(l.forms, func(f form) bool { return f.text == text })
		if text != "" && !known {
			l.forms = append(l.forms, form{detail: []detail{Counts, Compact, Full}[i], text: text})
		}
	}
	if n := len(l.forms); n > 0 {
		l.forms[n-1].detail = Full
	}
	return l
}

// layerOfSome is a layer of things that are counted; without any there is none.
func layerOfSome(name string, total int, counts, compact, full string) layer {
	if total == 0 {
		return layer{}
	}
	return layerOf(name, total, counts, compact, full)
}

// clip is a text on one line, safe to show, of at most n characters.
func clip(t model.Text, n int) string {
	s := strings.TrimSpace(t.String())
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Rules tell an agent what a turn asks of it.
const Rules = `What to do:
Work on the current work item and no other; only a pick sets it. Keep its todo list and plan file true.
Complete it in the same reply as your report: the reply's text becomes the report.
If you cannot go on, wait for what would wake you, with a reason; then end your turn.
A trigger is a hint, not a permission: look whether the blocker is really gone, then clear it.
`

// Messages spells messages to an agent, whole: they are the input of a turn, not its context,
// and no budget cuts them. The bar before each line keeps them apart from what vise says.
// Without messages it is empty.
func Messages(list []model.Message) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nMessages for you:\n")
	for _, m := range list {
		fmt.Fprintf(&b, "From %s (%s, %s)%s:\n| %s\n", m.Origin, m.Priority, m.CreatedAt.UTC().Format(time.RFC3339), about(m),
			strings.ReplaceAll(m.Body.Multiline(), "\n", "\n| "))
	}
	return b.String()
}

func about(m model.Message) string {
	out := ""
	if m.Source != "" {
		out += " through " + clip(m.Source, noteText)
	}
	if m.WorkItemID != "" {
		out += " about " + string(m.WorkItemID)
	}
	if m.Question != "" {
		out += ", asked: " + clip(m.Question, waitText)
	}
	if note := m.Note(); note != "" {
		out += "; it is " + note
	}
	return out
}
