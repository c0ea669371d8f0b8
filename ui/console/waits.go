package console

import (
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// waitKinds are the wakes, in the order of their digits.
var waitKinds = []model.Wake{model.WakeOperatorInput, model.WakeTaskResult, model.WakeExternal, model.WakeTimer, model.WakeExternal}

var waitNames = []string{"your answer", "a task", "an event", "a time", "another item"}

// waiting makes an item wait for something.
func waiting(c *console) dialog {
	x, r := c.facts(), *c.row()
	f := itemForm(x, r, "WaitFor", "wait", about(x, "Wait", r), "{submit} save · {next-pane} field · {back} keeps the draft")
	kind := func() int { return f.Fields[0].Chosen }
	var w model.WaitFor
	var choices, after model.Text
	var recheck time.Time
	line := func(label string, into *model.Text, kinds ...int) formField {
		ff := lineField(label, model.MaxWaitText, into, "")
		ff.Shown = func() bool { return slices.Contains(kinds, kind()) }
		return ff
	}
	at := func(ff formField, at *time.Time, need string) formField {
		ff.Instant, ff.Need = at, need
		return ff
	}
	f.Fields = []formField{
		{Label: "Wait for", Options: waitNames},
		lineField("Why   becomes its blocker", model.MaxWaitText, &w.Reason, "say why it waits; that becomes its blocker"),
		line("Question", &w.Question, 0),
		line("Choices   up to five, with | between", &choices, 0),
		line("Source   ci.github; gh: vise asks it", &w.Source, 2),
		line("Resource   the task's id, or what it is about", &w.Resource, 1, 2),
		line("After   the handle of a work item, of any agent", &after, 4),
		line("Condition   conclusion=success", &w.Condition, 2),
		at(line("Until   30m, 16:00, tomorrow 9", nil, 3), &w.WakeAt, sayWhen),
		at(line("Check again   after 30m, at 16:00; can stay empty", nil, 0, 1, 2), &recheck, ""),
	}
	f.Tail = releaseLines(r)
	f.Submit = func(x facts) message {
		w.WorkItemID, w.Wake, w.SeenRevision, w.Choices = r.ID, waitKinds[kind()], f.Revision(x, r), nil
		for c := range strings.SplitSeq(choices.Raw(), "|") { // raw: split, not shown
			if c = strings.TrimSpace(c); c != "" {
				w.Choices = append(w.Choices, model.Text(c))
			}
		}
		if kind() == 4 {
			w.Resource = "item:" + after
		}
		w.RecheckAfterMS = millis(recheck, x.Now)
		return apply{Command: w, Said: string(r.Handle) + " waits for " + waitNames[kind()]}
	}
	return f
}

// millis is how long it is until a time; nil if it is not set.
func millis(at, now time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	return new(max(at.Sub(now), time.Millisecond).Milliseconds())
}

const sayWhen = "say when: 30m, 16:00, tomorrow 9"

// answer opens the dialog for the question of the item under the cursor, or the run to zero at a permission.
func answer(c *console) {
	x, r := c.facts(), *c.row()
	if r.PermitsHere(c.now) {
		toNeed(1)(c)
		return
	}
	if x.Detail == nil {
		c.unheard("Its question is being read. Try again.")
		return
	}
	q, ok := x.Detail.Question()
	if !ok {
		c.unheard(text.Sentence(string(x.Detail.Handle) + " asks nothing any more"))
		return
	}
	c.open(answering(x, r, q))
}

// answering shows a question in full and takes the operator's answer, unless the item's question has changed.
func answering(x facts, r model.Row, q model.Question) dialog {
	title := "Answer " + string(r.Handle) + "  " + x.Cut(r.Objective, 44)
	f := itemForm(x, r, "Answer", "answer", title, "{submit} send · {back} keeps the draft")
	reply := model.Answer{WaitID: q.WaitID}
	f.Fields = []formField{
		textField("Your answer", 3, model.MaxMessage, &reply.Text, "an answer is needed: type it, or choose by a digit"),
		{Options: []string{"the plan still needs input", "also set plan to ready"},
			Shown: func() bool { return q.PlanNeedsInput }},
	}
	for _, choice := range q.Ask.Choices {
		f.Canned = append(f.Canned, choice.Raw()) // raw: the field draws it safely, and the answer is sent as written
	}
	f.Head = func(x facts) []string { return questionLines(x, r, q) }
	f.Warn = func(x facts) []string {
		if changed, asks := otherQuestion(x, r, q); changed && asks {
			return []string{x.Keyed("It asks something else now. {back}, then {answer} shows it.")}
		}
		return nil
	}
	f.Tail = handedOver
	f.Submit = func(x facts) message {
		if changed, _ := otherQuestion(x, r, q); changed {
			return trouble(x.Keyed("it asks something else now: {back} keeps your text, {answer} shows the question"))
		}
		if reply.PlanReady = q.PlanNeedsInput && f.Fields[1].Chosen == 1; !r.OfAgent() {
			reply.WorkItemID, reply.SeenRevision = r.ID, f.Revision(x, r)
		}
		return apply{Said: "Answered " + string(r.Handle) + ", queued for " + x.AgentName(r.AgentID), Command: reply}
	}
	return f
}

// otherQuestion reports whether the item's question is no longer q, and whether there is one.
func otherQuestion(x facts, r model.Row, q model.Question) (changed, asks bool) {
	if x.Detail == nil || x.Detail.ID != r.ID {
		return false, false
	}
	now, asks := x.Detail.Question()
	return !asks || now.WaitID != q.WaitID, asks
}

// questionLines are the question, its reason, and the newest answer.
func questionLines(x facts, r model.Row, q model.Question) []string {
	w := x.Inner()
	out := x.Question(q, w)
	if d := x.Detail; d != nil && d.ID == r.ID && q.WaitID == "" && len(d.Replies) > 0 {
		last := d.Replies[len(d.Replies)-1]
		out = append(out, x.Note("Answered "+x.Age(last.At)+" ago, "+screen.Delivery(x.State.Desk.Agent, last)+":"))
		out = append(out, x.Prose(x.Excerpt(last.Text), w, x.Text)...)
	}
	return append(out, "")
}
