package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// queueLine is one line of the drawn queue: a heading, a row, or the todo below the current row.
type queueLine struct {
	// heading is the section's index in the queue; -1 for other lines.
	heading int
	row     *model.Row
	todo    bool
	// title is the part of a title in two lines; 0: it is in one.
	title int
}

// lines lays out the whole queue.
func (q Queue) lines(st QueueStyle) []queueLine {
	var out []queueLine
	for i := range q.Sections {
		s := &q.Sections[i]
		if st.Gaps && i > 0 {
			out = append(out, queueLine{heading: -1})
		}
		if st.Headings && (s.Class != "" || st.Gaps) || s.Class == "" && len(s.Rows) == 0 {
			out = append(out, queueLine{heading: i})
		}
		for j := range s.Rows {
			r := &s.Rows[j]
			out = append(out, queueLine{heading: -1, row: r})
			if s.Class == "" && r.Todo.Current != "" {
				out = append(out, queueLine{heading: -1, row: r, todo: true})
			}
		}
	}
	return out
}

// reveal scrolls the window of h lines so that the cursor's row is visible, with its heading if that is the line above.
func reveal(lines []queueLine, cursor model.ItemID, top, h int) int {
	first := max(slices.IndexFunc(lines, func(l queueLine) bool { return l.row != nil && l.row.ID == cursor }), 0)
	last := first
	for first > 0 && lines[first-1].row == nil {
		first--
	}
	if last+1 < len(lines) && lines[last+1].todo {
		last++
	}
	top = max(top, last-h+1)
	return max(min(top, first, len(lines)-h), 0)
}

// fixed is the number of first lines, of h, that show the current item and do not scroll.
func (q Queue) fixed(lines []queueLine, h int) int {
	if len(q.Sections) == 0 || q.Sections[0].Class != "" || h < fixedFrom {
		return 0
	}
	n := slices.IndexFunc(lines, func(l queueLine) bool {
		return l.heading > 0 || l.row == nil && l.heading < 0 || l.row != nil && len(q.Sections[0].Rows) == 0 ||
			l.row != nil && l.row.ID != q.Sections[0].Rows[0].ID
	})
	if n < 0 {
		return len(lines)
	}
	return n
}

// fixedFrom is the least height that leaves lines to scroll below the current item.
const fixedFrom = 8

// QueueView shows the work of an agent by class.
type QueueView struct {
	Frame
	Rect
	Queue
	Focused bool
	Style   QueueStyle
	Cursor  model.ItemID
	// Top is the first visible line.
	Top    int
	Filter Filter
	// Marked are the marked rows. MarkWords says how many there are.
	Marked    []model.ItemID
	MarkWords string
	// Counts are the sizes of the classes, which a narrow screen shows here.
	Counts string
	// PickKey picks the item under the cursor; empty if nothing can be picked.
	PickKey string
	// Opened means that there is a ledger. Agent means that the desk's agent is known.
	Opened, Agent bool
}

// Revealed returns the first visible line that makes the cursor visible.
func (v QueueView) Revealed() int {
	_, h := v.Inner()
	if h <= 0 {
		return v.Top
	}
	_, _, top := v.window(h - v.Filter.Rows())
	return top
}

// window returns the fixed lines, the scrolling lines, and the first visible one of these.
func (v QueueView) window(h int) (fixed, scrolled []queueLine, top int) {
	lines := v.lines(v.Style)
	if v.Style.Titles {
		lines = v.titled(lines, h)
	}
	n := v.fixed(lines, h)
	return lines[:n], lines[n:], reveal(lines[n:], v.Cursor, v.Top, h-n)
}

// titled gives each title that would be cut a second line, if all lines fit into h.
func (v QueueView) titled(lines []queueLine, h int) (out []queueLine) {
	w, _ := v.Inner()
	for _, l := range lines {
		if l.row != nil && !l.todo && text.Width(v.Show(l.row.Objective)) > w-rowHead-text.Width(v.tail(*l.row, w)) {
			l.title = 1
			out = append(out, l)
			l.title = 2
		}
		out = append(out, l)
	}
	if len(out) > h {
		return lines
	}
	return out
}

