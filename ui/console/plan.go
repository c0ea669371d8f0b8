package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
	"vise/ui/text"
)

// plan is the plan file of the item under the cursor, as last read, and the part of it that is on screen.
// Reading, splitting and layout happen outside the loop; plan holds their results.
type plan struct {
	screen.Plan
	// text is the file's text, as last read.
	text model.Text
	// base is the text that changes are counted from. seen is the text that the operator has seen: base, or a later one whose changes are
	// drawn faint until the next.
	base, seen seenPlan
	// looks counts the times that a key of the operator's opened changes; opened is the text that the last one opened.
	looks  int
	opened *markdown.Document
	// saves is nil while the current plan is shown. seek: the screen moves to the changes of a save.
	saves *saves
	seek  bool
	// keptHash is the hash of the text that was last stored as seen.
	keptHash string
	// mode says how files are watched, if not in the usual way.
	mode string

	job layoutJob
	// underWay and again: only one layout runs at a time, and the last request is always done.
	underWay, again bool
}

// layoutJob is a request to lay out a part of a document.
type layoutJob struct {
	item model.ItemID
	doc  *markdown.Document
	// from is the document that at refers to. base is the document to compare with.
	from, base *markdown.Document
	at         markdown.Position
	// save is the save that doc came from; nil if doc is the current plan.
	save *screen.Save
	// by is the number of lines to move from at. seek: move to the first change if none is visible.
	by    int
	seek  bool
	w, h  int
	style *markdown.Style
}

// laidOutMsg brings the lines of a window on a plan.
type laidOutMsg struct {
	item model.ItemID
	screen.Window
}

// far is a move to the beginning or the end.
const far = 1 << 16

// layOut lays out a window, outside the loop: the first layout of a block takes milliseconds.
func (e *effects) layOut(j layoutJob) tea.Cmd {
	return func() tea.Msg {
		v := e.pages.View(j.doc, j.w, j.style)
		p := screen.Window{Doc: j.doc, At: j.at, W: j.w, H: j.h}
		if j.from != nil && j.from != j.doc {
			p.At = j.doc.Follow(j.from, j.at)
		}
		bottom := v.Bottom(j.h)
		show := func(at markdown.Position) {
			if p.At = at; after(at, bottom) {
				p.At = bottom
			}
			p.Lines = v.Lines(p.At, j.h)
		}
		switch {
		case j.by <= -far:
			show(markdown.Position{})
		case j.by >= far:
			show(bottom)
		default:
			show(v.Move(p.At, j.by))
		}
		switch {
		case j.save != nil:
			p.Changes = j.save.Changes
		case j.base != nil && j.base != j.doc:
			p.Changes = j.doc.Changed(j.base)
		}
		if first := p.Changes.First(); j.seek && first > 0 && !slices.ContainsFunc(p.Lines, p.Changes.Touch) {
			show(v.Move(v.PlaceOf(first), -j.h/3))
		}
		p.Progress = v.Progress(p.At)
		p.End, p.Whole = p.At == bottom, p.At == bottom && p.At == markdown.Position{}
		return laidOutMsg{j.item, p}
	}
}

func after(a, b markdown.Position) bool {
	return a.Block > b.Block || a.Block == b.Block && a.Row > b.Row
}

// openPlan shows the plan of the item on screen.
func (c *console) openPlan() {
	agent, item := c.shown()
	if d := c.truth.detail; c.plan.Item == item && d != nil && d.ID == item && d.Plan.Condition == model.PlanElsewhere &&
		!model.SamePlan(d.Plan, c.plan.Artifact) {
		c.start(c.fx.readPlan(agent, item)) // no file here tells of a change on another machine
		return
	}
	if c.plan.Item == item {
		return
	}
	c.plan = plan{Plan: screen.Plan{Item: item}, mode: c.plan.mode}
	others := slices.DeleteFunc(slices.Clone(c.queue.Order), func(id model.ItemID) bool { return id == item })
	c.start(c.fx.readPlan(agent, item, slices.Insert(others, 0, item)...)) // the plans of visible items are worth watching
}

// newsCame reads the plan on screen again if it may have changed.
func newsCame(c *console, news News, err error) {
	if err != nil {
		if c.fx.ctx.Err() == nil {
			c.plan.mode = "Plan files are not watched: " + text.Sentence(clean(err.Error()))
		}
		return
	}
	c.plan.mode = news.Mode
	c.start(c.fx.watch())
	if news.All || slices.Contains(news.Items, c.plan.Item) {
		agent, _ := c.shown()
		c.start(c.fx.readPlan(agent, c.plan.Item))
	}
}

// handle takes a plan that was read. If the file is being written or is gone, the last text stays on screen. If
// the text is the same, nothing changes.
func (m planMsg) handle(c *console) {
	c.now = later(c.now, m.at)
	if m.item != c.plan.Item || m.file.Unsettled && c.plan.Doc != nil {
		return
	}
	before := c.plan.Artifact
	c.plan.Artifact, c.plan.text = m.file.Artifact, m.file.Text
	c.plan.Reason = text.Sentence(clean(m.file.Reason))
	if !hasText(m.file.Artifact.Condition) {
		if c.plan.GoneSince.IsZero() {
			c.plan.GoneSince = m.at
		}
		return
	}
	c.plan.GoneSince, c.plan.Hidden = time.Time{}, m.hidden
	if c.plan.Doc != nil && before.Hash == m.file.Artifact.Hash {
		return
	}
	if c.plan.base.doc == nil {
		c.plan = c.plan.since(m)
	} else {
		c.plan.base, c.plan.ChangedAt, c.plan.Dim = c.plan.seen, m.at, false
	}
	c.plan.Doc = m.doc
	c.drawPlan()
}

