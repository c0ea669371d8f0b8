package console

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// zeroRun is the run to zero. It shows one entry of the inbox at a time, with its background and the possible
// decisions. A decision moves on to the next entry. The order does not change while the run is open: new
// entries come at the end. The entry on screen is the item under the cursor on its agent's desk, which lies
// below the run.
type zeroRun struct {
	deskKeys
	list screen.List[model.ItemID]
	// entries are the entries of the list, as last read.
	entries map[model.ItemID]model.Inboxed
	// read: the data of the entry on screen was read. matter is the matter that the operator read; the entry's
	// matter can change.
	read   bool
	matter string
	// decided are the matters that were decided in this run, steps the decisions in order.
	decided map[model.ItemID]string
	steps   []zeroStep
	// over: no decision is left. quiet then says how many agents work.
	over  bool
	quiet string
	// waiting: a decision was sent and is not answered yet. undoing: a change of the matter is the operator's own, until the next key.
	waiting, undoing bool
	plan             planExcerpt
	shown            excerpt
}

// zeroStep is a decision: its entry, its place in the list, and whether it can be undone.
type zeroStep struct {
	entry model.Inboxed
	at    int
	back  bool
}

// planExcerpt is the part of a plan that a question refers to.
type planExcerpt struct {
	screen.PlanPart
	item           model.ItemID
	text, question model.Text
}

// The size of the plan excerpt: the lines before the named line, and all lines.
const (
	planBefore = 2
	planShown  = 40
)

// toNeed opens the run at the item under the cursor, or backwards at the entry before it. Elsewhere it opens n entries after the last
// visited one, round the ends of the inbox.
func toNeed(n int) act {
	return func(c *console) {
		list := c.inbox()
		at := slices.IndexFunc(list, func(x model.Inboxed) bool { return x.ID == c.cursor && x.AgentID == c.agent })
		switch last := c.walked; {
		case at >= 0:
			at += min(n, 0)
		case n < 0:
			at = last - 1
		case last < len(list) && list[last].ID == c.walkedTo:
			at = last + 1
		default: // the last visited entry is done, and the next entry has taken its place
			at = last
		}
		c.toZero(at)
	}
}

// toZero opens the run at a place of the inbox. The place wraps at the end.
func (c *console) toZero(at int) {
	list := c.inbox()
	if len(list) == 0 {
		c.say("Nothing needs you.")
		return
	}
	z := &zeroRun{decided: map[model.ItemID]string{}}
	z.adopt(list)
	c.place = c.place.leaving()
	c.open(z)
	c.showNeed(z, list[(at%len(list)+len(list))%len(list)].ID)
}

// showNeed shows an entry in the run, and puts the cursor of the desk below on its item.
func (c *console) showNeed(z *zeroRun, id model.ItemID) {
	x := z.entries[id]
	z.list.Cursor, z.over, z.read, z.matter, z.shown = id, false, false, "", excerpt{}
	c.walked, c.walkedTo, c.idle.quiet = z.list.At(), id, idleBeats
	open, way := c.layers, c.way
	c.goToItem(x.AgentID, id)
	c.layers, c.way = open, way
}

// adopt takes the current inbox. New entries come at the end. The entry on screen stays.
func (z *zeroRun) adopt(inbox []model.Inboxed) {
	now := make(map[model.ItemID]model.Inboxed, len(inbox))
	var order, fresh []model.ItemID
	for _, x := range inbox {
		now[x.ID] = x
		if !slices.Contains(z.list.Order, x.ID) {
			fresh = append(fresh, x.ID)
		}
	}
	for _, id := range z.list.Order {
		if _, needs := now[id]; needs {
			order = append(order, id)
		} else if id == z.list.Cursor && !z.over {
			order, now[id] = append(order, id), z.entries[id]
		}
	}
	z.list.Order, z.entries = append(order, fresh...), now
}

// refresh takes the newly read data.
func (z *zeroRun) refresh(c *console) {
	z.adopt(c.truth.inbox)
	if z.read = c.truth.want.item == z.list.Cursor && c.cursor == z.list.Cursor; !z.read {
		return
	}
	if n := c.truth.need; n != nil && (z.matter == "" || z.undoing) {
		z.matter = n.Matter()
	}
	if d := c.detail(); d != nil && c.plan.Item == d.ID {
		z.plan = z.plan.of(d, c.plan.text)
	}
}

// of is the excerpt for an item's question.
func (p planExcerpt) of(d *model.Detail, plan model.Text) planExcerpt {
	q, asks := d.Question()
	if !asks || plan == "" {
		return planExcerpt{}
	}
	asked := q.Ask.Question + " " + q.Reason
	if p.item == d.ID && p.question == asked && p.text == plan {
		return p
	}
	p = planExcerpt{item: d.ID, text: plan, question: asked}
	all := plan.Lines()
	p.Named, p.To = action.LinesNamed(asked, all)
	p.First = max(p.Named-planBefore, 1)
	p.Lines = all[p.First-1 : min(p.First-1+planShown, len(all))]
	return p
}

// changed reports whether the entry's matter is no longer the one that the operator read.
func (z *zeroRun) changed(x facts) bool {
	return z.read && x.State.Need != nil && x.State.Need.Matter() != z.matter
}

