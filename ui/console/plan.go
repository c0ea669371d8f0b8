package console

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/markdown"
)

// plan is the plan file of the item under the cursor, as it was last read, and the part
// of it that is on screen. Reading, splitting and laying out happen outside of the loop;
// what is here is what they brought.
type plan struct {
	item model.ItemID
	file PlanText
	// doc is the newest text that could be read; base the text that the operator found.
	doc, base *markdown.Document
	baseHash  string
	// keptHash is that of the text that was written down as seen.
	keptHash string
	hidden   bool
	// seen are the plans that the cursor left, as they were seen.
	seen map[model.ItemID]looked
	// left is how many cells wide lines are moved to the left.
	left   int
	search search
	// goneSince is when a file that was there could no longer be read.
	goneSince time.Time
	changedAt time.Time
	// mode says how files are watched when that is not as it should be.
	mode string

	shown painting
	job   paintJob
	// underWay and again: one painting at a time, and the last request last.
	underWay, again bool
}

// paintJob is a part of a document to lay out.
type paintJob struct {
	item model.ItemID
	doc  *markdown.Document
	// from is the document in which at was a place; base that to compare with.
	from, base *markdown.Document
	at         markdown.Position
	// by is how many lines to move from at first.
	by    int
	w, h  int
	style *markdown.Style
}

// painting is the lines of a window on a document.
type painting struct {
	doc     *markdown.Document
	at      markdown.Position
	lines   []markdown.Line
	changes markdown.Changes
	// whole: everything is in sight. progress is how far at is, of 1.
	whole, end bool
	progress   float64
	w, h       int
}

type paintedMsg struct {
	item model.ItemID
	painting
}

// far is a move that means the beginning or the end.
const far = 1 << 16

// paint lays a window out, off the loop: a block costs milliseconds the first time.
func (e *effects) paint(j paintJob) tea.Cmd {
	return func() tea.Msg {
		v := e.pages.View(j.doc, j.w, j.style)
		p := painting{doc: j.doc, at: j.at, w: j.w, h: j.h}
		if j.from != nil && j.from != j.doc {
			p.at = j.doc.Follow(j.from, j.at)
		}
		bottom := v.Bottom(j.h)
		switch {
		case j.by <= -far:
			p.at = markdown.Position{}
		case j.by >= far:
			p.at = bottom
		default:
			p.at = v.Move(p.at, j.by)
		}
		if after(p.at, bottom) {
			p.at = bottom
		}
		p.end, p.whole = p.at == bottom, p.at == bottom && p.at == markdown.Position{}
		p.lines, p.progress = v.Lines(p.at, j.h), v.Progress(p.at)
		if j.base != nil && j.base != j.doc {
			p.changes = j.doc.Changed(j.base)
		}
		return paintedMsg{j.item, p}
	}
}

func after(a, b markdown.Position) bool {
	return a.Block > b.Block || a.Block == b.Block && a.Row > b.Row
}

// openPlan turns to the plan of the item under the cursor.
func (c Console) openPlan() (Console, tea.Cmd) {
	if c.fx.Eyes == nil {
		return c.openPreview()
	}
	before := c.plan
	if before.item == c.place.cursor {
		return c, nil
	}
	c.plan = plan{item: c.place.cursor, mode: before.mode, seen: before.remembered()}
	if c.plan.item == "" {
		return c, nil
	}
	return c, c.fx.readPlan(c.place.agent, c.plan.item, c.inSight()...)
}

// openPreview shows the ledger's own preview where nobody can read the file.
func (c Console) openPreview() (Console, tea.Cmd) {
	d := c.detail()
	if d == nil || c.plan.item == d.ID && c.plan.file.Artifact.Hash == d.Plan.Hash {
		return c, nil
	}
	if c.plan.item != d.ID {
		c.plan = plan{item: d.ID}
	}
	file := PlanText{Artifact: d.Plan, Text: d.Plan.Preview}
	return planMsg{item: d.ID, file: file, doc: markdown.Split(file.Text), at: c.now}.handle(c)
}

// inSight are the items whose plans are worth watching, the one shown first.
func (c Console) inSight() []model.ItemID {
	out := []model.ItemID{c.place.cursor}
	for _, id := range c.queue.order {
		if id != c.place.cursor {
			out = append(out, id)
		}
	}
	return out
}

