package console

import (
	"fmt"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// handedOver says when an agent hears what is sent to it: with a turn, never before.
func handedOver(x widget.Context) []string {
	a := x.State.Desk.Agent
	name := x.Cut(model.Text(x.State.Agent), 24)
	words := name + " hears it in its next turn."
	switch {
	case a.Posture == model.Stopped:
		words = name + x.Keys.Keyed(" is stopped: heard once resumed ({agents}).")
	case a.Turn.Runs(x.Now):
		words = "A turn runs. " + name + " hears it in the next."
	}
	return []string{x.Note(text.Cut(words, x.Inner()-1))}
}

// deliveryWords say how far a reply has come, and no more than its message's status does.
func deliveryWords(a model.Agent, r model.Delivered) string {
	switch r.Delivery {
	case model.MessageQueued:
		switch {
		case a.Posture == model.Stopped:
			return "queued; the agent is stopped"
		case r.TurnIndex > 0:
			return fmt.Sprintf("queued again: turn %d was cut off", r.TurnIndex)
		}
		return "queued for the next turn"
	case model.MessageSent:
		if r.TurnIndex == 0 {
			return "sent with a tool's answer; its next call shows that it was seen"
		}
		return fmt.Sprintf("sent to turn %d, which runs", r.TurnIndex)
	case model.MessageDone:
		if r.TurnIndex == 0 {
			return "seen: the agent went on after it had it"
		}
		return fmt.Sprintf("seen: turn %d had it and ended", r.TurnIndex)
	case model.MessageDropped:
		return "dropped, not delivered"
	}
	return "delivery not known"
}

// replyPage are the item's answers, newest first, each with how far it has come.
func (c Console) replyPage(d model.Detail, w int) []string {
	var out []string
	k := c.styles
	for i := len(d.Replies) - 1; i >= 0; i-- {
		r := d.Replies[i]
		ink := k.NeedsYou
		if r.Delivery == model.MessageDone {
			ink = k.Done
		}
		out = append(out, k.Strip(w, false, k.Strong.Of(" answer"), ink.Of("  "+deliveryWords(c.truth.desk.Agent, r)), k.Muted.Of("  "+c.frame().Clock(r.At))))
		if r.Question != "" {
			out = append(out, c.frame().Labelled("asked", r.Question, w)...)
		}
		out = append(out, c.frame().Labelled("said", excerpt(r.Text), w)...)
		if r.By != model.Operator {
			out = append(out, c.frame().Labelled("by", model.Text(r.By), w)...)
		}
		out = append(out, "")
	}
	return out
}

// excerptShown is how much of a long text stands on a page that is drawn anew for each
// frame, in Unicode scalars.
const excerptShown = 2000

// excerpt is the beginning of a text, and how much was left out.
func excerpt(t model.Text) model.Text {
	n, end := 0, len(t)
	for i := range t {
		if n == excerptShown {
			end = i
		}
		n++
	}
	if n <= excerptShown {
		return t
	}
	return t[:end] + model.Text(fmt.Sprintf(" … and %d characters more (y j copies all)", n-excerptShown))
}

// replyMark is an open item's newest answer in two words for the line of its facts.
func replyMark(d *model.Detail) string {
	if d == nil || d.State != model.Open || len(d.Replies) == 0 {
		return ""
	}
	last := d.Replies[len(d.Replies)-1]
	if last.Delivery == "" {
		return ""
	}
	if last.Delivery == model.MessageDone {
		return " · answer seen"
	}
	return " · answer " + string(last.Delivery)
}
