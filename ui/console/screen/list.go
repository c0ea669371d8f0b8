package screen

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// List is the order of a list as it is drawn, and where the cursor is: by key, so that no row
// can slide under it.
type List[K comparable] struct {
	Order  []K `json:"-"`
	Cursor K   `json:"cursor,omitzero"`
	// Top is the first visible row.
	Top int `json:"-"`
	// Held: the ledger has a newer order, which waits until the operator pauses.
	Held bool `json:"-"`
}

// At is the place of the cursor, -1 without one.
func (l List[K]) At() int { return slices.Index(l.Order, l.Cursor) }

// Step moves the cursor by n rows, at most to the first or the last; without one it goes to
// the first.
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

// Next moves the cursor by n rows, round the end.
func (l List[K]) Next(n int) List[K] {
	if len(l.Order) > 0 {
		l.Cursor = l.Order[(l.At()+n+len(l.Order))%len(l.Order)]
	}
	return l
}

// Show takes a new order. A cursor whose row is gone goes to the row at its place.
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

// Reveal moves the window of h rows so that the cursor is in it.
func (l List[K]) Reveal(h int) List[K] {
	l.Top = window(l.At(), l.Top, h, len(l.Order))
	return l
}

// Window are the rows shown in h lines: from the first to before the last.
func (l List[K]) Window(h int) (from, to int) {
	from = min(l.Top, len(l.Order))
	return from, min(from+max(h, 0), len(l.Order))
}

// position is where the cursor is: "3 of 7".
func (l List[K]) position() string { return fmt.Sprintf("%d of %d", l.At()+1, len(l.Order)) }

// marked is how many rows are marked, before what else stands below a list.
func marked(words, dot string) string {
	if words == "" {
		return ""
	}
	return words + " " + dot + " "
}

// visibleRows are the h rows from top on, or the last ones.
func visibleRows[T any](rows []T, top, h int) []T {
	h = max(h, 0)
	top = max(min(top, len(rows)-h), 0)
	return rows[top:min(top+h, len(rows))]
}

// keysOf are the keys of rows.
func keysOf[R any, K comparable](rows []R, key func(R) K) []K {
	out := make([]K, len(rows))
	for i, r := range rows {
		out[i] = key(r)
	}
	return out
}

// window is the first of n rows shown in h lines, so that row at is visible.
func window(at, top, h, n int) int {
	if at >= top+h {
		top = at - h + 1
	}
	if at >= 0 && at < top {
		top = at
	}
	return max(min(top, n-h), 0)
}

// Filter is the filter of a list, as it is drawn above it.
type Filter struct {
	Text string
	// Trouble is what is wrong with it, which the message line says, Note how far the search for it is; in words.
	Trouble, Note string
	// Typing: it has the keys.
	Typing bool
}

// Rows is how many lines it takes.
func (x Filter) Rows() int {
	if x.Typing || x.Text != "" {
		return 1
	}
	return 0
}

// line is the filter above a list of w cells.
func (x Filter) line(f Frame, w int) string {
	shown := model.Text(x.Text).String()
	switch {
	case x.Trouble != "":
		return f.Strip(w, false, f.Key.Of(" / "), f.Blocked.Of(text.Cut(shown, w-3)))
	}
	ink, free := f.Muted, w-3
	if x.Typing {
		ink = f.Strong
	}
	note := ""
	if x.Note != "" {
		note = text.Cut("  "+x.Note, max(free-leastFilter, 0))
		free -= text.Width(note)
	}
	return f.Strip(w, false, f.Key.Of(" / "), ink.Of(text.Pad(text.Cut(shown, free), free)), f.Muted.Of(note))
}

// leastFilter is what of a filter is shown beside how far its search is.
const leastFilter = 8

// nothing says that nothing matches, or nothing yet.
func (x Filter) nothing(f Frame) string {
	if x.Note != "" {
		return f.Keys.Keyed("Nothing yet. {back} clears.")
	}
	return f.Keys.Keyed("Nothing matches; all was searched. {back} clears.")
}

