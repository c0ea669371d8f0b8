package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/classes"
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

// queueStyle says how much of the queue there is room for.
type queueStyle struct {
	headings, gaps, ids, reasons bool
}

func (l layout) queueStyle() queueStyle {
	w := l.panes[paneQueue].w
	return queueStyle{
		headings: l.shape != one || l.h >= 24, gaps: l.shape == three,
		ids: l.shape == three || w >= 64, reasons: w >= 42,
	}
}

// lines lays the queue out from top to end.
func (q queue) lines(st queueStyle) []queueLine {
	var out []queueLine
	for i := range q.sections {
		s := &q.sections[i]
		if st.gaps && i > 0 {
			out = append(out, queueLine{heading: -1})
		}
		if st.headings && (s.class != "" || st.gaps) {
			out = append(out, queueLine{heading: i})
		}
		for j := range s.rows {
			r := &s.rows[j]
			out = append(out, queueLine{heading: -1, row: r})
			if s.class == "" && r.Todo.Total > 0 {
				out = append(out, queueLine{heading: -1, row: r, todo: true})
			}
		}
	}
	return out
}

// reveal moves the window of h lines so that the cursor's row is in it, and its heading if
// that stands right above.
func reveal(lines []queueLine, cursor model.ItemID, top, h int) int {
	at := 0
	for i, l := range lines {
		if l.row != nil && l.row.ID == cursor && !l.todo {
			at = i
			break
		}
	}
	first, last := at, at
	for first > 0 && lines[first-1].row == nil {
		first--
	}
	if at+1 < len(lines) && lines[at+1].todo {
		last++
	}
	if last >= top+h {
		top = last - h + 1
	}
	if first < top {
		top = first
	}
	return max(min(top, len(lines)-h), 0)
}

// queuePane draws the queue.
func (c Console) queuePane(r rect) []string {
	w, h := r.inner()
	b := widget.Box{Title: c.queueTitle(), Right: c.queueNote(), Foot: c.queueFoot(), Focused: c.place.focus == paneQueue, Lines: c.queueState(w)}
	if b.Lines == nil {
		h := h
		if c.filtering() || c.place.filter != "" {
			b.Lines = append(b.Lines, c.filterLine(w))
			h--
		}
		lines := c.queue.lines(c.layout.queueStyle())
		top := reveal(lines, c.place.cursor, c.place.top, h)
		for _, l := range lines[top:min(top+h, len(lines))] {
			b.Lines = append(b.Lines, c.queueLine(l, w))
		}
	}
	return b.Draw(r.w, r.h, c.styles)
}

func (c Console) queueTitle() string {
	title := c.styles.Strong.Paint("Queue")
	if c.layout.shape == one {
		title += "  " + c.counts()
	}
	return title
}

func (c Console) queueNote() string {
	switch {
	case c.place.filter != "" && !c.filtering():
		return c.styles.Accent.Paint("filtered")
	case c.queue.held:
		return c.styles.NeedsYou.Paint("order changed") + c.styles.Muted.Paint(" R")
	case c.layout.shape == three:
		return c.styles.Muted.Paint("by class")
	}
	return ""
}

func (c Console) queueFoot() string {
	at, of := c.queue.position(c.place.cursor)
	if of == 0 {
		return ""
	}
	s := fmt.Sprintf("%d of %d", at, of)
	if marked := c.markWords(); marked != "" {
		s = marked + " " + c.styles.Glyph.Dot + " " + s
	}
	if c.layout.shape == one {
		s += " " + c.styles.Glyph.Dot + c.keys.Keyed(" {open} opens")
	}
	return c.styles.Muted.Paint(s)
}

// queueState is what the pane says instead of rows; nil when there are rows.
func (c Console) queueState(w int) []string {
	switch {
	case c.fx.Ledger == nil:
		return []string{""}
	case c.trouble == nil && c.truth.at.IsZero():
		return []string{" " + c.styles.Muted.Paint("Reading the ledger…")}
	case c.truth.at.IsZero():
		return c.frame().Said(c.troubleWords(), w)
	case c.queue.all == 0 && c.place.agent == "":
		return c.frame().Said("No agents yet. vise new OBJECTIVE --agent NAME makes the first.", w)
	case c.queue.all == 0:
		return c.frame().Said(c.keys.Keyed("No work yet. {new} adds an item. Agents add them with CreateWorkItem."), w)
	case len(c.queue.order) == 0:
		s := fmt.Sprintf(c.keys.Keyed("0 of %d match. {back} clears."), c.queue.all)
		if n := c.queue.hiddenUrgent; n > 0 {
			s += fmt.Sprintf(" Hidden: %d that %s you.", n, plural(n, "needs", "need"))
		}
		return append([]string{c.filterLine(w), ""}, c.frame().Said(s, w)...)
	}
	return nil
}

