package action

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/text"
)

// EventSearch looks for the events that a filter keeps in the whole history of all agents, the newest first, as Search does for
// items.
type EventSearch struct {
	// Found are the hits so far, the newest first, and Names what they speak of. Done: there are no more; Cut: it ended at
	// MostFound.
	Found     []model.Entry
	Done, Cut bool
	// Looked is how many events it has passed; Revision is the one of the ledger that it knows.
	Looked   int
	Revision uint64

	filter RowFilter
	work   bool
	begun  bool
	// before is where it goes on, news what it knows of what came since it began.
	before model.Position
	news   model.News
}

// eventsAtOnce bounds a step, which lasts some 10 ms.
const eventsAtOnce = 500

// NewEventSearch looks for what f keeps; with work alone, only for what tells of work.
func NewEventSearch(f RowFilter, work bool) EventSearch { return EventSearch{filter: f, work: work} }

// Step looks on, as long as one reading of the ledger may take; once it is done, at what has happened since.
func (s *EventSearch) Step(r model.Reader) {
	if !s.begun {
		s.begun, s.Revision, s.news = true, r.Revision(), model.NewsFrom(r, "")
	}
	if s.Done {
		s.catchUp(r)
		return
	}
	page := r.HistoryBefore("", s.before, eventsAtOnce)
	items := map[model.ItemID]model.WorkItem{}
	for _, e := range page {
		s.before, s.Looked = e.Position(), s.Looked+1
		if !s.keeps(r, e, items) {
			continue
		}
		if len(s.Found) == MostFound {
			s.Done, s.Cut = true, true
			return
		}
		s.Found = append(s.Found, e)
	}
	s.Done = len(page) < eventsAtOnce
}

func (s *EventSearch) catchUp(r model.Reader) {
	list, news, all := s.news.Next(r, eventsAtOnce)
	if s.news = news; all {
		s.Revision = r.Revision()
	}
	items := map[model.ItemID]model.WorkItem{}
	found := slices.Clone(s.Found)
	for _, e := range list {
		// Of a host that came meanwhile, some may have been found.
		known := slices.ContainsFunc(found, func(x model.Entry) bool { return x.Position() == e.Position() })
		if !known && s.keeps(r, e, items) {
			found = slices.Insert(found, newer(found, e), e)
		}
	}
	s.Found = found[:min(len(found), MostFound)]
}

// newer is how many events, the newest first, stand before a new one of its home: those of other homes that are newer.
func newer(found []model.Entry, e model.Entry) int {
	for i, x := range found {
		if model.HostOf(x.AgentID) == model.HostOf(e.AgentID) || !x.At.After(e.At) {
			return i
		}
	}
	return len(found)
}

func (s *EventSearch) keeps(r model.Reader, e model.Entry, items map[model.ItemID]model.WorkItem) bool {
	if s.work && !OfWork(e) {
		return false
	}
	if _, known := items[e.WorkItemID]; !known && e.WorkItemID != "" {
		items[e.WorkItemID], _ = r.Item(e.WorkItemID)
	}
	return s.filter.KeepsEvent(e, items[e.WorkItemID])
}

// Note says how far it is, where it is not whole; else nothing.
func (s *EventSearch) Note() string {
	switch {
	case s.Cut:
		return fmt.Sprintf("only the newest %s", text.Thousands(MostFound))
	case !s.Done:
		return fmt.Sprintf("searched %s events …", text.Thousands(s.Looked))
	}
	return ""
}
