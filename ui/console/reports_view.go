package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
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
		return join(left, right)
	}
	return append(left, right...)
}

func (c Console) reportsList(r rect) []string {
	w, h := r.inner()
	k, p := c.skin, c.place.reports
	b := box{title: k.strong.paint("Reports") + "  " + k.muted.paint("finished work"), right: c.reportsNote(), focused: !p.reading}
	if c.filterRows() > 0 {
		b.lines = append(b.lines, c.filterLine(w))
		h--
	}
	switch {
	case c.trouble != nil && c.truth.at.IsZero():
		b.lines = append(b.lines, c.said(c.troubleWords(), w)...)
	case c.truth.at.IsZero():
		b.lines = append(b.lines, " "+k.muted.paint("Reading the ledger…"))
	case len(p.rows) == 0 && c.truth.finished.searched > 0:
		b.lines = append(b.lines, c.said(fmt.Sprintf(action.Keyed("No match in the newest %d. {back} clears."), c.truth.finished.searched), w)...)
	case len(p.rows) == 0 && c.filterText() != "":
		b.lines = append(b.lines, c.said(action.Keyed("Nothing finished matches. {back} clears."), w)...)
	case len(p.rows) == 0:
		b.lines = append(b.lines, c.said("Nothing is finished yet. Completed work comes here with its report.", w)...)
	}
	top := window(p.at(), p.top, h, len(p.rows))
	for _, row := range p.rows[top:min(top+h, len(p.rows))] {
		b.lines = append(b.lines, c.reportRow(row, w))
	}
	if len(p.rows) > 0 {
		of := fmt.Sprint(len(p.rows))
		if c.truth.finished.more {
			of += "+"
		}
		b.foot = k.muted.paint(fmt.Sprintf("%d of %s", p.at()+1, of))
	}
	return b.draw(r.w, r.h, k)
}

func (c Console) reportsNote() string {
	switch {
	case c.place.reports.held:
		return c.skin.needsYou.paint("order changed") + c.skin.muted.paint(" R")
	case c.place.reports.filter != "" && c.find == nil:
		return c.skin.accent.paint("filtered")
	}
	return c.skin.muted.paint("newest first")
}

func (c Console) reportRow(r model.Row, w int) string {
	k, p := c.skin, c.place.reports
	selected := r.ID == p.cursor
	marker := " "
	if selected {
		marker = k.glyph.Cursor
	}
	glyph, ink := k.glyph.Done, k.done
	note := ""
	if !r.Reported {
		glyph, ink, note = k.glyph.Warning, k.needsYou, "no report "
		if r.Offered() {
			note = "offered "
		}
	}
	tail := note + text.PadLeft(text.Age(c.now.Sub(r.UpdatedAt)), ageCells) + " "
	head := []piece{{marker, k.needsYou}, {glyph + " ", ink}}
	used := 3
	if w >= 48 {
		head = append(head, piece{text.Pad(string(r.Handle), 8) + " ", k.muted}, piece{text.Pad(c.show(model.Text(r.AgentID)), 12) + " ", k.muted})
		used += 22
	}
	body := text.Pad(c.show(r.Objective), max(w-used-text.Width(tail), 0))
	return k.strip(w, selected && c.dialogless() && !p.reading, append(head, piece{body, k.text}, piece{tail, k.muted})...)
}

// reportPane draws the report under the cursor, and where it came from.
func (c Console) reportPane(r rect) []string {
	w, h := r.inner()
	p := c.place.reports
	b := box{title: c.skin.strong.paint("Report"), focused: p.reading}
	if p.row() != nil {
		lines := c.reportLines(w)
		top := min(p.scroll, max(len(lines)-h, 0))
		b.lines = lines[top:min(top+h, len(lines))]
		if len(lines) > h {
			b.foot = c.skin.muted.paint(fmt.Sprintf("%d%%", top*100/(len(lines)-h)))
		}
		b.right = c.skin.muted.paint("y r copies")
	}
	return b.draw(r.w, r.h, c.skin)
}

// reportLines are the whole report pane: the item, its report, its provenance and warnings.
func (c Console) reportLines(w int) []string {
	row, d, k := c.place.reports.row(), c.detail(), c.skin
	if row == nil {
		return nil
	}
	out := c.wrapped(row.Objective, w, k.strong)
	out = append(out, " "+k.muted.paint(text.Cut(string(row.Handle)+"  "+c.show(model.Text(row.AgentID))+"  completed "+c.clock(row.UpdatedAt), w-2)), "")
	if d == nil {
		return append(out, " "+k.muted.paint("Reading…"))
	}
	out = append(out, c.reportPage(*d, w)...)
	if u := d.Unfinished(); u != nil {
		out = append(out, "")
		out = append(out, c.warned(u.Message, w)...)
	}
	if len(d.Links.Threads)+len(d.Links.TodoRefs)+len(d.Links.Refs) > 0 {
		out = append(out, "", " "+k.muted.paint("linked: "+strings.Join(linkWords(d.Links), ", ")))
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
