package screen

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// The reports' panes.
const (
	ReportsList = iota
	ReportsReport
)

// Reports is the operator's position in the finished work, newest first.
type Reports struct {
	List[model.ItemID]
	// Rows are the rows as drawn. Drawn is the filter with which they were read.
	Rows  []model.Row `json:"-"`
	Drawn string      `json:"-"`
	// Reading means that the keys scroll the report instead of the list.
	Reading bool `json:"reading,omitempty"`
	// Scroll is the first visible line of the report.
	Scroll int    `json:"scroll,omitempty"`
	Filter string `json:"filter,omitempty"`
	// Want is how many rows to read: up to the operator's position, and one page more.
	Want int `json:"rows,omitempty"`
}

// Finished is the finished work that was read.
type Finished struct {
	Rows []model.Row
	// More means that there are more rows than were read.
	More bool
}

// Adopt takes new data. If touched is set, the drawn rows stay, unless the new list is longer and has the same beginning.
func (p Reports) Adopt(read Finished, filter string, touched bool) Reports {
	same := func(a, b model.Row) bool { return a.ID == b.ID && a.Revision == b.Revision }
	grows := len(read.Rows) >= len(p.Rows) && slices.EqualFunc(p.Rows, read.Rows[:len(p.Rows)], same)
	if touched && len(p.Rows) > 0 && !grows && filter == p.Drawn {
		p.Held = true
		return p
	}
	before := p.Cursor
	if p.List = p.Show(keysOf(read.Rows, func(r model.Row) model.ItemID { return r.ID })); p.Cursor != before {
		p.Scroll = 0
	}
	p.Rows, p.Drawn = read.Rows, filter
	return p
}

// Row returns the row under the cursor as drawn, or nil.
func (p Reports) Row() *model.Row {
	if at := p.At(); at >= 0 {
		return &p.Rows[at]
	}
	return nil
}

// ReportsView shows finished work, and the report of the row under the cursor.
type ReportsView struct {
	Frame
	Reports
	Body   Rect
	Zoomed bool
	Filter Filter
	Known  Finished
	// Detail is that of the row under the cursor; nil until it was read.
	Detail *Detail
}

// fullW is the width from which the report is beside the list.
const fullW = 110

// Panes puts the list beside the report, or on a narrow screen above it. With a zoom or on a low screen the focused pane gets the whole
// screen.
func (v ReportsView) Panes() (panes [2]Rect) {
	body := v.Body
	switch {
	case (v.Zoomed || body.H < 10) && v.Reading:
		panes[ReportsReport] = body
	case v.Zoomed || body.H < 10:
		panes[ReportsList] = body
	case body.W >= fullW:
		left := body.W / 2
		panes = [2]Rect{{0, body.Y, left, body.H}, {left, body.Y, body.W - left, body.H}}
	default:
		top := max(body.H/2, 5)
		panes = [2]Rect{body.RowsOf(top), body.Below(top)}
	}
	return panes
}

// Height is the number of rows that fit into the list.
func (v ReportsView) Height() int {
	_, h := v.Panes()[ReportsList].Inner()
	return h - v.Filter.Rows()
}

// Draw draws the reports.
func (v ReportsView) Draw() Drawing {
	panes := v.Panes()
	list, report := v.list(panes[ReportsList]), v.report(panes[ReportsReport])
	if panes[ReportsReport].X > 0 {
		return list.NextTo(report)
	}
	return list.Above(report)
}

func (v ReportsView) list(r Rect) Drawing {
	w, _ := r.Inner()
	p := v.pane(r, ReportsList, "Reports", "finished work", !v.Reading)
	p.Right = v.heldNote(v.Held, "")
	v.Filter.draw(p)
	if len(v.Rows) == 0 {
		p.Lines = append(p.Lines, v.Said(v.empty(), w)...)
		return p.draw()
	}
	from, to := v.Reveal(v.Height()).Window(v.Height())
	for i := from; i < to; i++ {
		p.row(v.finished(v.Rows[i], w), i)
	}
	p.Foot = v.position()
	if v.Known.More {
		p.Foot += "+"
	}
	p.Foot = v.Muted.Paint(p.Foot)
	return p.draw()
}

// empty is the text if there are no rows.
func (v ReportsView) empty() string {
	switch {
	case v.Unread != "":
		return v.Unread
	case v.Filter.Text != "":
		return v.Filter.nothing(v.Frame)
	}
	return "Nothing is finished yet. Completed work comes here with its report."
}

func (v ReportsView) finished(r model.Row, w int) string {
	glyph, ink, note := v.Glyph.Done, v.Done, ""
	if !r.Reported {
		glyph, ink, note = v.Glyph.Warning, v.NeedsYou, "no report "
		if r.Offered() {
			note = "offered "
		}
	}
	tail := note + text.PadLeft(v.Age(r.UpdatedAt), ageCells) + " "
	var whose []Piece
	if w >= 48 {
		whose = v.whose(r, 12)
	}
	f := v.Frame
	f.Cursor = f.Cursor && !v.Reading
	return f.item(w, r.ID == v.List.Cursor, ink.Of(glyph+" "), whose, v.Text.Of(v.Frame.Show(r.Objective)), tail)
}

// report draws the report under the cursor, with its source.
func (v ReportsView) report(r Rect) Drawing {
	w, h := r.Inner()
	p := v.pane(r, ReportsReport, "Report", "", v.Reading)
	if v.Row() != nil {
		lines := v.Lines(w)
		p.Lines = visibleRows(lines, v.Scroll, h)
		if last := len(lines) - h; last > 0 {
			p.Foot = v.Muted.Paint(fmt.Sprintf("%d%%", min(v.Scroll, last)*100/last))
		}
		p.Right = v.Muted.Paint(v.KeyOf(action.CopyOf) + " r copies")
	}
	return p.draw()
}

// LastLine is the last line that can be the first visible one of the report.
func (v ReportsView) LastLine() int {
	w, h := v.Panes()[ReportsReport].Inner()
	return max(len(v.Lines(w))-h, 0)
}

// Lines returns the whole report: the item, its report, its source and warnings.
func (v ReportsView) Lines(w int) []string {
	row := v.Row()
	if row == nil {
		return nil
	}
	out := v.Wrapped(row.Objective, w, v.Strong)
	facts := string(row.Handle) + "  " + v.Frame.AgentName(row.AgentID) + "  completed " + v.Clock(row.UpdatedAt)
	out = append(out, v.Note(text.Cut(facts, w-2)), "")
	if v.Detail == nil {
		return append(out, v.Note("Reading…"))
	}
	d := v.Detail.Detail
	out = append(out, v.Detail.report(w)...)
	if u := d.Unfinished(); u != nil {
		out = append(append(out, ""), v.Warned(u.Message, w)...)
	}
	if links := linkWords(d.Links); len(links) > 0 {
		out = append(out, "", v.Note("linked: "+strings.Join(links, ", ")))
	}
	return out
}

func linkWords(l model.Links) []string {
	var out []string
	for _, t := range l.Threads {
		out = append(out, "thread "+model.Text(t.TaskID).String())
	}
	for _, t := range l.TodoRefs {
		out = append(out, "todo "+model.Text(t.QualifiedID).String())
	}
	for _, r := range l.Refs {
		out = append(out, model.Text(r.Kind).String()+" "+r.Ref.String())
	}
	return out
}
