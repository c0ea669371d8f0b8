package action

import (
	"slices"

	"vise/model"
)

// EventSearch searches the whole history of all agents, newest first, for the events that a filter keeps. It works in steps as Search does
// for items.
type EventSearch struct {
	Progress
	// Found holds the hits so far, the newest first.
	Found []model.Entry
	work  bool
	// before is where the search continues.
	before model.Position
}

// eventsAtOnce bounds a step, which takes about 10 ms.
const eventsAtOnce = 500

// NewEventSearch searches for events that f keeps: those that tell of work, or with a term kind: all.
func NewEventSearch(f RowFilter) EventSearch {
	return EventSearch{Progress: Progress{filter: f}, work: !f.has("kind")}
}

// Step continues the search for as long as one read of the ledger may take. Once the search is done, it reads the events since.
func (s *EventSearch) Step(r model.Reader) {
	if !s.begun {
		s.begin(r, "")
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
	items := map[model.ItemID]model.WorkItem{}
	found := slices.Clone(s.Found)
	for _, e := range s.since(r) {
		// Some events of a host that was connected meanwhile may have been found already.
		known := slices.ContainsFunc(found, func(x model.Entry) bool { return x.Position() == e.Position() })
		if !known && s.keeps(r, e, items) {
			found = slices.Insert(found, newer(found, e), e)
		}
	}
	s.Found = found[:min(len(found), MostFound)]
}

// newer returns how many events of found, which is ordered newest first, precede e: the newer events of other homes.
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
