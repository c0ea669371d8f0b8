package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// choosing shows the reports that are offered for a completed item, the one at the cursor in
// full. One of them becomes the report, or the operator's own words, or none.
type choosing struct {
	*menu
	row    model.Row
	offers []model.ReportOffer
	// top is the first line shown of the offer at the cursor.
	top int
}

// report opens what gives a completed item its report: a choice, where there is one.
func (c Console) report() (Console, tea.Cmd) {
	r := *c.row()
	if d := c.detail(); d != nil && d.ID == r.ID && len(d.Offered) > 0 {
		c.dialog = newChoosing(c, r, d.Offered)
	} else {
		c.dialog = reporting(c)
	}
	return c, nil
}

func newChoosing(c Console, r model.Row, offers []model.ReportOffer) *choosing {
	m := &menu{title: fmt.Sprintf("Report on %s  %s", r.Handle, text.Cut(c.show(r.Objective), 50)),
		foot: action.Keyed("{menu-run} keep as the report · {menu-page-up} {menu-page-down} read · {menu-close} decides nothing")}
	for i, o := range offers {
		m.lines = append(m.lines, menuLine{title: fmt.Sprintf("%d %s", i+1, spaced(string(o.Provenance))), does: c.offerNote(o),
			wish: wish{said: "Reported on " + string(r.Handle), command: model.ReportWorkItem{WorkItemID: r.ID, Text: o.Text}}})
	}
	own := menuLine{title: fmt.Sprintf("%d your own words…", len(offers)+1), does: "typed, and saved as: operator"}
	if c.drafts[reportDraft(r.ID)] != "" {
		own.does, m.at = "your draft is kept", len(offers)
	}
	m.lines = append(m.lines, own, menuLine{title: fmt.Sprintf("%d none of them", len(offers)+2), does: "it stays without a report, and asks no more",
		wish: wish{said: "Declined the reports offered for " + string(r.Handle), command: model.DeclineReport{WorkItemID: r.ID}}})
	if !r.Offered() {
		m.lines[len(m.lines)-1].off = "declined already; one of them can still be kept"
	}
	return &choosing{menu: m, row: r, offers: offers}
}

// offerNote says when words were offered, and whose they may be besides.
func (c Console) offerNote(o model.ReportOffer) string {
	s := text.Age(c.now.Sub(o.At)) + " ago"
	if n := len(o.SharedWith); n > 0 {
		s += fmt.Sprintf(" · the round completed %d more", n)
	}
	return s
}

func (d *choosing) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	a, _ := action.Of(action.Menu, k)
	step := max(d.room(s)-1, 1)
	before := d.at
	switch {
	case a.ID == action.MenuPageDown:
		d.top = min(d.top+step, d.lastTop(s))
		return d, wish{}
	case a.ID == action.MenuPageUp:
		d.top = max(d.top-step, 0)
		return d, wish{}
	case a.ID == action.MenuRun && d.at == len(d.offers), k.String() == fmt.Sprint(len(d.offers)+1) && !d.waiting:
		return reporting(s.Console), wish{}
	}
	next, w := d.menu.press(k, s)
	if d.at != before {
		d.top = 0
	}
	if next == nil {
		return nil, w
	}
	return d, w
}

func (d *choosing) paste(string) dialog { return d }

func (d *choosing) draw(w, h int, s surroundings) drawn {
	out := d.menu.draw(w, h, s)
	if lines := d.words(s); len(lines) > 0 {
		room := d.room(s)
		top := min(d.top, d.lastTop(s))
		out.Lines = append(out.Lines, "")
		out.Lines = append(out.Lines, lines[top:min(top+room, len(lines))]...)
		if len(lines) > room {
			out.Lines = append(out.Lines, s.mutedLine(fmt.Sprintf("lines %d-%d of %d · pgup pgdn", top+1, min(top+room, len(lines)), len(lines))))
		}
		out.h = min(len(out.Lines)+2, h)
	}
	return out
}

// words are those at the cursor.
func (d *choosing) words(s surroundings) []string {
	if d.at >= len(d.offers) {
		return nil
	}
	return s.wrapped(d.offers[d.at].Text, d80(s.layout.w)-2, s.styles.Text)
}

// room is how many lines of an offer fit below the choices.
func (d *choosing) room(s surroundings) int {
	return max(s.layout.h-1-s.layout.hints-2-len(d.lines)-2, 2) // less what View keeps below, the border, a gap and the scroll line
}

func (d *choosing) lastTop(s surroundings) int { return max(len(d.words(s))-d.room(s), 0) }

func reportDraft(id model.ItemID) string { return "complete:" + string(id) }

func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }
