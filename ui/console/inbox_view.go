package console

import (
	"fmt"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// inboxPane lists what needs the operator across agents.
func (c Console) inboxPane(r rect) []string {
	w, h := r.inner()
	p, k := c.place.fleet, c.styles
	b := widget.Box{Title: k.Strong.Paint("Inbox") + "  " + k.Muted.Paint("what needs you"), Focused: p.focus == fleetInbox}
	if n := len(c.shelf.pending()); n > 0 {
		b.Right = k.NeedsYou.Paint(fmt.Sprintf("%d %s to triage", n, plural(n, "finding", "findings"))) + k.Muted.Paint(" T")
	}
	for _, x := range p.inbox[min(p.top[fleetInbox], len(p.inbox)):min(p.top[fleetInbox]+h, len(p.inbox))] {
		b.Lines = append(b.Lines, c.inboxLine(x, w))
	}
	switch {
	case c.truth.at.IsZero():
	case len(p.inbox) == 0:
		b.Lines = c.frame().Said("Nothing needs you. Questions, stalled work and finished work without a report come here.", w)
	default:
		at := 0
		for i, x := range p.inbox {
			if x.ID == p.item {
				at = i + 1
			}
		}
		b.Foot = k.Muted.Paint(fmt.Sprintf("%d of %d", at, len(p.inbox)))
	}
	return b.Draw(r.w, r.h, k)
}

const inboxAgentCells = 16

// inboxLine is an entry on a line: what, whose, why, since when, and the likeliest key.
func (c Console) inboxLine(x model.Inboxed, w int) string {
	k, p := c.styles, c.place.fleet
	selected := x.ID == p.item && p.focus == fleetInbox
	marker := " "
	if selected {
		marker = k.Glyph.Cursor
	}
	glyph, ink := c.needMark(x)
	n := needOf(x)
	age := n.word + " " + text.Age(c.now.Sub(x.Since))
	tail := ""
	if w >= 72 {
		tail = text.PadLeft(age, 14) + "  " + text.Pad(c.keys.Keyed(n.key), 13)
	} else if w >= 30 {
		tail = text.PadLeft(text.Age(c.now.Sub(x.Since)), ageCells) + " "
	}
	head := []widget.Piece{k.NeedsYou.Of(marker), ink.Of(glyph + " ")}
	used := 3
	if w >= 60 {
		head = append(head, k.Muted.Of(text.Pad(string(x.Handle), 8)+" "), k.Muted.Of(text.Pad(c.show(model.Text(x.AgentID)), inboxAgentCells)+" "))
		used += 8 + 1 + inboxAgentCells + 1
	}
	body := text.Pad(c.needWords(x), max(w-used-text.Width(tail), 0))
	bodyInk := k.Text
	if x.Seen {
		bodyInk = k.Muted
	}
	return k.Strip(w, selected && c.dialogless(), append(head, bodyInk.Of(body), k.Muted.Of(tail))...)
}

// need is how a need reads: the word before its age, and the key that answers it.
type need struct{ word, key string }

func needOf(x model.Inboxed) need {
	if x.Seen {
		return need{"seen, asked", "{answer} answer"}
	}
	switch x.Need {
	case model.NeedAnswer:
		return need{"asked", "{answer} answer"}
	case model.NeedNudge:
		return need{"stalled", "{message} message"}
	case model.NeedPickup:
		return need{"answered", "{message} message"}
	case model.NeedReview:
		return need{"triggered", "{review} review"}
	case model.NeedChoice, model.NeedReport:
		return need{"review,", "{report} report"}
	}
	return need{"review,", "{acknowledge} acknowledge"}
}

// needWords say what an entry is about.
func (c Console) needWords(x model.Inboxed) string {
	objective := c.show(x.Objective)
	switch x.Need {
	case model.NeedAnswer:
		if q := x.Wait.Question; q != "" {
			return c.show(q)
		}
		if x.PlanStatus == model.NeedsInput {
			return "Its plan needs input: " + objective
		}
		return "Waits for you: " + objective
	case model.NeedNudge:
		return "Offered again and again, and nothing came of it: " + objective
	case model.NeedPickup:
		return "Answered, not picked up: " + objective
	case model.NeedReview:
		return "Idle with a trigger" + triggeredBy(c.show(x.Wait.TriggeredBy)) + ": " + objective
	case model.NeedChoice:
		return "Completed without a report; one is offered: " + objective
	case model.NeedReport:
		return "Completed without a report: " + objective
	}
	return fmt.Sprintf("Completed with %d of %d todos unfinished: %s", x.Todo.Total-x.Todo.Done, x.Todo.Total, objective)
}

func triggeredBy(who string) string {
	if who == "" {
		return ""
	}
	return " by " + who
}

func (c Console) needMark(x model.Inboxed) (string, widget.Ink) {
	k := c.styles
	switch x.Need {
	case model.NeedAnswer:
		if x.Seen {
			return k.Glyph.NeedsYou, k.Muted
		}
		return k.Glyph.NeedsYou, k.NeedsYou
	case model.NeedNudge, model.NeedReview:
		return k.Glyph.Triggered, k.Triggered
	}
	return k.Glyph.Warning, k.NeedsYou
}
