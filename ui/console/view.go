package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/home"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

func (c *console) header() screen.Header {
	var views []action.Action
	for _, id := range viewActs {
		views = append(views, c.keys.ByID(id))
	}
	v := screen.Header{
		Frame: c.frame(), W: c.layout.w, Views: views, At: int(c.view), Badges: c.badges(),
		Needs: c.inbox(), More: len(c.inbox()) >= inboxShown, Findings: len(c.files.Pending), Modal: c.layers.dialog() != nil,
	}
	switch c.view {
	case viewDesk:
		v.Agent, v.Gist = c.agent, v.Counts(c.truth.desk)
	case viewFleet:
		v.Gist = v.Muted.Paint(c.fleetView().Gist())
	}
	return v
}

// badges are states of the whole screen that the operator must not miss.
func (c *console) badges() []string {
	var out []string
	if c.fx.Demo {
		out = append(out, "DEMO")
	}
	if c.fx.Session.ReadOnly != "" {
		out = append(out, "READ-ONLY")
	}
	if c.truth.desk.Agent.Posture == model.Stopped {
		out = append(out, "STOPPED")
	}
	asOf := c.frame().AwayBadge()
	if c.view == viewDesk {
		asOf = c.frame().AsOf(c.truth.desk.Agent.ID)
	}
	if asOf != "" {
		out = append(out, strings.ToUpper(asOf))
	}
	if q := queuedWords(c.truth.desk.Agent); q != "" {
		out = append(out, q)
	}
	for _, x := range c.truth.conditions {
		badge := strings.ToUpper(model.Spaced(x.Code))
		if x.ReadOnly && c.fx.Session.ReadOnly == "" {
			badge = "READ-ONLY"
		}
		out = append(out, badge)
	}
	if c.trouble != nil && !c.truth.at.IsZero() {
		out = append(out, "OLD "+c.truth.at.Format("15:04:05"))
	}
	return out
}

// newest is the newest message.
func (c *console) newest() screen.Footer {
	k := c.styles
	v := screen.Footer{Frame: c.frame(), W: c.layout.w, Rows: c.layout.hints, Status: c.status(), Ink: k.Text, Most: min(c.layout.h/5, 6)}
	switch f := c.filterShown(); {
	case f.Trouble != "" && (f.Typing || c.note.text == ""):
		v.Message, v.Urgent, v.Ink = text.Sentence(f.Trouble), true, k.Blocked
	case c.note.text != "":
		v.Message, v.Urgent = c.note.text, c.note.isError && c.trouble == nil
		v.Cut = v.Narrow && !strings.Contains(v.Message, k.Glyph.Warning) // a narrow screen leaves a tip one line
		if c.note.isError {
			v.Ink = k.Blocked
		}
		if v.Urgent && len(c.truth.conditions) > 0 { // the error may be older
			v.Message += " " + c.truth.conditionWords()
		}
	case c.trouble != nil:
	case len(c.truth.conditions) > 0:
		v.Message, v.Ink, v.Urgent = c.truth.conditionWords(), k.NeedsYou, true
	case c.view == viewFleet && c.fleetView().Words() != "":
		v.Message, v.Cut = c.fleetView().Words(), true
	case c.plan.mode != "":
		v.Message, v.Ink, v.Cut = clean(c.plan.mode), k.NeedsYou, true
	}
	if c.trouble != nil && !v.Urgent {
		v.Message, v.Ink, v.Urgent = c.troubleWords(), k.NeedsYou, true
		if c.truth.at.IsZero() && c.layout.shows(paneQueue) { // a pane shows them
			v.Message = "Nothing was read yet. vise tries again until it can; writes are off."
		}
		if !strings.HasPrefix(v.Message, c.note.text) { // the last action is done, or refused, although the ledger cannot be read now
			v.Message = c.note.text + " " + v.Message
		}
	}
	v.Message, v.Cut = k.Safe(v.Message), v.Cut || c.layers.toZero() // the run to zero leaves the message one line
	return v
}

// footer is the newest message and the most likely keys. Keys that are not available now are left out.
func (c *console) footer() screen.Footer {
	v := c.newest()
	if top := c.layers.top(); top != nil {
		v.Hint = top.Draw(c.facts()).Hint
		return v
	}
	if c.fx.Ledger == nil {
		return v
	}
	v.Help = c.keys.ByID(action.Help)
	state := c.state()
	for _, x := range pageActs(c) {
		a := c.keys.ByID(x.id)
		if a.Hint, _, _ = strings.Cut(x.word, ":"); x.word != "" {
			v.Hints = append(v.Hints, a)
		}
	}
	obvious := c.keys.Obvious(state)
	for _, a := range c.keys {
		a = c.keys.Hinted(a, state)
		taken := slices.ContainsFunc(v.Hints, func(h action.Action) bool { return h.ID == a.ID })
		hints := a.Hint != "" && a.Key() != "" && a.ID != action.Help && a.ID != obvious
		if hints && c.keys.Refusal(a, state) == "" && !taken {
			v.Hints = append(v.Hints, a)
		}
	}
	return v
}