// hasText reports whether there is a text to show: the file's, or what the ledger keeps of a file on another machine.
func hasText(c model.PlanCondition) bool { return c == model.PlanOK || c == model.PlanElsewhere }

// onScreen is the text to show: the plan, or a save of it.
func (p *plan) onScreen() *markdown.Document {
	if p.Save != nil {
		return p.Save.Doc
	}
	return p.Doc
}

// drawPlan asks for the window on the plan again, because the text, the size, the colours or the place changed.
func (c *console) drawPlan() { c.movePlan(0) }

// movePlan asks for the window that is by lines further down.
func (c *console) movePlan(by int) {
	w, h := c.detailView().PlanSize()
	doc := c.plan.onScreen()
	if doc == nil || c.tab != screen.TabPlan || w <= 0 || h <= 0 {
		return
	}
	if c.plan.underWay {
		c.plan.again = true
		c.plan.job.by += by
		return
	}
	c.plan.job = layoutJob{item: c.plan.Item, doc: doc, from: cmp.Or(c.plan.Shown.Doc, doc), base: c.plan.base.doc, save: c.plan.Save,
		at: c.place.reading[c.plan.Item], by: by, seek: c.plan.seek, w: w, h: h, style: c.styles.Page}
	c.plan.underWay, c.plan.seek = true, false
	job := c.plan.job
	c.plan.job.by = 0
	c.start(c.fx.layOut(job))
}

// handle shows the layout, unless the cursor is on another item now.
func (m laidOutMsg) handle(c *console) {
	c.plan.underWay = false
	if m.item != c.plan.Item {
		c.drawPlan()
		return
	}
	c.plan.Shown = m.Window
	if _, h := c.detailView().PlanSize(); h != m.H { // the todos of a save can take more or fewer lines
		c.plan.again = true
	}
	c.place.reading[m.item] = m.At
	if s := c.plan.Search; s.Query != "" && s.Doc != nil && (s.Doc != m.Doc || s.W != m.W) {
		c.seekAgain(false)
	}
	if c.plan.again {
		c.plan.again = false
		c.movePlan(c.plan.job.by)
	}
}

// seenAfter is how long changes are on the screen of a terminal with the focus before they count as seen.
const seenAfter = 5 * time.Second

// lookedAt begins the time after which changes count as seen: a key of the operator's has opened them. A terminal that never reports its
// focus gives no proof.
func (c *console) lookedAt() {
	if p := &c.plan; c.reads() && p.opened != p.Doc {
		p.looks++
		p.opened = p.Doc
		doc, n := p.Doc, p.looks
		c.start(c.fx.after(seenAfter, func(c *console) {
			if p := &c.plan; p.looks == n && p.opened == doc && p.Doc == doc && c.reads() {
				planSeen(c)
			}
		}))
	}
}

// reads reports whether changes of the plan are on the screen in the pane with the keys, and the terminal has the focus.
func (c *console) reads() bool {
	p := c.plan
	return c.view == viewDesk && c.focus == paneDetail && c.tab == screen.TabPlan && p.saves == nil && !p.ChangedAt.IsZero() &&
		p.Shown.Doc == p.Doc && c.layers.dialog() == nil && c.notifications.attention == focusHere
}

// handle reads the plan again after the editor ended, and asks for the terminal's properties.
func (m editedMsg) handle(c *console) {
	if m.err != nil {
		c.complain(m.err)
	}
	c.start(c.fx.readPlan(c.agent, c.plan.Item), tea.RequestWindowSize, tea.RequestBackgroundColor)
}

// seenPlans store the plans as the operator last saw them, beyond the life of a console.
type seenPlans interface {
	// Seen is the stored plan; false if there is none.
	Seen(context.Context, model.ItemID) (model.Text, bool)
	// Keep stores a plan. It may skip a plan that is too large.
	Keep(context.Context, model.ItemID, model.Text) error
}

// seenPlan is a plan as the operator last saw it.
type seenPlan struct {
	doc  *markdown.Document
	hash string
}

// largestSeen is the largest stored plan, in bytes.
const largestSeen = 512 << 10

// since starts to compare a plan with its last seen text, if there is one.
func (p plan) since(m planMsg) plan {
	p.base = seenPlan{m.doc, m.file.Artifact.Hash}
	if m.before != nil && m.before.hash != p.base.hash {
		p.base, p.ChangedAt = *m.before, cmp.Or(m.file.Artifact.UpdatedAt, m.at)
	}
	p.seen = p.base
	return p
}

// seenBefore is a plan as the operator last saw it.
func (e *effects) seenBefore(id model.ItemID) *seenPlan {
	if e.SeenPlans == nil {
		return nil
	}
	text, ok := e.SeenPlans.Seen(e.ctx, id)
	if !ok {
		return nil
	}
	hash := model.NewPlanArtifact("", id, []byte(text.Raw()), time.Time{}).Hash // raw: compared, not shown
	return &seenPlan{markdown.Split(text), hash}
}

// keepSeen stores the plan on screen as seen, once its changes are seen.
func (p *plan) keepSeen(fx *effects) tea.Cmd {
	if fx.SeenPlans == nil || p.seen.doc == nil || p.seen.hash == p.keptHash || p.seen.hash != p.Artifact.Hash ||
		p.Artifact.Condition != model.PlanOK || p.Artifact.Bytes > largestSeen {
		return nil
	}
	p.keptHash = p.seen.hash
	id, text := p.Item, p.text
	return func() tea.Msg {
		_ = fx.SeenPlans.Keep(fx.ctx, id, text) // optional: an error here is ignored
		return nil
	}
}
