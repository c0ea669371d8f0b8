package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// queueLine is one line of the drawn queue: a heading, a row, or the todo below the
// current row.
type queueLine struct {
	// heading is the section's place in the queue, -1 on other lines.
	heading int
	row     *model.Row
	todo    bool
}

// lines lays the queue out from top to end.
func (q Queue) lines(st QueueStyle) []queueLine {
	var out []queueLine
	for i := range q.Sections {
		s := &q.Sections[i]
		if st.Gaps && i > 0 {
			out = append(out, queueLine{heading: -1})
		}
		if st.Headings && (s.Class != "" || st.Gaps) {
			out = append(out, queueLine{heading: i})
		}
		for j := range s.Rows {
			r := &s.Rows[j]
			out = append(out, queueLine{heading: -1, row: r})
			if s.Class == "" && r.Todo.Total > 0 {
				out = append(out, queueLine{heading: -1, row: r, todo: true})
			}
		}
	}
	return out
}

// reveal moves the window of h lines so that the cursor's row is in it, and its heading if
// that stands right above.
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

// QueueView is the work of an agent by class.
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
	// Marked are the marked rows, MarkWords how many there are.
	Marked    []model.ItemID
	MarkWords string
	// Counts are the classes' sizes, which a narrow screen shows here.
	Counts string
	// Opened: there is a ledger. Agent: it is known whose desk this is.
	Opened, Agent bool
}

// Revealed is the first visible line so that the cursor is visible.
func (v QueueView) Revealed() int {
	_, h := v.Inner()
	if h <= 0 {
		return v.Top
	}
	return reveal(v.lines(v.Style), v.Cursor, v.Top, h-v.Filter.Rows())
}

// Draw draws the queue.
func (v QueueView) Draw(id int) Drawing {
	p := v.pane(v.Rect, id, "Queue", "", v.Focused)
	p.Right, p.Foot = v.note(), v.foot()
	if v.Narrow {
		p.Title += "  " + v.Counts
	}
	w, h := v.Inner()
	if len(v.Order) == 0 || !v.Opened || v.Unread != "" {
		p.Lines = v.empty(w)
		return p.draw(v.Frame)
	}
	v.Filter.draw(p, v.Frame)
	h -= v.Filter.Rows()
	lines := v.lines(v.Style)
	for _, l := range visibleRows(lines, reveal(lines, v.Cursor, v.Top, h), h) {
		at := -1
		if l.row != nil {
			at = slices.Index(v.Order, l.row.ID)
		}
		p.row(v.line(l, w), at)
	}
	return p.draw(v.Frame)
}

func (v QueueView) note() string {
	switch {
	case v.Filter.Text != "" && !v.Filter.Typing:
		return v.Accent.Paint("filtered")
	case v.Held:
		return v.heldNote(true, "")
	case v.Wide:
		return v.Muted.Paint("by class")
	}
	return ""
}

func (v QueueView) foot() string {
	if len(v.Order) == 0 {
		return ""
	}
	s := v.At(v.Cursor).position()
	if v.MarkWords != "" {
		s = v.MarkWords + " " + v.Glyph.Dot + " " + s
	}
	if v.Narrow {
		s += " " + v.Glyph.Dot + v.Keys.Keyed(" {open} opens")
	}
	return v.Muted.Paint(s)
}

// empty is what the pane says instead of rows.
func (v QueueView) empty(w int) []string {
	switch {
	case !v.Opened:
		return nil
	case v.Unread != "":
		return v.Said(v.Unread, w)
	case v.All == 0 && !v.Agent:
		return v.Said(noAgents, w)
	case v.All == 0:
		return v.Said(v.Keys.Keyed("No work yet. {new} adds an item. Agents add them with CreateWorkItem."), w)
	}
	s := fmt.Sprintf(v.Keys.Keyed("0 of %d match. {back} clears."), v.All)
	if n := v.hiddenUrgent; n > 0 {
		s += fmt.Sprintf(" Hidden: %d that %s you.", n, Plural(n, "needs", "need"))
	}
	return append([]string{v.Filter.line(v.Frame, w), ""}, v.Said(s, w)...)
}

// line draws one line.
func (v QueueView) line(l queueLine, w int) string {
	switch {
	case l.row == nil && l.heading < 0:
		return ""
	case l.row == nil:
		return v.heading(v.Sections[l.heading], w)
	case l.todo:
		s := fmt.Sprintf("   %d/%d", l.row.Todo.Done, l.row.Todo.Total)
		if l.row.Todo.Current != "" {
			s += " " + v.Glyph.Dot + " " + v.Show(l.row.Todo.Current)
		}
		return v.Strip(w, false, v.Muted.Of(s))
	}
	return v.item(*l.row, w)
}