// handle reads the plan on screen again when it may have changed.
func (m newsMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err != nil {
		if c.fx.ctx.Err() != nil {
			return c, nil
		}
		c.plan.mode = "Plan files are not watched: " + sentence(model.Text(m.err.Error()).String())
		return c, nil
	}
	c.plan.mode = m.news.Mode
	for _, id := range m.news.Items {
		if id == c.plan.item {
			return c, tea.Batch(c.fx.watch(), c.fx.readPlan(c.place.agent, id))
		}
	}
	if m.news.All {
		return c, tea.Batch(c.fx.watch(), c.fx.readPlan(c.place.agent, c.plan.item))
	}
	return c, c.fx.watch()
}

// planRead takes what was read. A file that is being written, or is gone, leaves the last
// text on screen; the same text leaves everything.
func (m planMsg) handle(c Console) (Console, tea.Cmd) {
	c.now = later(c.now, m.at)
	if m.item != c.plan.item || m.file.Unsettled && c.plan.doc != nil {
		return c, nil
	}
	before := c.plan.file.Artifact
	c.plan.file = m.file
	if m.file.Artifact.Condition != model.PlanOK {
		if c.plan.goneSince.IsZero() {
			c.plan.goneSince = m.at
		}
		return c, nil
	}
	c.plan.goneSince, c.plan.hidden = time.Time{}, m.hidden
	if c.plan.doc != nil && before.Hash == m.file.Artifact.Hash {
		return c, nil
	}
	if c.plan.base == nil {
		c.plan = c.plan.since(m)
	} else {
		c.plan.changedAt = m.at
	}
	c.plan.doc = m.doc
	return c.drawPlan()
}

// drawPlan asks for the window on the plan again: the text, the size, the colours or the
// place changed.
func (c Console) drawPlan() (Console, tea.Cmd) { return c.movePlan(0) }

// movePlan asks for the window by lines further down.
func (c Console) movePlan(by int) (Console, tea.Cmd) {
	w, h := c.planSize()
	if c.plan.doc == nil || c.place.tab != tabPlan || w <= 0 || h <= 0 {
		return c, nil
	}
	if c.plan.underWay {
		c.plan.again = true
		c.plan.job.by += by
		return c, nil
	}
	from := c.plan.shown.doc
	if from == nil {
		from = c.plan.doc
	}
	c.plan.job = paintJob{item: c.plan.item, doc: c.plan.doc, from: from, base: c.plan.base,
		at: c.place.reading[c.plan.item], by: by, w: w, h: h, style: c.styles.Page}
	c.plan.underWay = true
	job := c.plan.job
	c.plan.job.by = 0
	return c, c.fx.paint(job)
}

// handle shows what was laid out, unless the cursor has gone elsewhere.
func (m paintedMsg) handle(c Console) (Console, tea.Cmd) {
	c.plan.underWay = false
	if m.item != c.plan.item {
		return c.drawPlan()
	}
	c.plan.shown = m.painting
	c.place.reading[m.item] = m.at
	var seek tea.Cmd
	if s := c.plan.search; s.query != "" && s.doc != nil && (s.doc != m.doc || s.w != m.w) {
		c, seek = c.seekAgain(false)
	}
	if c.plan.again {
		c.plan.again = false
		c, move := c.movePlan(c.plan.job.by)
		return c, tea.Batch(seek, move)
	}
	return c, seek
}

// readMarks takes the marks of changed lines away once they have been in sight and focus.
func (c Console) readMarks() (Console, tea.Cmd) {
	if c.place.focus != paneDetail || c.place.tab != tabPlan || c.plan.changedAt.IsZero() || c.now.Sub(c.plan.changedAt) < beat {
		return c, nil
	}
	c.plan = c.plan.read()
	return c.drawPlan()
}

// handle reads the plan again after the editor, and finds out what the terminal is now.
func (m editedMsg) handle(c Console) (Console, tea.Cmd) {
	read := tea.Batch(c.fx.readPlan(c.place.agent, c.plan.item), tea.RequestWindowSize, tea.RequestBackgroundColor)
	if m.err != nil {
		c, said := c.complain(m.err)
		return c, tea.Batch(read, said)
	}
	return c, read
}