// draw puts the line above a pane's rows where there is a filter.
func (x Filter) draw(p *pane, f Frame) {
	if w, _ := p.Inner(); x.Rows() > 0 {
		p.Lines = append(p.Lines, x.line(f, w))
	}
}

// Events are entries of the journal, newest first, and the names of the items that they speak of.
type Events struct {
	Entries []model.Entry
	// Times is how often an entry stands for, where that is more than once.
	Times map[model.Position]int
	Names map[model.ItemID]Named
}

// Named is what an item is called.
type Named struct {
	Handle model.Handle
	Title  model.Text
}

// Folded are events, newest first, in which one that is repeated stands once, as the newest.
func Folded(all []model.Entry) (out []model.Entry, times map[model.Position]int) {
	times = map[model.Position]int{}
	for _, e := range all {
		n := len(out) - 1
		if n >= 0 && repeats(out[n], e) {
			at := out[n].Position()
			times[at] = max(times[at], 1) + 1
			continue
		}
		out = append(out, e)
	}
	return out, times
}

// repeats reports whether two events say the same; offers of the same do, whichever attempt it is.
func repeats(a, b model.Entry) bool {
	return a.Kind == b.Kind && a.WorkItemID == b.WorkItemID && a.AgentID == b.AgentID && a.Actor == b.Actor &&
		(a.Kind == model.EventTickEmitted || a.Describe() == b.Describe())
}

// ofAgent is an event of the agent on screen on a line: when, what kind, about what, in words.
func (x Events) ofAgent(f Frame, e model.Entry, w int) string {
	return f.Strip(w, false, append([]widget.Piece{f.Muted.Of(" " + text.Pad(f.Clock(e.At), 8) + " ")}, x.words(f, e, w-9-3)...)...)
}

// ofAll are the pieces of an event of any agent: when, whose, then the same.
func (x Events) ofAll(f Frame, e model.Entry, w int) []widget.Piece {
	cells := min(max(w/7, 8), inboxAgentCells)
	return append([]widget.Piece{
		f.Muted.Of(text.Pad(f.Clock(e.At), 8) + "  "), f.Strong.Of(text.Pad(f.Show(model.Text(e.AgentID)), cells) + " "),
	}, x.words(f, e, w-10-cells-3)...)
}

// words are, in so many cells, the mark, the title, and what happened to it: how often, and who did it where that is
// not the agent itself. (The file of a plan is looked at by the program: that is nobody's act.)
func (x Events) words(f Frame, e model.Entry, free int) []widget.Piece {
	glyph, ink := f.eventMark(e.Kind)
	title, who := "", ""
	if t := x.Names[e.WorkItemID].Title; t != "" {
		title = text.Pad(f.Show(t), min(max(free/2, 0), mostTitle)) + "  "
	}
	if e.Actor != model.AgentActor(e.AgentID) && e.Kind != model.EventPlanRefreshed {
		who = "  " + f.Show(model.Text(e.Actor))
	}
	said := f.Show(e.Describe())
	if n := x.Times[e.Position()]; n > 1 {
		said += fmt.Sprintf(" ×%d", n)
	}
	return []widget.Piece{ink.Of(glyph + " "), f.Muted.Of(title), f.Text.Of(said), f.Faint.Of(who)}
}

// mostTitle is the most that a title gets before what happened to its item.
const mostTitle = 40

func (f Frame) eventMark(kind model.EventKind) (string, widget.Ink) {
	switch kind {
	case model.EventWorkItemPicked:
		return f.Glyph.Current, f.Current
	case model.EventWaitTriggered:
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

// following says that the newest event is followed.
func (f Frame) following() string {
	return f.Accent.Paint(f.Glyph.Following) + f.Muted.Paint(" following")
}

// Pane shows the events of the agent on screen in a pane, newest first, from the line top on.
func (x Events) Pane(f Frame, r Rect, id int, focused bool, top int) Drawing {
	w, h := r.Inner()
	p := f.pane(r, id, "Activity", "", focused)
	if top == 0 || len(x.Entries) <= h {
		p.Right = f.following()
	}
	for _, e := range visibleRows(x.Entries, top, h) {
		p.Lines = append(p.Lines, x.ofAgent(f, e, w))
	}
	return p.draw(f)
}