func (v QueueView) heading(s model.Section, w int) string {
	if s.Class == "" { // whether the focus can be worked on
		state := spaced(s.Rows[0].Scheduling)
		if s.Rows[0].Stalled {
			state = "stalled"
		}
		return v.Strip(w, false, v.Current.Of(" CURRENT"), v.Muted.Of(" "+v.Glyph.Dot+" "+state))
	}
	n, order := strconv.Itoa(s.Total), ""
	if len(s.Rows) < s.Total {
		n = fmt.Sprintf("%d of %d", len(s.Rows), s.Total)
	}
	switch {
	case v.Wide && s.Class == model.QueuedRunnable:
		order = "oldest first"
	case v.Wide:
		order = "newest first"
	}
	left := " " + v.classMark(s.Class) + " " + strings.ToUpper(action.MarkOf(s.Class).Word) + " " + n
	gap := max(w-text.Width(left)-1-text.Width(order), 0) // in no style: a terminal clears what is blank, and is sent less
	return v.Strip(w, false, v.Class[s.Class].Of(left), widget.Ink{}.Of(strings.Repeat(" ", gap)), v.Faint.Of(order))
}

// item draws a row: marker, glyph, handle, objective, reason, age, as the width allows.
func (v QueueView) item(r model.Row, w int) string {
	selected, marker := r.ID == v.Cursor, v.marker(r.ID == v.Cursor)
	if !selected && v.Moved[r.ID] {
		marker = v.Glyph.Changed
	}
	mark, ink := widget.Ink{}.Of(" "), v.Text
	if slices.Contains(v.Marked, r.ID) {
		mark = v.Accent.Of(v.Glyph.Mark)
	}
	head := []widget.Piece{v.NeedsYou.Of(marker), v.RowInk(r).Of(v.RowMark(r)), mark}
	if v.Style.IDs {
		head = append(head, v.Muted.Of(string(r.Handle)+" "))
	}
	tail := " "
	if r.IsCurrent {
		ink = v.Strong
	} else {
		tail = text.PadLeft(v.Age(ageFrom(r)), ageCells) + " "
		if reason := v.reason(r); v.Style.Reasons && reason != "" {
			tail = " " + text.Cut(reason, reasonCells) + tail
		}
	}
	width := w - text.Width(tail)
	for _, p := range head {
		width -= p.Width()
	}
	return v.Strip(w, selected && v.Frame.Cursor, append(head, ink.Of(text.Pad(v.Show(r.Objective), max(width, 0))), v.Muted.Of(tail))...)
}

const reasonCells = 11

// ageFrom is what a row's age counts from.
func ageFrom(r model.Row) time.Time {
	if r.Class == model.TriggeredBlocked && !r.Wait.LastTriggeredAt.IsZero() {
		return r.Wait.LastTriggeredAt
	}
	return r.UpdatedAt
}

// reason is why a row is where it is, in a word or two.
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
		return r.Wait.TriggeredBy.String()
	case r.Class == model.WaitingForOperator && r.Wait.Kind == "":
		return "plan"
	case r.Class == model.WaitingForOperator:
		return "asks"
	case r.NeedsOperator:
		return "needs you"
	case r.Wait.Kind == model.WaitTimer && r.Wait.WakeAt.After(v.Now):
		return "in " + text.Age(r.Wait.WakeAt.Sub(v.Now))
	case r.Wait.Kind != "":
		return string(r.Wait.Kind)
	case r.BlockedBy != "":
		return r.BlockedBy.String()
	}
	return string(r.Priority)
}

// RowMark is a row's glyph: the focus has its own, whatever its class.
func (f Frame) RowMark(r model.Row) string {
	if r.IsCurrent {
		return f.Glyph.Current
	}
	return f.classMark(action.ShownClass(r))
}

// RowInk is the ink of its glyph.
func (f Frame) RowInk(r model.Row) widget.Ink {
	if r.IsCurrent {
		return f.Current
	}
	return f.Class[action.ShownClass(r)]
}

// classMark is the glyph of a class.
func (f Frame) classMark(of model.Class) string { return action.MarkOf(of).Mark(&f.Glyph) }