// choices are the decisions that are possible now: none while the entry is being read, or after its matter
// changed.
func (z *zeroRun) choices(x facts) []menuLine {
	if z.over || !z.read || x.Detail == nil || x.State.Need == nil || z.changed(x) {
		return nil
	}
	return zeroChoices(x)
}

// Refused is part of refuser.
func (z *zeroRun) Refused() { z.waiting = false }

// Press is part of dialog.
func (z *zeroRun) Press(k keyPress, x facts) (open bool, m message) {
	z.undoing = false
	all := z.choices(x)
	page := z.page(x, all)
	switch {
	case closes(k):
		return false, act(wayBack)
	case z.waiting:
		return true, nil
	case k.ID == action.Open && !z.over:
		return false, nil
	case k.ID == action.NeedsYou:
		return true, z.walk(1)
	case k.ID == action.PrevNeed:
		return true, z.walk(-1)
	case k.ID == action.Undo:
		return true, z.undo()
	case k.ID == action.Do:
		return true, z.goOn(x, all)
	}
	key := cmp.Or(action.Latin(k.KeyPressMsg), k.String())
	at := slices.IndexFunc(all, func(c menuLine) bool { return c.Key == key || c.as == k.ID && k.ID != "" })
	switch {
	case at < 0 && z.shown.Scroll(k, len(page.lines), z.height(x)):
		return true, nil
	case at < 0:
		return true, unused(k)
	case !z.shown.shows(page.at[at], z.height(x)):
		return true, sayMsg(notSeen)
	}
	return true, z.choose(all[at])
}

// goOn does what the hint line says. It decides nothing, because its key is often pressed without reading.
func (z *zeroRun) goOn(x facts, all []menuLine) message {
	answers := func(l menuLine) bool { return l.as == action.Answer }
	switch at := slices.IndexFunc(all, answers); {
	case z.changed(x): // the operator reads the new matter
		z.matter, z.shown = x.State.Need.Matter(), excerpt{}
		return nil
	case !z.over && z.read && x.State.Need == nil:
		return z.walk(1)
	case at >= 0:
		return z.choose(all[at])
	}
	return sayMsg("Choose one of the lines by its key.")
}

func (z *zeroRun) choose(l menuLine) message {
	if l.Off != "" {
		return sayMsg(text.Sentence(l.Off))
	}
	_, z.waiting = l.Result.(apply)
	return l.Result
}

// walk moves n entries, and wraps at the end.
func (z *zeroRun) walk(n int) message {
	return act(func(c *console) {
		order := z.list.Order
		if len(order) == 0 {
			c.say("Nothing needs you.")
			return
		}
		at := z.list.At()
		if at < 0 { // without an entry on screen: forward to the first, backward to the last
			at = min(-n, 0)
		}
		c.showNeed(z, order[(at+n+len(order))%len(order)])
	})
}

// undo undoes the last decision and returns to its entry.
func (z *zeroRun) undo() message {
	if len(z.steps) == 0 {
		return sayMsg("Nothing was decided in this run.")
	}
	return act(func(c *console) {
		last := z.steps[len(z.steps)-1]
		e, known := c.outbox.undo.Last(false)
		if back := last.back && known && e.Touches(last.entry.ID); back && len(c.outbox.jobs) > 0 {
			c.say("The last act is being saved. Try again.")
			return
		} else if last.back = back; back {
			delete(z.decided, last.entry.ID)
		}
		z.steps = z.steps[:len(z.steps)-1]
		if _, listed := z.entries[last.entry.ID]; !listed {
			z.list.Order = slices.Insert(slices.Clone(z.list.Order), min(last.at, len(z.list.Order)), last.entry.ID)
			z.entries[last.entry.ID] = last.entry
		}
		c.showNeed(z, last.entry.ID)
		if !last.back {
			c.outbox.undo = c.outbox.undo.Before()
			c.say("That cannot be taken back.")
			return
		}
		z.undoing = true
		takeBack(false)(c)
	})
}

// decidedOn records the decision on the entry on screen, and shows the next undecided entry.
func (z *zeroRun) decidedOn(c *console, j job, in model.Receipt) {
	z.waiting = false
	if _, says := j.envelope.Command.(model.Say); says || z.list.At() < 0 {
		return
	}
	x := z.entries[z.list.Cursor]
	z.decided[x.ID] = z.matter
	at, n := z.list.At(), len(z.list.Order)
	z.steps = append(z.steps, zeroStep{x, at, in.Inverse != nil})
	for i := 1; i < n; i++ {
		next := z.entries[z.list.Order[(at+i)%n]]
		if z.decided[next.ID] != next.Matter() {
			c.showNeed(z, next.ID)
			return
		}
	}
	z.over, z.list.Cursor, z.quiet = true, "", ""
	c.start(c.fx.countWorking(z))
}

// countWorking puts the number of working agents into quiet.
func (e *effects) countWorking(z *zeroRun) tea.Cmd {
	return func() tea.Msg {
		n := 0
		if err := e.Ledger.View(e.ctx, func(r model.Reader) error { n = model.Working(r, e.now()); return nil }); err != nil {
			return nil // the screen shows the read error anyway
		}
		return act(func(*console) {
			z.quiet = model.Counted(n, "agent") + " at work."
		})
	}
}
