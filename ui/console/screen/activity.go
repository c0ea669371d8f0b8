package screen

import (
	"fmt"
	"slices"

	"vise/model"
)

// Activity is the operator's position in the events of all agents, newest first. While the cursor is on the newest event, the view follows
// new ones.
type Activity struct {
	// Cursor is the event under the cursor; zero means that the view follows the newest.
	Cursor model.Position `json:"cursor,omitzero"`
	// Top is the first visible event while the view does not follow.
	Top    model.Position `json:"top,omitzero"`
	Filter string         `json:"filter,omitempty"`
	// Left is the newest event at the time when following ended. Later events count as new.
	Left model.Position `json:"left,omitzero"`
	// All means that the scheduler's events are shown too, here and in all other lists of events.
	All bool `json:"all,omitempty"`
	// Deep doubles how far back the search for events that tell of work goes. It grows by one each time the operator continues.
	Deep int `json:"-"`
}

// Following reports whether the view follows the newest event.
func (p Activity) Following() bool { return p.Cursor == model.Position{} }

// Journal is the part of the journal around the cursor, newest first.
type Journal struct {
	Events
	// AtNewest means that no newer event matches.
	AtNewest bool
	// Searched is how many events that do not tell of work were read before the search stopped; 0 if it did not stop.
	Searched int
	// News counts the events since following ended, at most NewsCounted.
	News   int
	Newest model.Position
}

// NewsCounted bounds the events counted as new.
const NewsCounted = 200

// At returns the index of the cursor in the entries: the first while the view follows, -1 if there are none.
func (s Journal) At(p Activity) int {
	if p.Following() {
		return min(0, len(s.Entries)-1)
	}
	at, _ := s.search(p.Cursor)
	return min(at, len(s.Entries)-1)
}

func (s Journal) search(p model.Position) (int, bool) {
	return slices.BinarySearchFunc(s.Entries, p, func(e model.Entry, p model.Position) int {
		switch at := e.Position(); {
		case at == p:
			return 0
		case p.Before(at):
			return -1
		}
		return 1
	})
}

// top returns the first of h visible entries.
func (s Journal) top(p Activity, h int) int {
	top := 0
	if at, _ := s.search(p.Top); !p.Following() && at < len(s.Entries) {
		top = at
	}
	return window(s.At(p), top, h, len(s.Entries))
}

// Paused returns the position at which a view of h entries stops following the newest.
func (s Journal) Paused(p Activity, h int) Activity {
	if p.Following() {
		p.Left, p.Top, p.Cursor = s.Newest, s.Entries[s.top(p, h)].Position(), s.Entries[0].Position()
	}
	return p
}

// To returns the position with the cursor on the entry at, with h visible entries.
func (s Journal) To(p Activity, at, h int) Activity {
	if p.Following() {
		p.Left = s.Newest
	}
	p.Cursor = s.Entries[at].Position()
	p.Top = s.Entries[s.top(p, h)].Position()
	return p
}

// ActivityView shows the events of all agents.
type ActivityView struct {
	Frame
	Activity
	Body   Rect
	Filter Filter
	Known  Journal
}

// Rows is the number of events that fit.
func (v ActivityView) Rows() int { return max(v.Body.H-2-v.Filter.Rows(), 1) }

// Draw draws the activity.
func (v ActivityView) Draw() Drawing {
	w, _ := v.Body.Inner()
	s := v.Known
	p := v.pane(v.Body, 0, "Activity", "all agents", true)
	p.Right, p.Foot = v.note(), v.Muted.Paint(v.foot())
	v.Filter.draw(p, v.Frame)
	if len(s.Entries) == 0 || v.Unread != "" {
		p.Lines = append(p.Lines, v.Said(v.empty(), w)...)
		return p.draw(v.Frame)
	}
	at, top := s.At(v.Activity), s.top(v.Activity, v.Rows())
	for i := top; i < min(top+v.Rows(), len(s.Entries)); i++ {
		p.row(v.row(w, i == at, s.ofAll(v.Frame, s.Entries[i], w)...), i)
	}
	return p.draw(v.Frame)
}

// empty is the text if there are no events.
func (v ActivityView) empty() string {
	switch {
	case v.Unread != "":
		return v.Unread
	case v.Filter.Text != "":
		return v.Filter.nothing(v.Frame)
	case v.Known.Searched > 0:
		return fmt.Sprintf(v.Keyed("The newest %d events are not about work. {down} looks further back."), v.Known.Searched)
	}
	return "Nothing has happened yet."
}

// note says whether the view follows the newest event, and if not, how many are new.
func (v ActivityView) note() string {
	switch n := v.Known.News; {
	case v.Following():
		return v.following()
	case n >= NewsCounted:
		return v.NeedsYou.Paint(fmt.Sprintf("%d+ new", NewsCounted)) + v.Muted.Paint(v.Keyed(" {top}"))
	case n > 0:
		return v.NeedsYou.Paint(fmt.Sprintf("%d new", n)) + v.Muted.Paint(v.Keyed(" {top}"))
	}
	return v.Muted.Paint(v.Keyed("paused · {top} follows"))
}

func (v ActivityView) foot() string {
	s := v.Known
	at := s.At(v.Activity)
	switch {
	case at < 0:
		return ""
	case s.Searched > 0 && at == len(s.Entries)-1:
		return fmt.Sprintf(v.Keyed("searched %d events · {down} searches further back"), s.Searched)
	}
	e := s.Entries[at]
	return e.At.In(v.Now.Location()).Format("Mon 2 Jan 15:04:05") + fmt.Sprintf(" · revision %d", e.Revision)
}
