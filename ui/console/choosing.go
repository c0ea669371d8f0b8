package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
)

// choosing shows the reports that are offered for a completed item, the one at the cursor in
// full. One of them becomes the report, or the operator's own words, or none.
type choosing struct {
	*widget.Menu
	row    model.Row
	offers []model.ReportOffer
	shown  widget.Excerpt
}

// report opens what gives a completed item its report: a choice, where there is one.
func report(c Console) (Console, tea.Cmd) {
	x, r := c.context(), *c.row()
	if d := x.Detail; d != nil && d.ID == r.ID && len(d.Offered) > 0 {
		return c.open(newChoosing(x, r, d.Offered))
	}
	return c.open(reporting(x, r))
}

func newChoosing(x widget.Context, r model.Row, offers []model.ReportOffer) *choosing {
	m := &widget.Menu{Title: about(x, "Report on", r),
		Foot: "{menu-run} keep as the report · {menu-page-up} {menu-page-down} read · {menu-close} decides nothing"}
	line := func(title, does string, result widget.Result) {
		m.Lines = append(m.Lines, widget.MenuLine{Title: fmt.Sprintf("%d %s", len(m.Lines)+1, title), Does: does, Result: result})
	}
	for _, o := range offers {
		line(spaced(string(o.Provenance)), onScreen(x).OfferNote(o),
			widget.Apply{Said: "Reported on " + string(r.Handle), Command: model.ReportWorkItem{WorkItemID: r.ID, Text: o.Text}})
	}
	own := "typed, and saved as: operator"
	if x.Drafts[reportDraft(r.ID)] != "" {
		own, m.At = "your draft is kept", len(offers)
	}
	line("your own words…", own, widget.Open{Dialog: reporting(x, r)})
	line("none of them", "it stays without a report, and asks no more",
		widget.Apply{Said: "Declined the reports offered for " + string(r.Handle), Command: model.DeclineReport{WorkItemID: r.ID}})
	if !r.Offered() {
		m.Lines[len(m.Lines)-1].Off = "declined already; one of them can still be kept"
	}
	return &choosing{Menu: m, row: r, offers: offers}
}

// Press is part of widget.Dialog.
func (d *choosing) Press(k widget.Key, x widget.Context) (widget.Dialog, widget.Result) {
	switch k.ID {
	case action.MenuPageDown:
		d.shown.Scroll(1, len(d.words(x)), d.room(x))
		return d, nil
	case action.MenuPageUp:
		d.shown.Scroll(-1, len(d.words(x)), d.room(x))
		return d, nil
	}
	before := d.At
	next, r := d.Menu.Press(k, x)
	if d.At != before {
		d.shown = widget.Excerpt{}
	}
	if next == nil {
		return nil, r
	}
	return d, r
}

// Draw is part of widget.Dialog.
func (d *choosing) Draw(x widget.Context) widget.Drawn {
	out := d.Menu.Draw(x)
	if lines := d.words(x); len(lines) > 0 {
		out.Lines = append(append(out.Lines, ""), d.shown.Draw(x, lines, d.room(x), "{menu-page-up} {menu-page-down}")...)
		out.H = min(len(out.Lines)+2, x.H)
	}
	return out
}

// words are those at the cursor.
func (d *choosing) words(x widget.Context) []string {
	if d.At >= len(d.offers) {
		return nil
	}
	return x.Wrapped(d.offers[d.At].Text, x.Inner()-2, x.Text)
}

// room is how many lines of an offer fit below the choices: less the border, a gap and the
// line that says which they are.
func (d *choosing) room(x widget.Context) int { return max(x.H-2-len(d.Lines)-2, 2) }

func reportDraft(id model.ItemID) string { return "complete:" + string(id) }
