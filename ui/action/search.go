package action

import (
	"cmp"
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/text"
)

// MostFound bounds the hits of a search. The search ends there and says so.
const MostFound = 1000

// Progress says how far a search is.
type Progress struct {
	// Done means that there are no more hits; Cut means that the search ended at MostFound.
	Done, Cut bool
	// Looked is the number of items or events searched, of Total; 0 if that is not known. Revision is the ledger's at the last step.
	Looked, Total int
	Revision      uint64

	filter RowFilter
	begun  bool
	// news tracks what happened since the beginning.
	news model.News
}

func (p *Progress) begin(r model.Reader, agent model.AgentID) {
	p.begun, p.Revision, p.news = true, r.Revision(), model.NewsFrom(r, agent)
}

// since returns what happened since, as much as one read may take.
func (p *Progress) since(r model.Reader) []model.Entry {
	list, news, all := p.news.Next(r, changesAtOnce)
	if p.news = news; all {
		p.Revision = r.Revision()
	}
	return list
}

// Note describes it, or is "" if the search is complete.
func (p *Progress) Note() string {
	switch {
	case p.Cut:
		return "only the first " + text.Thousands(MostFound)
	case p.Done:
		return ""
	case p.Total == 0:
		return fmt.Sprintf("searched %s …", text.Thousands(p.Looked))
	}
	return fmt.Sprintf("searched %s of %s …", text.Thousands(p.Looked), text.Thousands(p.Total))
}

// Search searches the whole ledger for items that a filter keeps. It works in steps: the first hits are shown at once, the ledger is not
// held for long, and a search can be abandoned at any time. A word is searched in handle, objective, blocker, report, the beginning of the
// plan, and unanswered questions. Once it is done, a step reads the changes since.
type Search struct {
	Progress
	// Found holds the hits so far.
	Found []model.Row
	agent model.AgentID
	// words must all occur. stored are those of them, and of the reports' words, that are stored verbatim in records.
	words, stored []model.Phrase
	// agents and classes are still to be searched by row: those with questions if there are words, else all.
	agents        []model.AgentID
	classes, each []model.Class
	// from is where to continue in the rows of a class, before is where to continue in the records. passed means that all records were
	// searched. known holds the items that were found.
	passed       bool
	from, before string
	known        map[model.ItemID]bool
	// left is how many items this step may still read.
	left int
}

// cutQuestion is the length in bytes from which a row may hold only part of a question.
const cutQuestion = 200

// Bounds of a step, which takes about 10 ms: the rows that it searches, the items that it reads, and the changes since.
const (
	rowsAtOnce    = 20_000
	itemsAtOnce   = 200
	changesAtOnce = 500
)

// fewAmong is a ratio: reading one item by its row takes as long as searching this many records.
const fewAmong = 50

// NewSearch searches for items of an agent that f keeps; with an empty agent, of all agents.
func NewSearch(f RowFilter, agent model.AgentID) Search {
	s := Search{Progress: Progress{filter: f}, agent: agent, known: map[model.ItemID]bool{}}
	for _, t := range f.terms {
		switch p := model.PhraseOf(t.arg); {
		case t.not:
		case t.kind == "" || t.kind == "exact":
			s.words, s.stored = append(s.words, p), append(s.stored, p.Stored())
		case t.kind == "text":
			s.stored = append(s.stored, p.Stored())
		}
	}
	return s
}

// Step continues the search for as long as one read of the ledger may take.
func (s *Search) Step(r model.Reader) {
	s.left = itemsAtOnce
	if !s.begun {
		s.start(r)
	}
	if s.Done {
		s.catchUp(r)
		return
	}
	if len(s.stored) > 0 && s.before == "" && !s.passed { // the newest records first: most hits of a word are in records
		if s.records(r); !s.passed {
			return
		}
	}
	if len(s.agents) > 0 && !s.Done {
		s.rows(r)
	}
	switch {
	case len(s.agents) > 0 || s.left <= 0 || s.Done:
	case len(s.stored) == 0 || s.passed:
		s.Done = true
	default:
		s.records(r)
	}
}

