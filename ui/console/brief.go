package console

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// awayFor is the time without a key after which the console first shows the brief. briefBack is how far the
// brief looks back if there was no such absence.
const (
	awayFor   = 4 * time.Hour
	briefBack = 12 * time.Hour
	// keyGrain is the precision of the stored time of the last key, so that keys cause few writes.
	keyGrain = 10 * time.Minute
)

// briefDialog shows what happened since the operator was last here.
type briefDialog struct {
	*pager
	lines []action.BriefLine
}

// newBrief is the brief before its data was read.
func newBrief() *briefDialog {
	b := &briefDialog{}
	b.pager = &pager{Title: "Brief", Lines: b.drawn,
		Foot: "{open} goes through what needs you · {copy} copy as Markdown · {back} goes on"}
	return b
}

// tellBrief opens the brief of the time since the operator's absence began, or else of the last hours.
func tellBrief(c *console) {
	since := c.now.Add(-briefBack)
	if !c.idle.away.IsZero() {
		since = c.idle.away
	}
	b := newBrief()
	c.open(b)
	c.start(c.fx.readBrief(b, since, false))
}

// afterAbsence shows the brief at the first key after a long absence. That key does nothing else.
func afterAbsence(c *console, _ tea.KeyPressMsg) bool {
	if !c.idle.cameBack(c.now) || len(c.layers) > 0 || c.fx.Ledger == nil {
		return false
	}
	c.layers = layers{newBrief()}
	c.start(briefed(*c))
	return true
}

// cameBack records that the operator is here, and reports whether there was a long absence before.
func (i *idle) cameBack(now time.Time) bool {
	last := i.lastKey
	i.lastKey = now
	if last.IsZero() || now.Sub(last) < awayFor {
		return false
	}
	i.away = last
	return true
}

// briefed reads the data of the brief that opened by itself, if there is one.
func briefed(c console) tea.Cmd {
	if b, ok := c.layers.top().(*briefDialog); ok && b.lines == nil {
		return c.fx.readBrief(b, c.idle.away, true)
	}
	return nil
}

// readBrief reads what happened since a time. unasked: it closes the brief if nothing happened.
func (e *effects) readBrief(b *briefDialog, since time.Time, unasked bool) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		var d model.Digest
		now := e.now()
		err := e.Ledger.View(e.ctx, func(r model.Reader) error { d = model.DigestOf(r, since, now); return nil })
		return act(func(c *console) {
			if unasked && d.Empty() && c.layers.top() == dialog(b) {
				c.layers = c.layers.put(nil)
				c.say("Nothing happened in " + text.Age(now.Sub(since)) + ", and nothing needs you.")
				return
			}
			b.lines = action.BriefLines(d, now)
		}), err
	})
}

// Press is part of dialog.
func (b *briefDialog) Press(k keyPress, x facts) (open bool, m message) {
	switch k.ID {
	case action.Open:
		return false, act(func(c *console) { c.toZero(0) })
	case action.CopyOf:
		return true, act(func(c *console) { c.clip("The brief", action.BriefMarkdown(b.lines)) })
	}
	return b.pager.Press(k, x)
}

// drawn are the lines at a width of w cells.
func (b *briefDialog) drawn(x facts, w int) []string {
	if b.lines == nil {
		return []string{x.Note("Reading…")}
	}
	var out []string
	for i, l := range b.lines {
		switch {
		case l.Heading != "":
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, " "+x.Strong.Paint(x.Safe(l.Heading)))
		case l.Name == "":
			out = append(out, x.Note(x.Safe(l.Words)))
		default:
			name := text.Cut(x.Safe(l.Name), max(w/2, 12))
			out = append(out, "   "+x.Text.Paint(name)+"  "+x.Muted.Paint(x.Safe(l.Agent)))
			out = append(out, x.Hang("     ", x.Muted, x.Safe(l.Words), w-5)...)
		}
	}
	return out
}
