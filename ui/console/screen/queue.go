package screen

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// The order of the queue. It differs from the agents' candidate order in one point: what
// needs the operator moves up, because only a person can move it.
var queueOrder = []model.Class{
	model.TriggeredBlocked, model.WaitingForOperator, model.ReportOffered, model.QueuedRunnable, model.BlockedClass, model.CompletedRecent,
}

// Ordered are a desk's sections in the order of the queue.
func Ordered(d model.Desk) []model.Section {
	out := make([]model.Section, 0, len(queueOrder))
	for _, class := range queueOrder {
		for _, s := range d.Sections {
			if s.Class == class {
				out = append(out, s)
			}
		}
	}
	return out
}

// Queue is the list of work items as it is drawn: sections of rows, each row with its id.
type Queue struct {
	Sections []Section
	// Held: the ledger has a newer order, which waits until the operator's hands rest.
	Held bool
	// Moved are the rows whose item changed while the order was held.
	Moved map[model.ItemID]bool
	// All counts the rows without a filter; hiddenUrgent those that a filter leaves out
	// although they need the operator.
	All, hiddenUrgent int
	// Trouble is what is wrong with the filter, in words.
	Trouble string
	// Order and rows are the rows again, by place and by id.
	Order []model.ItemID
	rows  map[model.ItemID]*model.Row
}

// Section is a group of rows under a heading. The first one, of the current item, has no class.
type Section struct {
	Class model.Class
	Rows  []model.Row
	// total is how many the ledger counts, whatever is shown.
	total int
}

