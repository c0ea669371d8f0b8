package model

import "time"

// StripMark is what an agent did in a share of time, as one mark on its strip.
type StripMark int

// The marks. Work is told by how many events a minute it had: none while a turn runs, or less than one;
// one; two; four and more.
const (
	StripUnread StripMark = iota
	StripNothing
	StripWork1
	StripWork2
	StripWork3
	StripWork4
	StripTriggered
	StripAsks
	StripCompleted
	StripFailed
)

// MaxStrip is the longest time that a strip tells of.
const MaxStrip = 24 * time.Hour

// Strip tells what an agent did in cells of equal length, the last of which holds now: what its events say, and
// what its records say still goes on.
func (t Track) Strip(m FleetMember, now time.Time, cell time.Duration, cells int) []StripMark {
	s := strip{begin: StripBegin(now, cell, cells), cell: cell, now: now, cells: make([]stripCell, cells),
		asked: map[string]time.Time{}, came: map[string]time.Time{}}
	for _, x := range t.steps {
		s.add(x)
	}
	if a := m.Agent; a.Turn.Runs(now) {
		s.fill(a.Turn.StartedAt, now, isBusy)
	}
	if m.Asks != nil {
		s.fill(m.Asks.Since, now, isAsking)
	}
	if m.Came != nil {
		s.fill(m.Came.Since, now, isTriggered)
	}
	for _, at := range s.came {
		s.fill(at, now, isTriggered)
	}
	out := make([]StripMark, cells)
	for i, c := range s.cells {
		end := s.begin.Add(time.Duration(i+1) * cell)
		if out[i] = c.mark(cell); out[i] == StripNothing && !t.since.Before(end) {
			out[i] = StripUnread
		}
	}
	return out
}

// StripBegin is when a strip begins whose cells are as long, the last of which holds now.
func StripBegin(now time.Time, cell time.Duration, cells int) time.Time {
	return now.Truncate(cell).Add(cell - time.Duration(cells)*cell)
}

// strip is one that is being made.
type strip struct {
	begin, now time.Time
	cell       time.Duration
	cells      []stripCell
	// asked are the questions that have no answer yet, came the items with triggers that nobody looked at.
	asked, came map[string]time.Time
}

// stripCell is what is known of one share of the time.
type stripCell struct {
	// told is the greatest mark of what happened in it, work how many events were work.
	told StripMark
	work int
	is   stripState
}

// stripState is what goes on for a while.
type stripState int

const (
	isBusy stripState = 1 << iota
	isAsking
	isTriggered
)

func (s *strip) at(t time.Time) int {
	if t.Before(s.begin) {
		return -1
	}
	return min(int(t.Sub(s.begin)/s.cell), len(s.cells)-1)
}

// fill has cells from one instant to another be in a state.
func (s *strip) fill(from, to time.Time, is stripState) {
	for i := max(s.at(from), 0); i <= s.at(to); i++ {
		s.cells[i].is |= is
	}
}

func (s *strip) tell(at time.Time, m StripMark) {
	if i := s.at(at); i >= 0 {
		s.cells[i].told = max(s.cells[i].told, m)
	}
}

func (s *strip) add(x trackStep) {
	switch x.kind {
	case trackWork:
		if i := s.at(x.at); i >= 0 {
			s.cells[i].work += x.events
		}
	case trackTurn:
		if x.from.Before(x.at) {
			s.fill(x.from, x.at, isBusy)
		}
	case trackFailed:
		s.tell(x.at, StripFailed)
	case trackCompleted:
		s.tell(x.at, StripCompleted)
	case trackAsked:
		s.tell(x.at, StripAsks)
		s.asked[x.of] = x.at
	case trackAnswered, trackUnasked:
		from, known := s.asked[x.of] // one that was asked before is known by its answer alone
		if known || x.kind == trackAnswered {
			s.fill(from, x.at, isAsking)
		}
		delete(s.asked, x.of)
	case trackTriggered:
		s.tell(x.at, StripTriggered)
		if _, known := s.came[x.of]; !known {
			s.came[x.of] = x.at
		}
	case trackLooked:
		if from, known := s.came[x.of]; known {
			s.fill(from, x.at, isTriggered)
			delete(s.came, x.of)
		}
	}
}

// mark is the one mark of a cell: what happened in it, else its work, else what goes on.
func (c stripCell) mark(cell time.Duration) StripMark {
	minutes := max(int(cell/time.Minute), 1)
	switch {
	case c.told != 0:
		return c.told
	case c.work >= 4*minutes:
		return StripWork4
	case c.work >= 2*minutes:
		return StripWork3
	case c.work >= minutes:
		return StripWork2
	case c.work > 0 || c.is&isBusy != 0:
		return StripWork1
	case c.is&isAsking != 0:
		return StripAsks
	case c.is&isTriggered != 0:
		return StripTriggered
	}
	return StripNothing
}