// start determines where hits can be. Searching a record takes a fraction of the time of reading an item by its row. So with words, all
// records are searched, and rows only for open questions, unless the wanted agents and classes have few items.
func (s *Search) start(r model.Reader) {
	s.begin(r, s.agent)
	s.each = s.filter.classes()
	all, meant := 0, 0
	for a := range model.AllAgents(r) {
		all += r.Count(a.ID, model.TallyOpen) + r.Count(a.ID, model.TallyCompleted)
		if (s.agent == "" || s.agent == a.ID) && s.filter.mayBeOf(a.ID) {
			s.agents = append(s.agents, a.ID)
			for _, c := range s.each {
				meant += r.Count(a.ID, model.ClassTally(c))
			}
		}
	}
	s.Total = meant
	switch {
	case len(s.stored) == 0:
	case meant*fewAmong <= all:
		s.words, s.stored = nil, nil
	default:
		s.Total = all
		s.each = slices.DeleteFunc(s.each, func(c model.Class) bool { return len(s.words) == 0 || c != model.WaitingForOperator })
	}
	if len(s.each) == 0 {
		s.agents = nil
	}
	s.classes = s.each
}

// rows searches the next rows.
func (s *Search) rows(r model.Reader) {
	for looked := 0; looked < rowsAtOnce && s.left > 0 && len(s.agents) > 0 && !s.Done; {
		found, next, n := r.ItemsOf(s.agents[0], s.classes[0], s.from, s.left, s.mayMeet)
		s.take(r, found)
		looked += n
		if len(s.stored) == 0 {
			s.Looked += n
		}
		s.from = next
		if next != "" {
			continue
		}
		if s.classes = s.classes[1:]; len(s.classes) == 0 {
			s.agents, s.classes = s.agents[1:], s.each
		}
	}
}

// records searches the next records.
func (s *Search) records(r model.Reader) {
	found, next, looked := r.Items(s.before, s.left, s.mayBe)
	s.take(r, found)
	s.before, s.passed, s.Looked = next, next == "", min(s.Looked+looked, s.Total)
	s.Done = s.Done || s.passed && len(s.agents) == 0
}

// mayBe judges a record in its stored form.
func (s *Search) mayBe(stored []byte) bool {
	if !model.StoredHolds(stored, s.stored) {
		return false
	}
	row := model.StoredRow(stored)
	return (s.agent == "" || row.AgentID == s.agent) && s.filter.mayKeep(row)
}

// take adds the items that the filter keeps.
func (s *Search) take(r model.Reader, items []model.WorkItem) {
	s.left -= len(items)
	for _, w := range items {
		s.meet(r, w)
	}
}

// mayMeet judges a row as far as a row can tell: a row with a question by its question, all others by the terms that are not words.
func (s *Search) mayMeet(row model.Row) bool {
	if len(s.words) > 0 {
		asks := row.Wait.Question
		return len(asks) >= cutQuestion || slices.ContainsFunc(s.words, func(p model.Phrase) bool { return p.InText(asks) })
	}
	return !slices.ContainsFunc(s.filter.terms, func(t filterTerm) bool {
		return t.kind != "" && t.kind != "exact" && s.filter.holds(t, row) == t.not
	})
}

// meet adds an item if the filter keeps it.
func (s *Search) meet(r model.Reader, w model.WorkItem) {
	if s.agent != "" && w.AgentID != s.agent || s.known[w.ID] {
		return
	}
	waits := r.ItemWaits(w.AgentID, w.ID)
	a, _ := r.Agent(w.AgentID)
	row := model.RowOf(w, waits, a.CurrentWorkItemID == w.ID)
	for _, t := range s.filter.terms {
		if s.filter.holdsOf(t, w, waits, row) == t.not {
			return
		}
	}
	if len(s.Found) == MostFound {
		s.Done, s.Cut = true, true
		return
	}
	s.known[w.ID], s.Found = true, append(s.Found, row)
}

// catchUp searches the items again that changed after they were searched.
func (s *Search) catchUp(r model.Reader) {
	changed := map[model.ItemID]bool{}
	for _, e := range s.since(r) {
		changed[e.WorkItemID] = true
	}
	for _, row := range s.Found { // losing the focus is not a change of the item
		if a, _ := r.Agent(row.AgentID); row.IsCurrent && a.CurrentWorkItemID != row.ID {
			changed[row.ID] = true
		}
	}
	s.Found = slices.DeleteFunc(slices.Clone(s.Found), func(row model.Row) bool { return changed[row.ID] })
	for id := range changed {
		delete(s.known, id)
		if w, ok := r.Item(id); ok {
			s.meet(r, w)
		}
	}
}

// InOrder returns the hits in the scheduler's order, the focus first.
func (s *Search) InOrder() []model.Row {
	return slices.SortedFunc(slices.Values(s.Found), func(a, b model.Row) int {
		if a.IsCurrent != b.IsCurrent {
			return map[bool]int{true: -1, false: 1}[a.IsCurrent]
		}
		return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), slices.Compare(a.SortKey(), b.SortKey()))
	})
}
