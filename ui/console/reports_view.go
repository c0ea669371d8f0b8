package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// reportsPanes lays the list beside the report, or above it on a narrow screen; a zoom, or
// a low one, gives the one with the keys all.
func (c Console) reportsPanes() (list, report rect) {
	body := c.layout.body()
	switch {
	case c.place.zoomed || body.h < 10:
		if c.place.reports.reading {
			return rect{}, body
		}
		return body, rect{}
	case body.w >= wideW:
		left := body.w / 2
		return rect{0, body.y, left, body.h}, rect{left, body.y, body.w - left, body.h}
	}
	top := max(body.h/2, 5)
	return body.rowsOf(top), body.below(top)
}

// reportsBody draws finished work, and the report of the one under the cursor.
func (c Console) reportsBody() []string {
	list, report := c.reportsPanes()
	var left, right []string
	if !list.empty() {
		left = c.reportsList(list)
	}
	if !report.empty() {
		right = c.reportPane(report)
	}
	if !list.empty() && !report.empty() && list.y == report.y {
		return widget.Join(left, right)
	}
	return append(left, right...)
}

func (c Console) reportsList(r rect) []string {
	w, h := r.inner()
	k, p := c.styles, c.place.reports
	b := widget.Box{Title: k.Strong.Paint("Reports") + "  " + k.Muted.Paint("finished work"), Right: c.reportsNote(), Focused: !p.reading}
	if c.filterRows() > 0 {
		b.Lines = append(b.Lines, c.filterLine(w))
		h--
	}
	switch {
	case c.trouble != nil && c.truth.at.IsZero():
		b.Lines = append(b.Lines, c.frame().Said(c.troubleWords(), w)...)
	case c.truth.at.IsZero():
		b.Lines = append(b.Lines, " "+k.Muted.Paint("Reading the ledger…"))
	case len(p.rows) == 0 && c.truth.finished.searched > 0:
		b.Lines = append(b.Lines, c.frame().Said(fmt.Sprintf(c.keys.Keyed("No match in the newest %d. {back} clears."), c.truth.finished.searched), w)...)
	case len(p.rows) == 0 && c.filterText() != "":
		b.Lines = append(b.Lines, c.frame().Said(c.keys.Keyed("Nothing finished matches. {back} clears."), w)...)
	case len(p.rows) == 0:
		b.Lines = append(b.Lines, c.frame().Said("Nothing is finished yet. Completed work comes here with its report.", w)...)
	}
	top := window(p.at(), p.top, h, len(p.rows))
	for _, row := range p.rows[top:min(top+h, len(p.rows))] {
		b.Lines = append(b.Lines, c.reportRow(row, w))
	}
	if len(p.rows) > 0 {
		of := fmt.Sprint(len(p.rows))
		if c.truth.finished.more {
			of += "+"
		}
		b.Foot = k.Muted.Paint(fmt.Sprintf("%d of %s", p.at()+1, of))
	}
	return b.Draw(r.w, r.h, k)
}

func (c Console) reportsNote() string {
	switch {
	case c.place.reports.held:
		return c.styles.NeedsYou.Paint("order changed") + c.styles.Muted.Paint(" R")
	case c.place.reports.filter != "" && !c.filtering():
		return c.styles.Accent.Paint("filtered")
	}
	return c.styles.Muted.Paint("newest first")
}

func (c Console) reportRow(r model.Row, w int) string {
	k, p := c.styles, c.place.reports
	selected := r.ID == p.cursor
	marker := " "
	if selected {
		marker = k.Glyph.Cursor
	}
	glyph, ink := k.Glyph.Done, k.Done
	note := ""
	if !r.Reported {
		glyph, ink, note = k.Glyph.Warning, k.NeedsYou, "no report "
		if r.Offered() {
			note = "offered "
		}
	}
	tail := note + text.PadLeft(text.Age(c.now.Sub(r.UpdatedAt)), ageCells) + " "
	head := []widget.Piece{k.NeedsYou.Of(marker), ink.Of(glyph + " ")}
	used := 3
	if w >= 48 {
		head = append(head, k.Muted.Of(text.Pad(string(r.Handle), 8)+" "), k.Muted.Of(text.Pad(c.show(model.Text(r.AgentID)), 12)+" "))
		used += 22
	}
	body := text.Pad(c.show(r.Objective), max(w-used-text.Width(tail), 0))
	return k.Strip(w, selected && c.dialogless() && !p.reading, append(head, k.Text.Of(body), k.Muted.Of(tail))...)
}

// reportPane draws the report under the cursor, and where it came from.
func (c Console) reportPane(r rect) []string {
	w, h := r.inner()
	p := c.place.reports
	b := widget.Box{Title: c.styles.Strong.Paint("Report"), Focused: p.reading}
	if p.row() != nil {
		lines := c.reportLines(w)
		top := min(p.scroll, max(len(lines)-h, 0))
		b.Lines = lines[top:min(top+h, len(lines))]
		if len(lines) > h {
			b.Foot = c.styles.Muted.Paint(fmt.Sprintf("%d%%", top*100/(len(lines)-h)))
		}
		b.Right = c.styles.Muted.Paint("y r copies")
	}
	return b.Draw(r.w, r.h, c.styles)
}

// reportLines are the whole report pane: the item, its report, its provenance and warnings.
func (c Console) reportLines(w int) []string {
	row, d, k := c.place.reports.row(), c.detail(), c.styles
	if row == nil {
		return nil
	}
	out := c.frame().Wrapped(row.Objective, w, k.Strong)
	out = append(out, " "+k.Muted.Paint(text.Cut(string(row.Handle)+"  "+c.show(model.Text(row.AgentID))+"  completed "+c.frame().Clock(row.UpdatedAt), w-2)), "")
	if d == nil {
		return append(out, " "+k.Muted.Paint("Reading…"))
	}
	out = append(out, c.reportPage(*d, w)...)
	if u := d.Unfinished(); u != nil {
		out = append(out, "")
		out = append(out, c.frame().Warned(u.Message, w)...)
	}
	if len(d.Links.Threads)+len(d.Links.TodoRefs)+len(d.Links.Refs) > 0 {
		out = append(out, "", " "+k.Muted.Paint("linked: "+strings.Join(linkWords(d.Links), ", ")))
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
