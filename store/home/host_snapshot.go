package home

import (
	"cmp"
	"maps"
	"slices"

	"vise/model"
	"vise/store"
)

// snapshot is the known state of a host at one revision, as a Reader: open work, items that need the operator, the newest finished work and
// events. It does not change. Its ids end with @ and the host's name.
type snapshot struct {
	model.Reader // of known, for one goroutine
	known        store.Elsewhere
	counts       map[model.AgentID]map[model.Tally]int
	journal      []model.Entry // oldest first
	revision     uint64
	// mark is the upper part of the positions of its events.
	mark uint64
	// written are the items that the last lines brought.
	written []model.ItemID
}

func newSnapshot() *snapshot {
	return &snapshot{known: store.NothingElsewhere(), counts: map[model.AgentID]map[model.Tally]int{}}
}

// with returns s changed by the lines of a host.
func (s *snapshot) with(told []fromHost, host string, mark uint64) (*snapshot, error) {
	next := &snapshot{known: s.known, counts: maps.Clone(s.counts), journal: slices.Clone(s.journal), mark: mark}
	to := taken(host)
	for _, x := range told {
		if err := next.take(x, to, mark); err != nil {
			return nil, err
		}
	}
	if next.known.Records > maxHostRecords {
		return nil, model.Invalid("it has more than %d records", maxHostRecords)
	}
	next.journal = next.journal[max(0, len(next.journal)-keptEvents):]
	return next.reading(), nil
}

// reading returns s for another goroutine.
func (s *snapshot) reading() *snapshot {
	c := *s
	c.Reader = s.known.Reader()
	return &c
}

// keptEvents is how many events of a host are kept.
const keptEvents = 1000

func (s *snapshot) take(x fromHost, to func(string) (string, error), mark uint64) error {
	var written []model.Record
	for _, r := range x.Records {
		record, err := model.ReadRecord(r.Kind, r.Record)
		if err != nil {
			return err
		}
		if err := rename(&record, to); err != nil {
			return err
		}
		if w, ok := record.(model.WorkItem); ok {
			w.Links, w.PlanArtifact.Path = model.Links{}, "" // paths on another machine mean nothing here
			record = w
			s.written = append(s.written, w.ID)
		}
		written = append(written, record)
	}
	for i, name := range x.Gone {
		key, err := to(name.Key)
		if err != nil {
			return err
		}
		x.Gone[i].Key = key
	}
	known, err := s.known.With(written, x.Gone)
	if err != nil {
		return err
	}
	s.known = known
	if err := rename(&x.Counts, to); err != nil {
		return err
	}
	maps.Copy(s.counts, x.Counts)
	for _, e := range x.Entries {
		if err := rename(&e, to); err != nil {
			return err
		}
		e.Revision = mark | e.Revision&(1<<markShift-1)
		if n := len(s.journal); n == 0 || s.journal[n-1].Position().Before(e.Position()) {
			s.journal = append(s.journal, e)
		}
	}
	s.revision = x.Revision
	return nil
}

// markShift is where the mark of a host begins in the positions of its events. It keeps them apart from those of other homes.
const markShift = 48

func newestRow(a, b model.Row) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

// bySince is the order of the inbox: open work that waits longest first, finished work newest first.
func bySince(need model.Need, a, b model.Inboxed) int {
	if need == model.Snoozed { // earliest end first, then those that wait for a change
		last := map[bool]int{true: 1}
		return cmp.Or(last[a.SnoozedUntil.IsZero()]-last[b.SnoozedUntil.IsZero()], a.SnoozedUntil.Compare(b.SnoozedUntil),
			cmp.Compare(a.ID, b.ID))
	}
	if !need.OfOpenItem() {
		a, b = b, a
	}
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
}

// first returns the first elements of a list that match, up to limit.
func first[R any](list []R, limit int, match func(R) bool) (out []R) {
	for _, x := range list {
		if len(out) < limit && match(x) {
			out = append(out, x)
		}
	}
	return out
}

// reversed turns a list that is oldest first into one that is newest first.
func reversed[R any](list []R) []R {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// Revision implements model.Reader, as do the methods below.
func (s *snapshot) Revision() uint64 { return s.revision }

// Changed implements model.Reader. Of a host only the newest events are known.
func (s *snapshot) Changed(after uint64) (map[model.AgentID]bool, bool) {
	return nil, s.revision == after
}

// Count returns the host's own count, or else the count in the known records.
func (s *snapshot) Count(a model.AgentID, t model.Tally) int {
	if n, ok := s.counts[a][t]; ok {
		return n
	}
	return s.Reader.Count(a, t)
}

func (s *snapshot) Entries(id model.ItemID, limit int) []model.Entry {
	return first(reversed(s.journal), limit, func(e model.Entry) bool { return e.WorkItemID == id })
}

func (s *snapshot) History(a model.AgentID, after model.Position, limit int) []model.Entry {
	return first(s.journal, limit, func(e model.Entry) bool { return (a == "" || e.AgentID == a) && after.Before(e.Position()) })
}

func (s *snapshot) News(a model.AgentID, after model.Position, limit int) []model.Entry {
	return s.History(a, after, limit)
}

func (s *snapshot) HistoryBefore(a model.AgentID, before model.Position, limit int) []model.Entry {
	return first(reversed(s.journal), limit, func(e model.Entry) bool {
		return (a == "" || e.AgentID == a) && (before == model.Position{} || e.Position().Before(before))
	})
}
