package screen

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// inbox lists what needs the operator, across all agents.
func (v FleetView) inbox(r Rect) Drawing {
	w, h := r.Inner()
	f := v.found(false)
	title, note := "Inbox", "what needs you"
	if f.Rows() > 0 {
		title, note = "Found", "all agents"
	}
	p := v.pane(r, FleetInbox, title, note, v.Focus == FleetInbox)
	f.draw(p)
	if n := v.Findings; n > 0 {
		s := model.Counted(n, "finding") + " to triage"
		p.Right = v.NeedsYou.Paint(s) + v.Muted.Paint(" "+v.KeyOf(action.TriageOpen))
	}
	from, to := v.Inbox.Window(h - f.Rows())
	for i, x := range v.Entries[from:to] {
		p.row(v.entry(x, w), from+i)
	}
	switch {
	case v.Unread != "":
	case len(v.Entries) == 0 && f.Rows() > 0:
		p.Lines = append(p.Lines, v.Said(f.nothing(v.Frame), w)...)
	case len(v.Entries) == 0:
		p.Lines = v.Said("Nothing needs you. Questions, stalled work and finished work without a report come here.", w)
	default:
		p.Foot = v.Muted.Paint(marked(v.MarkWords) + v.Inbox.position())
	}
	if n := v.Known.Hidden; n > 0 && !v.Snoozed {
		p.Foot = v.Muted.Paint(fmt.Sprintf("%d hidden ", n)) + p.Foot
	}
	return p.draw()
}

const (
	inboxAgentCells = 16
	ageCells        = 5
)

// entry returns the line of an entry: what, which agent, why, since when, and the most useful key.
func (v FleetView) entry(x model.Inboxed, w int) string {
	glyph, word := v.needMark(x), action.NeedWord(x)
	if x.Need == "" {
		glyph, word, x.Since = v.RowMark(x.Row), model.Spaced(action.ShownClass(x.Row)), x.UpdatedAt
	}
	tail := ""
	if w >= 72 {
		tail = text.PadLeft(word+" "+v.Age(x.Since), 14) + "  " + text.Pad(v.Keyed(needKey(x)), 13)
	} else if w >= 30 {
		tail = text.PadLeft(v.Age(x.Since), ageCells) + " "
	}
	var whose []Piece
	if w >= 60 {
		whose = v.whose(x.Row, inboxAgentCells)
	}
	body, says := v.Text, action.NeedSays(x)
	if x.Snoozed {
		says = model.Text(action.SnoozedWords(x.SnoozedUntil, v.Now)) + ": " + says
	}
	asOf := v.AsOf(x.AgentID)
	if asOf != "" {
		glyph, tail = v.Muted.Of(glyph.Text), " "+asOf+" "+tail
	}
	if x.Seen || x.Snoozed || asOf != "" {
		body = v.Muted
	}
	selected, mark := x.ID == v.Inbox.Cursor && v.Focus == FleetInbox, " "
	if slices.Contains(v.Marked, x.ID) {
		mark = v.Glyph.Mark
	}
	return v.item(w, selected, glyph.Of(glyph.Text+mark), whose, body.Of(v.Show(says)), tail)
}

// needKey is the key that answers a need.
func needKey(x model.Inboxed) string {
	switch {
	case x.Snoozed:
		return "{hide} bring back"
	case x.Need == "", x.Need == model.NeedPermit && x.Wait.TriggeredBy != "":
		return ""
	case x.Need == model.NeedPermit && x.Wait.WakeAt.IsZero():
		return "in " + x.Wait.Source.String()
	}
	switch x.Need {
	case model.NeedPermit:
		return "{answer} permit"
	case model.NeedAnswer:
		return "{answer} answer"
	case model.NeedRepair, model.NeedNudge:
		return "{review} retry"
	case model.NeedPickup:
		return "{message} message"
	case model.NeedReview:
		return "{review} review"
	case model.NeedChoice, model.NeedReport:
		return "{report} report"
	}
	return "{hide} hide"
}

func (v FleetView) needMark(x model.Inboxed) Piece {
	switch x.Need {
	case model.NeedPermit, model.NeedAnswer:
		if x.Seen || x.Snoozed {
			return v.Muted.Of(v.Glyph.NeedsYou)
		}
		return v.NeedsYou.Of(v.Glyph.NeedsYou)
	case model.NeedNudge, model.NeedReview:
		return v.Triggered.Of(v.Glyph.Triggered)
	}
	return v.NeedsYou.Of(v.Glyph.Warning)
}

// twoColumnsW is the width from which the activity and the threads are side by side.
const twoColumnsW = 90

// rest is the part below the inbox: the newest events and, if there are any, the parked threads, with what would wake each.
func (v FleetView) rest(r Rect) Drawing {
	switch {
	case Parked(v.Threads) == 0 || v.Focus == FleetActivity:
		return v.activity(r)
	case r.W >= twoColumnsW:
		left, right := r, r
		left.W = r.W / 2
		right.X, right.W = r.X+left.W, r.W-left.W
		return v.activity(left).NextTo(v.parked(right))
	case r.H >= 8:
		return v.activity(r.RowsOf(r.H / 2)).Above(v.parked(r.Below(r.H / 2)))
	}
	return v.parked(r)
}

func (v FleetView) activity(r Rect) Drawing {
	focused := v.Focus == FleetActivity
	p := v.pane(r, FleetActivity, "Activity", "all agents", focused)
	w, h := r.Inner()
	f := v.found(true)
	f.draw(p)
	at := v.Journal.At()
	switch {
	case at <= 0:
		p.Right = v.following()
	case focused:
		p.Right = v.Muted.Paint(v.Keyed("{top} follows the newest"))
	}
	if at >= 0 && focused {
		p.Foot = v.Muted.Paint(v.Told[at].At.In(v.Now.Location()).Format("Mon 2 Jan 15:04:05") + " · " + v.Journal.position())
	}
	if at < 0 && f.Rows() > 0 {
		p.Lines = append(p.Lines, v.Said(f.nothing(v.Frame), w)...)
	}
	from, to := v.Journal.Window(h - f.Rows())
	for i := from; i < to; i++ {
		p.row(v.row(w, focused && i == at, v.Events.ofAll(v.Frame, v.Told[i], w)...), i)
	}
	return p.draw()
}

// parked lists the parked threads.
func (v FleetView) parked(r Rect) Drawing {
	w, h := r.Inner()
	p := v.pane(r, fleetThreads, "Threads", "parked", false)
	p.Right = v.Key.Paint(v.KeyOf(action.Threads)) + v.Muted.Paint(fmt.Sprintf(" %d parked", Parked(v.Threads)))
	for _, in := range v.Threads {
		for _, x := range in.Rows {
			if x.Parked() && len(p.Lines) < h {
				p.Lines = append(p.Lines, v.Thread(x, false, w)...)
			}
		}
	}
	return p.draw()
}
