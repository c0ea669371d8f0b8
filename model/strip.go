package model

import "time"

// StripMark is one mark on an agent's strip: what the agent did in a part of the time.
type StripMark int

// The marks. The marks of work show its events in a minute: none while a turn runs, or less than one; one; two; four and more.
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

// StripTime is the time that a strip covers.
const StripTime = time.Hour

// Strip shows what an agent did, in cells of equal length; the last cell contains now. It combines the agent's events with the
// states in its records that still last.
func (t Track) Strip(m FleetMember, now time.Time, cell time.Duration, cells int) []StripMark {
	s := strip{begin: StripBegin(now, cell, cells), cell: cell, cells: make([]stripCell, cells),
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

// StripBegin is the start of a strip with such cells, the last of which contains now.
func StripBegin(now time.Time, cell time.Duration, cells int) time.Time {
	return now.Truncate(cell).Add(cell - time.Duration(cells)*cell)
}

// strip is a strip in the making.
type strip struct {
	begin time.Time
	cell  time.Duration
	cells []stripCell
	// asked are the questions, with the zero time once they are answered, and came the items with triggers that nobody has seen.
	asked, came map[string]time.Time
}

// stripCell is one cell.
type stripCell struct {
	// told is the greatest mark of its events, work the number of events of work.
	told StripMark
	work int
	is   stripState
}

// stripState is a state that lasts for some time.
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

// fill sets a state in the cells from one instant to another.
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
		from, known := s.asked[x.of] // a question from before the strip is known only by its answer
		if over := known && from.IsZero(); !over && (known || x.kind == trackAnswered) {
			s.fill(from, x.at, isAsking)
		}
		s.asked[x.of] = time.Time{} // over: what else ends it does not last from the beginning
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

// mark is the one mark of a cell: that of its events, else of its work, else of its state.
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
