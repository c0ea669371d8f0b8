package action

import (
	"cmp"
	"slices"

	"vise/model"
)

// MostFound bounds what a search finds: it ends there, and says so.
const MostFound = 1000

// Search looks for what a filter keeps of the whole ledger, step by step, so that the first hits are shown at
// once, nobody waits for the ledger, and whoever asks for something else just stops. A word is looked for in handle,
// objective, blocker, report, the beginning of the plan, and questions that wait for an answer.
type Search struct {
	// Found are the hits so far. Done: there are no more; Cut: it ended at MostFound.
	Found     []model.Row
	Done, Cut bool

	filter RowFilter
	agent  model.AgentID
	// words must all be there; stored is as much of them as records hold as it is.
	words, stored []model.Phrase
	// agents and classes are left to look at by row: with words those that ask, else all.
	agents  []model.AgentID
	classes []model.Class
	after   *model.Row
	// items: rows are done, and the items are looked at, from below before.
	begun, items bool
	before       model.ItemID
	known        map[model.ItemID]bool
}

// cutQuestion is the length in bytes from which a row may not hold all of a question.
const cutQuestion = 200

// rowsAtOnce bounds the rows that a step looks at: some 10 ms.
const rowsAtOnce = 5000

// NewSearch looks for what f keeps of an agent's items; with an empty agent of all.
func NewSearch(f RowFilter, agent model.AgentID) Search {
	s := Search{filter: f, agent: agent, known: map[model.ItemID]bool{}}
	for _, t := range f.terms {
		if !t.not && (t.kind == "" || t.kind == "exact") {
			p := model.PhraseOf(t.arg)
			s.words, s.stored = append(s.words, p), append(s.stored, p.Stored())
		}
	}
	return s
}

// Step looks on, as long as one reading of the ledger may take.
func (s *Search) Step(r model.Reader) {
	switch {
	case !s.begun:
		s.begin(r)
	case s.items:
		s.before = r.Items(s.before, func(stored []byte) bool { return model.StoredHolds(stored, s.stored) },
			func(w model.WorkItem) bool { return s.meets(r, w) })
		s.Done = s.Done || s.before == ""
	case len(s.agents) == 0:
		s.items, s.Done = len(s.words) > 0, len(s.words) == 0
	default:
		s.rows(r)
	}
}

// begin finds out which agents and classes may hold something.
func (s *Search) begin(r model.Reader) {
	s.begun = true
	for a := range model.AllAgents(r) {
		if s.agent == "" || s.agent == a.ID {
			s.agents = append(s.agents, a.ID)
		}
	}
	s.classes = model.Classes
	if len(s.words) > 0 {
		s.classes = []model.Class{model.WaitingForOperator}
	}
}

// rows looks at the next rows of a class.
func (s *Search) rows(r model.Reader) {
	for left := rowsAtOnce; left > 0 && len(s.agents) > 0 && !s.Done; {
		rows := r.Rows(s.agents[0], s.classes[0], s.after, left)
		for i := range rows {
			if s.mayMeet(rows[i]) {
				if w, ok := r.Item(rows[i].ID); ok && !s.meets(r, w) {
					return
				}
			}
		}
		if len(rows) == left {
			s.after = &rows[len(rows)-1]
			return
		}
		left -= len(rows)
		s.nextClass()
	}
}

func (s *Search) nextClass() {
	if s.after, s.classes = nil, s.classes[1:]; len(s.classes) > 0 {
		return
	}
	s.agents, s.classes = s.agents[1:], model.Classes
	if len(s.words) > 0 {
		s.classes = []model.Class{model.WaitingForOperator}
	}
}

// mayMeet judges a row as far as rows go: those that ask by their question, all others by what is no word.
func (s *Search) mayMeet(row model.Row) bool {
	if len(s.words) > 0 {
		asks := row.Wait.Question
		return len(asks) >= cutQuestion || slices.ContainsFunc(s.words, func(p model.Phrase) bool { return p.InText(asks) })
	}
	return !slices.ContainsFunc(s.filter.terms, func(t filterTerm) bool {
		return t.kind != "" && t.kind != "exact" && s.filter.holds(t, row) == t.not
	})
}

// meets takes an item if the filter keeps it, and reports whether there is room for more.
func (s *Search) meets(r model.Reader, w model.WorkItem) bool {
	if s.agent != "" && w.AgentID != s.agent || s.known[w.ID] {
		return true
	}
	waits := r.ItemWaits(w.AgentID, w.ID)
	a, _ := r.Agent(w.AgentID)
	row := model.RowOf(w, waits, a.CurrentWorkItemID == w.ID)
	for _, t := range s.filter.terms {
		holds := false
		if t.kind == "" || t.kind == "exact" {
			word := model.PhraseOf(t.arg)
			holds = slices.ContainsFunc(w.Texts(waits), word.InText)
		} else {
			holds = s.filter.holds(t, row)
		}
		if holds == t.not {
			return true
		}
	}
	if len(s.Found) == MostFound {
		s.Done, s.Cut = true, true
		return false
	}
	s.known[w.ID], s.Found = true, append(s.Found, row)
	return true
}

// InOrder are the hits in the scheduler's order, the focus first.
func (s *Search) InOrder() []model.Row {
	return slices.SortedFunc(slices.Values(s.Found), func(a, b model.Row) int {
		if a.IsCurrent != b.IsCurrent {
			return map[bool]int{true: -1, false: 1}[a.IsCurrent]
		}
		return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), slices.Compare(a.SortKey(), b.SortKey()))
	})
}
