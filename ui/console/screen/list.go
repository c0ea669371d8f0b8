package screen

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/text"
)

// List is the order of a list as drawn, and its cursor. The cursor is kept by key, so that it stays on its row when rows move.
type List[K comparable] struct {
	Order  []K `json:"-"`
	Cursor K   `json:"cursor,omitzero"`
	// Top is the first visible row.
	Top int `json:"-"`
	// Held means that the ledger has a newer order, which is shown when the operator pauses.
	Held bool `json:"-"`
}

// At returns the index of the cursor, or -1 if there is none.
func (l List[K]) At() int { return slices.Index(l.Order, l.Cursor) }

// Step moves the cursor by n rows, but not beyond the first or the last row. Without a cursor it goes to the first.
func (l List[K]) Step(n int) List[K] {
	at := l.At()
	switch {
	case len(l.Order) == 0:
	case at < 0:
		l.Cursor = l.Order[0]
	default:
		l.Cursor = l.Order[min(max(at+n, 0), len(l.Order)-1)]
	}
	return l
}

// Show takes a new order. If the cursor's row is gone, the cursor goes to the row at the same index.
func (l List[K]) Show(order []K) List[K] {
	at := l.At()
	l.Order, l.Held = order, false
	if l.At() < 0 {
		var none K
		if l.Cursor = none; len(order) > 0 {
			l.Cursor = order[min(max(at, 0), len(order)-1)]
		}
	}
	return l
}

// Reveal scrolls the window of h rows so that the cursor is visible.
func (l List[K]) Reveal(h int) List[K] {
	l.Top = window(l.At(), l.Top, h, len(l.Order))
	return l
}

// Window returns the rows visible in h lines: from the first, up to but without to.
func (l List[K]) Window(h int) (from, to int) {
	from = min(l.Top, len(l.Order))
	return from, min(from+max(h, 0), len(l.Order))
}

// position says where the cursor is: "3 of 7".
func (l List[K]) position() string { return fmt.Sprintf("%d of %d", l.At()+1, len(l.Order)) }

// marked returns the number of marked rows, in words, as the beginning of a list's foot.
func marked(words string) string {
	if words == "" {
		return ""
	}
	return words + " · "
}

// visibleRows returns h rows from top on, or the last h rows.
func visibleRows[T any](rows []T, top, h int) []T {
	h = max(h, 0)
	top = max(min(top, len(rows)-h), 0)
	return rows[top:min(top+h, len(rows))]
}

// keysOf returns the keys of rows.
func keysOf[R any, K comparable](rows []R, key func(R) K) []K {
	out := make([]K, len(rows))
	for i, r := range rows {
		out[i] = key(r)
	}
	return out
}

// window returns the first of h visible rows out of n, so that row at is visible.
func window(at, top, h, n int) int {
	if at >= top+h {
		top = at - h + 1
	}
	if at >= 0 && at < top {
		top = at
	}
	return max(min(top, n-h), 0)
}

// Filter is the filter of a list, drawn above the list.
type Filter struct {
	Text string
	// Trouble describes an error in the filter, which the message line shows. Note says how far the search is.
	Trouble, Note string
	// Limit says which part of a host's items can be found; empty if all can.
	Limit string
	// Typing means that the filter has the keys.
	Typing bool
}

// Rows is the number of lines that the filter takes.
func (x Filter) Rows() int {
	if x.Typing || x.Text != "" {
		return 1
	}
	return 0
}

// line returns the filter's line above a list of w cells.
func (x Filter) line(f Frame, w int) string {
	ink, free, note := f.Muted, w-3, ""
	switch {
	case x.Trouble != "":
		ink = f.Blocked
	case x.Typing:
		ink = f.Strong
	}
	if x.Note != "" {
		note = text.Cut("  "+x.Note, max(free-leastFilter, 0))
		free -= text.Width(note)
	}
	return f.Strip(w, false, f.Key.Of(" / "), ink.Of(text.Pad(f.Show(model.Text(x.Text)), free)), f.Muted.Of(note))
}

// leastFilter is the least part of a filter that is shown beside the search's progress.
const leastFilter = 8

// nothing says that nothing matches, or that nothing was found yet.
func (x Filter) nothing(f Frame) string {
	if x.Note != "" {
		return f.Keyed("Nothing yet. {back} clears.")
	}
	if x.Limit != "" {
		return f.Keyed("Nothing matches. Searched were only " + x.Limit + ". {back} clears.")
	}
	return f.Keyed("Nothing matches; all was searched. {back} clears.")
}