func rowsOf(all []Section) iter.Seq[model.Row] {
	return func(yield func(model.Row) bool) {
		for _, s := range all {
			for _, r := range s.Rows {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Room is how many lines a queue may take and what they hold; All: as many as it needs. The
// cursor's row is never folded away.
type Room struct {
	Lines  int
	Style  QueueStyle
	Cursor model.ItemID
	All    bool
}

// QueueStyle says how much of a queue there is room for.
type QueueStyle struct {
	Headings, Gaps, IDs, Reasons bool
}

// QueueOf makes the queue of a desk, filtered and folded to what there is room for.
func QueueOf(d model.Desk, f action.RowFilter, r Room) Queue {
	q := Queue{Trouble: f.Trouble}
	var all []Section
	if d.Current != nil {
		all = append(all, Section{Rows: []model.Row{*d.Current}, total: 1})
	}
	for _, s := range Ordered(d) {
		all = append(all, Section{Class: s.Class, Rows: s.Rows, total: s.Total})
	}
	keep := f.Keeps(rowsOf(all))
	for _, s := range all {
		q.All += len(s.Rows)
		s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r model.Row) bool {
			if keep(r) {
				return false
			}
			if r.NeedsOperator {
				q.hiddenUrgent++
			}
			return true
		})
		if len(s.Rows) > 0 {
			q.Sections = append(q.Sections, s)
		}
	}
	return q.folded(r).indexed()
}

// folded leaves the first rows of each class, as many as the rules' limits say, and fills
// what room is left from the first class on.
func (q Queue) folded(r Room) Queue {
	if r.All {
		return q
	}
	whole := make([][]model.Row, len(q.Sections))
	for i := range q.Sections {
		s := &q.Sections[i]
		whole[i] = s.Rows
		if s.Class != "" {
			at := slices.IndexFunc(s.Rows, func(row model.Row) bool { return row.ID == r.Cursor })
			s.Rows = s.Rows[:min(len(s.Rows), max(s.Class.Limit(), at+1))]
		}
	}
	spare := r.Lines - len(q.lines(r.Style))
	for i := range q.Sections {
		s := &q.Sections[i]
		more := min(max(spare, 0), len(whole[i])-len(s.Rows))
		s.Rows = whole[i][:len(s.Rows)+more]
		spare -= more
	}
	return q
}

func (q Queue) indexed() Queue {
	q.rows = map[model.ItemID]*model.Row{}
	for _, s := range q.Sections {
		for i := range s.Rows {
			q.Order = append(q.Order, s.Rows[i].ID)
			q.rows[s.Rows[i].ID] = &s.Rows[i]
		}
	}
	return q
}

// Row is the row of an item, as it is drawn; nil without one.
func (q Queue) Row(id model.ItemID) *model.Row { return q.rows[id] }

// At is the queue's order with the cursor on an item.
func (q Queue) At(id model.ItemID) List[model.ItemID] {
	return List[model.ItemID]{Order: q.Order, Cursor: id}
}

// SameOrder reports whether two queues show the same rows at the same places.
func (q Queue) SameOrder(other Queue) bool {
	return slices.EqualFunc(q.Sections, other.Sections, func(a, b Section) bool {
		return a.Class == b.Class && slices.EqualFunc(a.Rows, b.Rows, func(x, y model.Row) bool { return x.ID == y.ID })
	})
}

// Hold keeps the order that is drawn and marks what changed in the newer one. The rows
// stay as they were drawn too: an act names the revision that the operator saw.
func (q Queue) Hold(newer Queue) Queue {
	q.Held, q.Moved = true, map[model.ItemID]bool{}
	for id, r := range q.rows {
		if now := newer.Row(id); now == nil || now.Revision != r.Revision || now.Class != r.Class {
			q.Moved[id] = true
		}
	}
	return q
}

// NextUrgent is the next row after id that needs the operator, round the end.
func (q Queue) NextUrgent(id model.ItemID) (model.ItemID, bool) {
	at := slices.Index(q.Order, id)
	for n := range q.Order {
		if next := q.Order[(at+1+n)%len(q.Order)]; q.rows[next].NeedsOperator {
			return next, true
		}
	}
	return "", false
}

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
	// Top is the first line in sight.
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

// Revealed is the first line in sight so that the cursor is.
func (v QueueView) Revealed() int {
	_, h := v.Inner()
	if h <= 0 {
		return v.Top
	}
	return reveal(v.lines(v.Style), v.Cursor, v.Top, h-v.Filter.Rows())
}

// Draw draws the queue.
func (v QueueView) Draw(id int) Drawing {
	p := paneOf(v.Rect, id, widget.Box{Title: v.Strong.Paint("Queue"), Right: v.note(), Foot: v.foot(), Focused: v.Focused})
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
	top := reveal(lines, v.Cursor, v.Top, h)
	for _, l := range lines[top:min(top+h, len(lines))] {
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
		return v.Said("No agents yet. vise new OBJECTIVE --agent NAME makes the first.", w)
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

func (v QueueView) heading(s Section, w int) string {
	if s.Class == "" { // whether the focus can be worked on
		return v.Strip(w, false, v.Current.Of(" CURRENT"), v.Muted.Of(" "+v.Glyph.Dot+" "+spaced(s.Rows[0].Scheduling)))
	}
	n, order := strconv.Itoa(s.total), ""
	if len(s.Rows) < s.total {
		n = fmt.Sprintf("%d of %d", len(s.Rows), s.total)
	}
	switch {
	case v.Wide && s.Class == model.QueuedRunnable:
		order = "oldest first"
	case v.Wide:
		order = "newest first"
	}
	left := " " + v.ClassMark(s.Class) + " " + strings.ToUpper(action.MarkOf(s.Class).Word) + " " + n
	gap := max(w-text.Width(left)-1-text.Width(order), 0) // in no style: a terminal clears what is blank, and is told less
	return v.Strip(w, false, v.Class[s.Class].Of(left), widget.Ink{}.Of(strings.Repeat(" ", gap)), v.Faint.Of(order))
}

// item draws a row: marker, glyph, handle, objective, reason, age, as room allows.
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
	room := w - text.Width(tail)
	for _, p := range head {
		room -= p.Width()
	}
	return v.Strip(w, selected && v.Frame.Cursor, append(head, ink.Of(text.Pad(v.Show(r.Objective), max(room, 0))), v.Muted.Of(tail))...)
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
	}
	return r.BlockedBy.String()
}

// RowMark is a row's glyph: the focus has its own, whatever its class.
func (f Frame) RowMark(r model.Row) string {
	if r.IsCurrent {
		return f.Glyph.Current
	}
	return f.ClassMark(action.ShownClass(r))
}

// RowInk is the ink of its glyph.
func (f Frame) RowInk(r model.Row) widget.Ink {
	if r.IsCurrent {
		return f.Current
	}
	return f.Class[action.ShownClass(r)]
}

// ClassMark is the glyph of a class.
func (f Frame) ClassMark(of model.Class) string { return action.MarkOf(of).Mark(&f.Glyph) }