// Draw draws the queue.
func (v QueueView) Draw(id int) Drawing {
	p := v.pane(v.Rect, id, "Queue", "", v.Focused)
	p.Right, p.Foot = v.heldNote(v.Held, ""), v.foot()
	if v.Narrow {
		p.Title += "  " + v.Counts
	}
	w, h := v.Inner()
	v.Filter.draw(p)
	if len(v.Order) == 0 || !v.Opened || v.Unread != "" {
		p.Lines = append(p.Lines, v.empty(w)...)
		return p.draw()
	}
	h -= v.Filter.Rows()
	fixed, scrolled, top := v.window(h)
	for _, l := range append(slices.Clip(fixed), visibleRows(scrolled, top, h-len(fixed))...) {
		at := -1
		if l.row != nil {
			at = slices.Index(v.Order, l.row.ID)
		}
		p.row(v.line(l, w), at)
	}
	return p.draw()
}

func (v QueueView) foot() string {
	if len(v.Order) == 0 {
		return ""
	}
	s := marked(v.MarkWords) + v.At(v.Cursor).position()
	if v.Filter.Limit != "" {
		s += ", " + v.Filter.Limit
	}
	return v.Muted.Paint(s)
}

// empty is the text of the pane if there are no rows.
func (v QueueView) empty(w int) []string {
	switch {
	case !v.Opened:
		return nil
	case v.Unread != "":
		return v.Said(v.Unread, w)
	case v.All == 0 && !v.Agent:
		return v.Said(noAgents, w)
	case v.All == 0:
		return v.Said(v.Keyed("No work yet. {new} adds an item. Agents add their own."), w)
	}
	s := v.Filter.nothing(v.Frame)
	if n := v.hiddenUrgent; n > 0 {
		s += fmt.Sprintf(" Needs you, but is hidden: %d.", n)
	}
	return v.Said(s, w)
}

// line draws one line.
func (v QueueView) line(l queueLine, w int) string {
	switch {
	case l.row == nil && l.heading < 0:
		return ""
	case l.row == nil:
		return v.heading(v.Sections[l.heading], w)
	case l.todo:
		t := l.row.Todo
		return v.Strip(w, false, v.Muted.Of(fmt.Sprintf("   %d/%d · %s", t.Done, t.Total, v.Show(t.Current))))
	}
	return v.item(*l.row, l.title, w)
}

func (v QueueView) heading(s model.Section, w int) string {
	if s.Class == "" && len(s.Rows) == 0 {
		return v.noCurrent(w)
	}
	if s.Class == "" { // says whether the focus can be worked on
		head, state := " PICKED", " · "+model.Spaced(s.Rows[0].Scheduling)
		switch r := s.Rows[0]; {
		case r.Stalled:
			state = " · stalled"
		case r.Scheduling == model.Runnable:
			head, state = " WORKS", ""
		}
		return v.Strip(w, false, v.RowMark(s.Rows[0]).Of(head), v.Muted.Of(state))
	}
	n := strconv.Itoa(s.Total)
	if len(s.Rows) < s.Total {
		n = fmt.Sprintf("%d of %d", len(s.Rows), s.Total)
	}
	mark := v.classMark(s.Class)
	return v.Strip(w, false, mark.Of(" "+mark.Text+" "+strings.ToUpper(model.Spaced(s.Class))+" "+n))
}

// noCurrent replaces the line of the current item: there is none and which item could be next, or the filter leaves it out.
func (v QueueView) noCurrent(w int) string {
	r, head := v.Next, v.Muted.Of(" on nothing")
	if v.Queue.Current != nil {
		r, head = v.Queue.Current, v.Muted.Of(" ")
	} else if r != nil {
		head = v.Muted.Of(" on nothing · next")
	}
	narrow := w < wholeNext
	if narrow && v.Queue.Current == nil && r != nil {
		head = v.Muted.Of(" next")
	}
	label := v.Styles.Current.Of(" WORKS")
	if r == nil {
		return v.Strip(w, false, label, head)
	}
	key := ""
	if v.PickKey != "" && !narrow && v.Queue.Current == nil && r.ID == v.Cursor {
		key = " — " + v.PickKey
	}
	mark := v.RowMark(*r)
	pieces := []Piece{label, head, mark.Of(" " + mark.Text + " ")}
	free := w - text.Width(key) - 1
	for _, p := range pieces {
		free -= text.Width(p.Text)
	}
	return v.Strip(w, false, append(pieces, v.Text.Of(text.Cut(v.Show(r.Objective), max(free, 0))), v.Key.Of(key))...)
}