// draw puts the filter's line above a pane's rows, if there is a filter.
func (x Filter) draw(p *pane) {
	if w, _ := p.Inner(); x.Rows() > 0 {
		p.Lines = append(p.Lines, x.line(p.frame, w))
	}
}

// Events are acts of the journal, newest first, and the names of their items.
type Events struct {
	Acts  []model.Act
	Names map[model.ItemID]Named
}

// Named is the name of an item.
type Named struct {
	Handle model.Handle
	Title  model.Text
}

// Folded returns the acts of events, newest first. Of repeated acts it keeps only the newest.
func Folded(all []model.Entry) (out []model.Act) {
	for _, e := range model.Acts(all) {
		n := len(out) - 1
		if n >= 0 && repeats(out[n], e) {
			out[n].Times = max(out[n].Times, 1) + 1
			continue
		}
		out = append(out, e)
	}
	return out
}

// repeats reports whether two acts say the same. Offers of the same turn do, whatever their attempt.
func repeats(a, b model.Act) bool {
	return a.Kind == b.Kind && a.WorkItemID == b.WorkItemID && a.AgentID == b.AgentID && a.Actor == b.Actor && a.Person == b.Person &&
		(a.Kind == model.EventTickEmitted || a.Describe() == b.Describe())
}

// ofAgent returns the line of an event of the agent on screen: when, what kind, about what, in words.
func (x Events) ofAgent(f Frame, e model.Act, w int) string {
	return f.Strip(w, false, append([]Piece{f.Muted.Of(" " + text.Pad(f.Clock(e.At), 8) + " ")}, x.words(f, e, w-9-3)...)...)
}

// ofAll returns the pieces of an event of any agent: when, which agent, then as ofAgent.
func (x Events) ofAll(f Frame, e model.Act, w int) []Piece {
	cells := min(max(w/7, 8), inboxAgentCells)
	return append([]Piece{
		f.Muted.Of(text.Pad(f.Clock(e.At), 8) + "  "), f.Strong.Of(text.Pad(f.AgentName(e.AgentID), cells) + " "),
	}, x.words(f, e, w-10-cells-3)...)
}

// words returns, within free cells, the mark, the title, what happened to the item, how often, and who did it if not the agent itself. (The
// program reads the plan file by itself, so no actor is named for that.)
func (x Events) words(f Frame, e model.Act, free int) []Piece {
	glyph, ink := f.eventMark(e)
	title, who := "", ""
	if t := x.Names[e.WorkItemID].Title; t != "" {
		title = text.Pad(f.Show(t), min(max(free/2, 0), mostTitle)) + "  "
	}
	if e.Actor != model.AgentActor(e.AgentID) && e.Kind != model.EventPlanRefreshed {
		who = "  " + f.Show(model.By(e.Actor, e.Person))
	}
	said := f.Show(e.Describe())
	if e.Times > 1 {
		said += fmt.Sprintf(" ×%d", e.Times)
	}
	return []Piece{ink.Of(glyph + " "), f.Muted.Of(title), f.Text.Of(said), f.Faint.Of(who)}
}

// mostTitle bounds the cells of a title, so that there is room for what happened.
const mostTitle = 40

func (f Frame) eventMark(e model.Act) (string, Ink) {
	switch e.Kind {
	case model.EventWorkItemWritten:
		if model.DataOf[model.Written](e.Entry).Action == "completed" {
			return f.Glyph.Done, f.Done
		}
	case model.EventWorkItemPicked:
		return f.Glyph.Current, f.Current
	case model.EventWaitTriggered, model.EventOperatorAnswered:
		return f.Glyph.Triggered, f.Triggered
	case model.EventWaitRegistered:
		return f.Glyph.Blocked, f.Blocked
	case model.EventReportPromoted:
		return f.Glyph.Done, f.Done
	case model.EventPlanRefreshed:
		return f.Glyph.Changed, f.Accent
	case model.EventCompletionWarning:
		return f.Glyph.Warning, f.NeedsYou
	}
	return f.Glyph.Dot, f.Muted
}

// following says that the view follows the newest event.
func (f Frame) following() string {
	return f.Accent.Paint(f.Glyph.Following) + f.Muted.Paint(" following")
}

// Pane draws the events of the agent on screen in a pane, newest first, from the line top on.
func (x Events) Pane(f Frame, r Rect, id int, focused bool, top int) Drawing {
	w, h := r.Inner()
	p := f.pane(r, id, "Activity", "", focused)
	if top == 0 || len(x.Acts) <= h {
		p.Right = f.following()
	}
	for _, e := range visibleRows(x.Acts, top, h) {
		p.Lines = append(p.Lines, x.ofAgent(f, e, w))
	}
	return p.draw()
}