// status says why the agent works or not, and whether something is being saved.
func (c *console) status() string {
	if c.truth.at.IsZero() {
		return ""
	}
	var parts []string
	if c.view == viewDesk && c.agent != "" && !c.layers.toZero() {
		s, _ := home.Live(c.talk.all, c.agent)
		d := c.truth.desk.Decision
		parts = append(parts, clean(c.agent)+": "+cmp.Or(c.styles.Safe(clean(s.Says(c.now, d))), d.Words()))
	}
	if n := c.outbox.unsaved(); n > 0 {
		parts = append(parts, "saving "+strconv.Itoa(n))
	}
	return strings.Join(parts, " · ")
}

// View draws the frame from the console's data only.
func (c console) View() tea.View {
	v := tea.View{AltScreen: true, ReportFocus: true}
	if c.opt.Settings.Mouse { // a drag is left to the terminal in any case
		v.MouseMode = tea.MouseModeCellMotion
	}
	if c.opt.Settings.WindowTitle {
		v.WindowTitle = "vise"
		if n := len(c.truth.inbox); n > 0 {
			v.WindowTitle += " " + strconv.Itoa(n)
		}
	}
	if c.layout.w <= 0 || c.layout.h <= 0 {
		return v
	}
	lines := c.drawn().Lines
	if c.layout.shape != tiny {
		v.Cursor = c.promptCursor()
		for i, d := range c.layers {
			if shows(d) {
				lines, v.Cursor = c.over(lines, d, i == len(c.layers)-1)
			}
		}
	}
	v.Content = text.Whole(strings.Join(lines, "\n"))
	if c.opt.ascii() {
		v.Content = themes.ASCII.Replace(v.Content)
	}
	return v
}

// over draws a dialog over what lies below. One that is not on top is dimmed.
func (c *console) over(lines []string, d dialog, onTop bool) (_ []string, at *tea.Cursor) {
	x := c.facts()
	beside := c.layers.besideTriage()
	if _, ok := d.(*triage); ok && beside {
		x.Under = min(c.layers.top().Draw(x).height(x), x.H-leastFinding)
	}
	drawn := d.Draw(x)
	drawn.H = drawn.height(x)
	drawn.Sheet = drawn.Sheet || onTop && beside
	left, top := (x.W-drawn.W)/2, max((x.H-drawn.H)/3, 0)
	if drawn.Sheet {
		left, top = 0, x.H-drawn.H
	}
	drawn.Focused = onTop
	box := drawn.Box.Draw(drawn.W, drawn.H, c.styles)
	for i := range box {
		if !onTop && x.Under == 0 {
			box[i] = c.styles.Muted.Paint(ansi.Strip(box[i]))
		}
	}
	if drawn.Cursor != nil {
		at = tea.NewCursor(left+1+drawn.Cursor.X, top+1+drawn.Cursor.Y)
	}
	return screen.Over(lines, box, left, top, drawn.W), at
}

// promptCursor is the position of the text cursor in the screen itself; nil if nothing is typed there.
func (c *console) promptCursor() *tea.Cursor {
	if p := c.layers.prompt(searchPrompt); p != nil {
		_, x := c.plan.Search.Line(c.frame(), &p.Field, c.layout.w)
		return tea.NewCursor(x, c.layout.h-1-c.layout.hints)
	}
	if _, types := c.layers.top().(*sayLine); types {
		if v := c.detailView(); v.Session != nil {
			return tea.NewCursor(v.SayAt())
		}
	}
	p, r := c.layers.prompt(filterPrompt), c.layout.panes[paneQueue]
	switch c.view {
	case viewFleet:
		at := screen.FleetInbox
		if c.fleet.OfEvents {
			at = screen.FleetActivity
		}
		r = c.fleetView().Panes()[at]
	case viewReports:
		r, _ = c.sides()
	}
	if p == nil || r.Empty() {
		return nil
	}
	_, x, _ := p.Field.Draw(max(r.W-2-3, 2), c.styles)
	return tea.NewCursor(r.X+1+3+x, r.Y+1)
}

// drawn is the screen without a dialog, each line as wide as the screen, and its clickable areas.
func (c *console) drawn() screen.Drawing {
	l := c.layout
	if l.shape == tiny {
		return screen.Drawing{Lines: c.tinyDesk()}
	}
	all := c.header().Draw().Above(c.body())
	out := all.Lines
	if d := c.layers.dialog(); d != nil { // the screen behind is dimmed; above a sheet it stays readable
		ink := c.styles.Faint
		if d.Draw(c.facts()).Sheet {
			ink = c.styles.Muted
		}
		for i, line := range out {
			out[i] = ink.Paint(ansi.Strip(line))
		}
	}
	footer := c.footer()
	message := footer.Lines()
	if p := c.layers.prompt(searchPrompt); p != nil {
		line, _ := c.plan.Search.Line(footer.Frame, &p.Field, l.w)
		message = []string{line}
	}
	all.Lines = append(out[:len(out)+1-len(message)], message...)
	return all.Above(footer.Keys(l.h - l.hints))
}

// tinyDesk is the smallest screen: who needs whom, in one line.
func (c *console) tinyDesk() []string {
	s := c.frame().Gist(c.truth.desk, len(c.truth.inbox))
	if c.trouble != nil {
		s = "vise ! " + c.styles.Safe(clean(c.trouble.Message))
	}
	out := []string{text.Pad(s, c.layout.w)}
	for len(out) < c.layout.h {
		out = append(out, text.Pad("", c.layout.w))
	}
	return out
}