// wholeNext is the width from which the line about the next item is written in full.
const wholeNext = 42

// rowHead is the width of a row's marker, glyph and mark.
const rowHead = 3

// item draws a row: marker, glyph, objective, reason and age, as far as the width allows. Of a title in two lines it draws the part.
func (v QueueView) item(r model.Row, part, w int) string {
	selected, marker := r.ID == v.Cursor, v.marker(r.ID == v.Cursor)
	if !selected && v.Moved[r.ID] {
		marker = v.Glyph.Changed
	}
	mark, ink := Ink{}.Of(" "), v.Text
	if slices.Contains(v.Marked, r.ID) {
		mark = v.Accent.Of(v.Glyph.Mark)
	}
	head := []Piece{v.Accent.Of(marker), v.RowMark(r), mark}
	if r.IsCurrent {
		ink = v.Strong
	}
	tail, title := v.tail(r, w), v.Show(r.Objective)
	width := max(w-text.Width(tail)-rowHead, 0)
	if lines := text.Wrap(title, width); part == 1 {
		title = lines[0]
	} else if part == 2 {
		head, title, tail = []Piece{Ink{}.Of(text.Pad("", rowHead))}, strings.Join(lines[1:], " "), ""
		width = w - rowHead
	}
	return v.Strip(w, selected && v.Frame.Cursor, append(head, ink.Of(text.Pad(title, width)), v.Muted.Of(tail))...)
}

// tail is what follows a title: the reason and the age, or the progress.
func (v QueueView) tail(r model.Row, w int) string {
	tail := " "
	switch {
	case r.Class != model.CurrentRunnable:
		tail = text.PadLeft(v.Age(ageFrom(r)), ageCells) + " "
		if reason := v.reason(r); v.Style.Reasons && reason != "" {
			tail = " " + text.Cut(reason, max(w/4, reasonCells)) + tail
		}
	case r.Todo.Total > 0 && r.Todo.Current == "": // otherwise the line below shows the todo
		tail = fmt.Sprintf(" %d/%d ", r.Todo.Done, r.Todo.Total)
	}
	return tail
}

// reasonCells is the least width of a reason.
const reasonCells = 11

// ageFrom returns the time from which a row's age counts.
func ageFrom(r model.Row) time.Time {
	if r.Class == model.TriggeredBlocked && !r.Wait.LastTriggeredAt.IsZero() {
		return r.Wait.LastTriggeredAt
	}
	return r.UpdatedAt
}

// reason says in a word or two why a row is in its class.
func (v QueueView) reason(r model.Row) string {
	switch {
	case r.IsPermission():
		return "permission"
	case r.AgentFails():
		return "failing"
	case r.Stalled:
		return "stalled"
	case r.Offered():
		return "choose it"
	case r.Class == model.CompletedRecent && !r.Reported:
		return "! no report"
	case r.Class == model.TriggeredBlocked:
		return v.Show(r.Wait.Came())
	case r.Class == model.WaitingForOperator && r.Wait.Kind == "":
		return "plan"
	case r.Class == model.WaitingForOperator:
		return "asks"
	case r.NeedsOperator:
		return "needs you"
	case r.Wait.Kind == model.WaitTimer && r.Wait.WakeAt.After(v.Now):
		return "in " + text.Age(r.Wait.WakeAt.Sub(v.Now))
	case r.Wait.Kind != "":
		return cmp.Or(v.Safe(r.Wait.Checked.String()), string(r.Wait.Kind))
	case r.BlockedBy != "":
		return v.Show(r.BlockedBy)
	}
	return string(r.Priority)
}

// RowMark returns a row's glyph. A blocked focus has the glyph of blocked items.
func (f Frame) RowMark(r model.Row) Piece { return f.classMark(action.ShownClass(r)) }

// classMark returns the glyph of a class.
func (f Frame) classMark(of model.Class) Piece { return action.MarkOf(of, f.Styles.Styles) }
