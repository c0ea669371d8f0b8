package screen

import (
	"fmt"

	"vise/model"
	"vise/ui/text"
)

// waits returns the page of what the item waits for: its blocker, the operator's answers, its waits.
func (v Detail) waits(w int) []string {
	var out []string
	if v.BlockedBy != "" {
		out = append(out, v.Note("Blocked by"))
		out = append(out, v.Wrapped(v.BlockedBy, w, v.Blocked)...)
		if !v.RecheckAt.IsZero() {
			out = append(out, v.Note("check again "+v.RecheckAt.In(v.Now.Location()).Format("Mon 15:04")))
		}
		out = append(out, "")
	}
	for i := len(v.Replies) - 1; i >= 0; i-- { // newest first
		out = append(out, v.reply(v.Replies[i], w)...)
	}
	for _, x := range v.Waits {
		out = append(out, v.Wait(x, v.BlockedBy, w)...)
	}
	return out
}

// Wait shows a wait: what it waits for, unless that is the blocker shown above it, and its result.
func (f Frame) Wait(x model.Wait, above model.Text, w int) []string {
	state, ink := "pending", f.NeedsYou
	switch {
	case x.Status == model.WaitCancelled:
		state, ink = "cancelled: "+model.Spaced(x.CancelReason), f.Faint
	case x.Triggered():
		state, ink = fmt.Sprintf("news %d×, last %s ago", x.TriggerCount, f.Age(x.LastTriggeredAt)), f.Triggered
	}
	out := []string{f.Strip(w, false, f.Strong.Of(" "+model.Spaced(x.Kind)), ink.Of("  "+state), f.Muted.Of("  "+f.Clock(x.CreatedAt)))}
	add := func(label string, t model.Text) {
		if t != "" {
			out = append(out, f.labelled(label, t, w)...)
		}
	}
	if x.Reason != above {
		add("for", x.Reason)
	}
	if x.Kind != model.WaitOperator {
		add("on", x.WaitsFor())
	}
	if said := x.Checked.Gist(); said != "" {
		add("is", said+model.Text(", since "+f.Clock(x.Checked.Since)))
	}
	if !x.WakeAt.IsZero() {
		add("at", model.Text(f.BothTimes(x.WakeAt)))
	}
	add("asks", x.Ask.Question)
	for i, choice := range x.Ask.Choices {
		add(fmt.Sprint(i+1), choice)
	}
	if x.TriggerCount > 0 {
		by := model.By(x.LastTrigger.Actor, x.LastTrigger.Person)
		if x.LastTrigger.Source != "" {
			by += ", " + x.LastTrigger.Source
		}
		add("by", by)
		add("said", f.Excerpt(x.LastTrigger.Payload))
	}
	return append(out, "")
}

// reply shows an answer of the operator, and its state of delivery.
func (v Detail) reply(r model.Delivered, w int) []string {
	ink := v.NeedsYou
	if r.Delivery == model.MessageDone {
		ink = v.Done
	}
	out := []string{v.Strip(w, false, v.Strong.Of(" answer"), ink.Of("  "+Delivery(v.Agent, r)), v.Muted.Of("  "+v.Clock(r.At)))}
	if r.Question != "" {
		out = append(out, v.labelled("asked", r.Question, w)...)
	}
	out = append(out, v.labelled("said", v.Excerpt(r.Text), w)...)
	if r.By != model.Operator || r.Person != "" {
		out = append(out, v.labelled("by", model.By(r.By, r.Person), w)...)
	}
	return append(out, "")
}

// Delivery describes the state of delivery of a reply to an agent. It claims no more than the message's status does.
func Delivery(agent model.Agent, r model.Delivered) string {
	switch r.Delivery {
	case model.MessageQueued:
		switch {
		case agent.Posture == model.Stopped:
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

// replyMark describes an open item's newest answer in two words, for the line of its facts.
func (v Detail) replyMark() string {
	if v.Detail == nil || v.State != model.Open || len(v.Replies) == 0 {
		return ""
	}
	switch last := v.Replies[len(v.Replies)-1].Delivery; last {
	case "":
		return ""
	case model.MessageDone:
		return " · answer seen"
	default:
		return " · answer " + string(last)
	}
}

// Handover says when an agent gets a message: with a turn, never before.
func (f Frame) Handover(agent model.Agent, w int) string {
	name := text.Cut(f.AgentName(agent.ID), 24)
	words := name + " gets it in its next turn."
	switch {
	case agent.Posture == model.Stopped:
		words = name + f.Keyed(" is stopped: gets it once resumed ({posture}).")
	case agent.Turn.Runs(f.Now):
		words = "A turn runs. " + name + " gets it in the next."
	}
	return f.Note(text.Cut(words, w))
}

// excerptShown is how much of a long text is shown on a page that is drawn again for each frame, in Unicode scalars.
const excerptShown = 2000

// Excerpt returns the beginning of a text, and says how much was left out.
func (f Frame) Excerpt(t model.Text) model.Text {
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
	return t[:end] + model.Text(f.Keyed(fmt.Sprintf(" … and %d characters more ({copy} j copies all)", n-excerptShown)))
}