// queueLine draws one line.
func (c Console) queueLine(l queueLine, w int) string {
	switch {
	case l.row == nil && l.heading < 0:
		return ""
	case l.row == nil:
		return c.heading(c.queue.sections[l.heading], w)
	case l.todo:
		return c.todoLine(*l.row, w)
	}
	return c.rowLine(*l.row, w)
}

func (c Console) heading(s section, w int) string {
	k := c.styles
	if s.class == "" {
		return k.Strip(w, false, k.Current.Of(" CURRENT"), k.Muted.Of(" "+k.Glyph.Dot+" "+currentWord(s.rows[0])))
	}
	word, order := strings.ToUpper(classes.Of(s.class).Word), orderWord(s.class)
	n := strconv.Itoa(s.total)
	if len(s.rows) < s.total {
		n = fmt.Sprintf("%d of %d", len(s.rows), s.total)
	}
	if c.layout.shape != three {
		order = ""
	}
	left := " " + glyphOf(c.styles, s.class) + " " + word + " " + n
	room := max(w-text.Width(left)-1, 0)
	apart := max(room-text.Width(order), 0) // in no style: a terminal clears what is blank, and is told less
	return k.Strip(w, false, k.Class[s.class].Of(left), widget.Ink{}.Of(strings.Repeat(" ", apart)), k.Faint.Of(order))
}

// currentWord says whether the focus can be worked on.
func currentWord(r model.Row) string {
	return strings.ReplaceAll(string(r.Scheduling), "_", " ")
}

// orderWord is how the rows of a class are ordered.
func orderWord(c model.Class) string {
	if c == model.QueuedRunnable {
		return "oldest first"
	}
	return "newest first"
}

// rowLine draws a row: marker, glyph, handle, objective, reason, age, as room allows.
func (c Console) rowLine(r model.Row, w int) string {
	k, st := c.styles, c.layout.queueStyle()
	selected := r.ID == c.place.cursor
	marker := " "
	if selected {
		marker = k.Glyph.Cursor
	} else if c.queue.moved[r.ID] {
		marker = k.Glyph.Changed
	}
	head := []widget.Piece{k.NeedsYou.Of(marker), inkOfRow(k, r).Of(glyphOfRow(c.styles, r)), k.Text.Of(" ")}
	if c.isMarked(r.ID) {
		head[2] = k.Accent.Of(k.Glyph.Mark)
	}
	if st.ids {
		head = append(head, k.Muted.Of(string(r.Handle)+" "))
	}
	reason := ""
	if st.reasons {
		reason = reasonWord(r, c.now)
	}
	tail := text.PadLeft(text.Age(c.now.Sub(ageFrom(r))), ageCells) + " "
	if r.IsCurrent {
		reason, tail = "", " "
	}
	if reason != "" {
		tail = " " + text.Cut(reason, reasonCells) + tail
	}
	room := w - text.Width(tail)
	for _, p := range head {
		room -= p.Width()
	}
	objective := text.Pad(c.show(r.Objective), max(room, 0))
	ink := k.Text
	if r.IsCurrent {
		ink = k.Strong
	}
	return k.Strip(w, selected && c.dialogless(), append(head, ink.Of(objective), k.Muted.Of(tail))...)
}

const (
	ageCells    = 5
	reasonCells = 11
)

// ageFrom is what a row's age counts from.
func ageFrom(r model.Row) time.Time {
	if r.Class == model.TriggeredBlocked && !r.Wait.LastTriggeredAt.IsZero() {
		return r.Wait.LastTriggeredAt
	}
	return r.UpdatedAt
}

// reasonWord is why a row is where it is, in a word or two.
func reasonWord(r model.Row, now time.Time) string {
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
	case r.Wait.Kind == model.WaitTimer && r.Wait.WakeAt.After(now):
		return "in " + text.Age(r.Wait.WakeAt.Sub(now))
	case r.Wait.Kind != "":
		return string(r.Wait.Kind)
	}
	return r.BlockedBy.String()
}

func (c Console) todoLine(r model.Row, w int) string {
	k := c.styles
	s := fmt.Sprintf("   %d/%d", r.Todo.Done, r.Todo.Total)
	if r.Todo.Current != "" {
		s += " " + k.Glyph.Dot + " " + c.show(r.Todo.Current)
	}
	return k.Strip(w, false, k.Muted.Of(s))
}

// glyphOfRow marks the focus as such, whatever its class.
func glyphOfRow(k *widget.Styles, r model.Row) string {
	if r.IsCurrent {
		return k.Glyph.Current
	}
	return glyphOf(k, classes.Shown(r))
}

func glyphOf(k *widget.Styles, of model.Class) string { return classes.Of(of).Mark(&k.Glyph) }

func inkOfRow(k *widget.Styles, r model.Row) widget.Ink {
	if r.IsCurrent {
		return k.Current
	}
	return k.Class[classes.Shown(r)]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
