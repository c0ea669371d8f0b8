package console

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// headRows are the detail's lines above its page: objective, facts, rule.
const headRows = 3

// detailPane draws the item under the cursor: what it is, and the page of its tab.
func (c Console) detailPane(r rect) []string {
	w, h := r.inner()
	b := widget.Box{Title: c.tabs(r.w), Focused: c.place.focus == paneDetail}
	row := c.row()
	if row == nil {
		if c.fx.Ledger != nil {
			b.Lines = []string{" " + c.styles.Muted.Paint("Nothing is selected.")}
		}
		return b.Draw(r.w, r.h, c.styles)
	}
	b.Lines = append(b.Lines, c.detailHead(*row, w)...)
	if d := c.detail(); d != nil {
		b.Lines = append(b.Lines, c.pageLines(*d, w, h-headRows)...)
	}
	b.Foot = c.detailFoot()
	return b.Draw(r.w, r.h, c.styles)
}

// tabs names the pages, the one shown in brackets.
func (c Console) tabs(w int) string {
	k := c.styles
	var parts []string
	shown, room := 0, w-tabsMargin
	for i, name := range tabNames {
		switch {
		case tab(i) == c.place.tab:
			shown = len(parts)
			parts = append(parts, k.Accent.Paint(k.Mark(name)))
		case c.offers(tab(i)):
			parts = append(parts, k.Muted.Paint(name))
		}
	}
	if c.layout.shape == three {
		room -= text.Width("Detail  ")
	}
	s := strings.Join(around(parts, shown, room), " ")
	if c.layout.shape == three {
		s = k.Strong.Paint("Detail") + "  " + s
	}
	return s
}

// tabsMargin is the border's part of the line that names the tabs.
const tabsMargin = 6

// around is the part of a list of names that fits in w cells and holds the one at i; an
// ellipsis stands for what is left out at an end.
func around(names []string, i, w int) []string {
	from, to := 0, len(names)
	fit := func() []string {
		out := slices.Clone(names[from:to])
		if from > 0 {
			out = slices.Insert(out, 0, "…")
		}
		if to < len(names) {
			out = append(out, "…")
		}
		return out
	}
	for text.Width(strings.Join(fit(), " ")) > w && to-from > 1 {
		if to-1 > i {
			to--
		} else {
			from++
		}
	}
	return fit()
}

func (c Console) detailHead(r model.Row, w int) []string {
	k := c.styles
	facts := fmt.Sprintf(" %s  %s · plan %s", r.Handle, strings.ReplaceAll(string(r.Scheduling), "_", " "), strings.ReplaceAll(string(r.PlanStatus), "_", " "))
	if s := replyMark(c.detail()); text.Width(facts+s) < w {
		facts += s
	}
	left := k.Muted.Paint(facts)
	if d := c.detail(); d != nil && hasHidden(*d) {
		left += "  " + k.Badge.Paint(" hidden characters ")
	}
	why := ""
	if d := c.detail(); d != nil && c.layout.shape == three && len(d.Why.Lines) > 0 {
		why = text.Cut("why: "+c.show(d.Why.Lines[0].Text), w-text.Width(left)-3) + " "
	}
	return []string{
		k.Strip(w, false, k.Strong.Of(" "+c.show(r.Objective))),
		text.Sides(left, k.Muted.Paint(why), w),
		" " + k.Faint.Paint(strings.Repeat(k.Glyph.Rule, max(w-2, 0))),
	}
}

// hasHidden reports whether an item's words hold characters that no terminal shows.
func hasHidden(d model.Detail) bool {
	if d.Objective.Hidden() || d.BlockedBy.Hidden() {
		return true
	}
	for _, t := range d.TodoList {
		if t.Text.Hidden() {
			return true
		}
	}
	return false
}

// pageLines is the window of h lines of the page shown.
func (c Console) pageLines(d model.Detail, w, h int) []string {
	if c.place.tab == tabPlan {
		return c.planPage(d, w, h)
	}
	lines := c.page(d, w)
	top := min(c.place.scroll[c.place.page()], max(len(lines)-h, 0))
	return lines[top:min(top+max(h, 0), len(lines))]
}

// page is a whole tab, the plan's excepted.
func (c Console) page(d model.Detail, w int) []string {
	switch c.place.tab {
	case tabTodos:
		return c.todoPage(d, w)
	case tabWaits:
		return c.waitPage(d, w)
	case tabEvents:
		return c.eventPage(d, w)
	case tabWhy:
		return c.whyPage(d, w)
	case tabThread:
		return c.threadPage(d, w)
	case tabFiles:
		return c.filesPage(d, w)
	}
	return c.reportPage(d, w)
}

// lastTop is the last line that a pane's page can begin with.
func (c Console) lastTop(p pane) int {
	w, h := c.layout.panes[p].inner()
	if p == paneActivity {
		return max(len(c.truth.activity)-h, 0)
	}
	d := c.detail()
	switch {
	case d == nil:
		return c.place.scroll[c.place.page()]
	case c.place.tab == tabPlan:
		return 0
	case c.place.tab == tabEvents:
		return max(len(d.Entries)-(h-headRows), 0)
	}
	return max(len(c.page(*d, w))-(h-headRows), 0)
}

// detailFoot says where in the page the reader is, or what changed in the plan.
func (c Console) detailFoot() string {
	if c.place.tab == tabPlan {
		return c.planFoot()
	}
	if c.place.tab == tabWhy {
		return c.whyFoot()
	}
	if last := c.lastTop(paneDetail); last > 0 {
		return c.styles.Muted.Paint(fmt.Sprintf("%d%%", c.place.scroll[c.place.page()]*100/last))
	}
	return ""
}
