package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// waitKinds are the wakes, in the order of their digits.
var waitKinds = []struct {
	wake model.Wake
	name string
}{
	{model.WakeOperatorInput, "operator"}, {model.WakeTaskResult, "task"},
	{model.WakeExternal, "external event"}, {model.WakeTimer, "timer"},
}

// The fields of the wait dialog.
const (
	waitKind = iota
	waitReason
	waitQuestion
	waitChoices
	waitSource
	waitResource
	waitCondition
	waitTime
	waitRecheck
)

// waiting makes an item wait for something.
func waiting(c *console) dialog {
	x, r := c.facts(), *c.row()
	names := make([]string, len(waitKinds))
	for i, k := range waitKinds {
		names[i] = k.name
	}
	line := func() screen.Field { return textField(1, model.MaxWaitText) }
	is := func(wakes ...int) func(*form) bool {
		return func(f *form) bool { return slices.Contains(wakes, f.Fields[waitKind].Chosen) }
	}
	f := itemForm(x, r, "WaitFor", "wait")
	f.Title, f.Tail, f.Foot = about(x, "Wait", r), releaseLines(r), "{submit} save · {next-field} field · {close} keeps the draft"
	f.Fields = []formField{
		waitKind:      {Label: "Wait for", Options: names},
		waitReason:    {Label: "Why   becomes its blocker", Field: line()},
		waitQuestion:  {Label: "Question", Field: line(), Shown: is(0)},
		waitChoices:   {Label: "Choices   up to five, with | between", Field: line(), Shown: is(0)},
		waitSource:    {Label: "Source   ci.github; gh: vise asks it", Field: line(), Shown: is(2)},
		waitResource:  {Label: "Resource   the task's id, or what it is about", Field: line(), Shown: is(1, 2)},
		waitCondition: {Label: "Condition   conclusion=success", Field: line(), Shown: is(2)},
		waitTime:      {Label: "Until   30m, 16:00, tomorrow 9", Field: line(), Shown: is(3), Note: resolved},
		waitRecheck: {Label: "Recheck   look again after 30m, at 16:00; can stay empty", Field: line(),
			Shown: is(0, 1, 2), Note: resolved},
	}
	f.Submit = func(x facts, f *form) message { return waitCommand(x, f, r) }
	return f.WithDraft(x.Drafts)
}

// resolved shows the instant that a time field means.
func resolved(x facts, f *form) string {
	at := waitTime
	if f.Fields[waitKind].Chosen != 3 {
		at = waitRecheck
	}
	if f.Fields[at].Empty() {
		return ""
	}
	t, err := model.ParseTime(f.Value(at), x.Now)
	if err != nil {
		return x.Blocked.Paint(err.Error())
	}
	return x.Accent.Paint(x.BothTimes(t))
}

// waitCommand makes the command of the wait dialog.
func waitCommand(x facts, f *form, r model.Row) message {
	kind := waitKinds[f.Fields[waitKind].Chosen]
	w := model.WaitFor{WorkItemID: r.ID, Wake: kind.wake, Reason: f.Text(waitReason), SeenRevision: f.Revision(x, r)}
	if w.Reason == "" {
		return trouble("say why it waits; that becomes its blocker")
	}
	given := func(i int) model.Text {
		if f.Visible(i) {
			return f.Text(i)
		}
		return ""
	}
	w.Question, w.Source, w.Resource, w.Condition = given(waitQuestion), given(waitSource), given(waitResource), given(waitCondition)
	for c := range strings.SplitSeq(string(given(waitChoices)), "|") { // raw: split, not shown
		if c = strings.TrimSpace(c); c != "" {
			w.Choices = append(w.Choices, model.Text(c))
		}
	}
	if kind.wake == model.WakeTimer {
		t, err := model.ParseTime(f.Value(waitTime), x.Now)
		if err != nil {
			return trouble(err.Error())
		}
		w.WakeAt = t
	} else if v := f.Value(waitRecheck); v != "" {
		t, err := model.ParseTime(v, x.Now)
		if err != nil {
			return trouble(err.Error())
		}
		ms := max(t.Sub(x.Now), time.Millisecond).Milliseconds()
		w.RecheckAfterMS = &ms
	}
	return apply{Command: w, Said: string(r.Handle) + " waits for " + kind.name}
}

// The fields of the answer dialog.
const (
	answerText = iota
	answerReady
)

// answering shows a question in full and takes the operator's answer. A question that is longer than the screen
// scrolls above the field, which stays visible.
type answering struct {
	*form
	row   model.Row
	ask   model.Question
	shown excerpt
}

// answer opens the dialog for the question of the item under the cursor.
func answer(c *console) {
	if r := c.row(); r.PermitsHere(c.now) {
		c.open(permitMenu(c, *r))
		return
	}
	x := c.facts()
	if x.Detail == nil {
		c.unheard("Its question is being read. Try again.")
		return
	}
	q, ok := x.Detail.Question()
	if !ok {
		c.unheard(text.Sentence(string(x.Detail.Handle) + " asks nothing any more"))
		return
	}
	c.open(newAnswering(x, *c.row(), q))
}

func newAnswering(x facts, r model.Row, q model.Question) *answering {
	a := &answering{row: r, ask: q}
	f := itemForm(x, r, "Answer", "answer")
	f.Title, f.Foot = fmt.Sprintf("Answer %s  %s", r.Handle, x.Cut(r.Objective, 44)), "{submit} send · {close} keeps the draft"
	f.Fields = []formField{
		answerText: {Label: "Your answer", Field: textField(3, model.MaxMessage)},
		answerReady: {Options: []string{"[ ] also set plan to ready", "[x] also set plan to ready"}, Check: true,
			Shown: func(*form) bool { return q.PlanNeedsInput }},
	}
	f.Head, f.Tail, f.Submit = a.question, handedOver, a.command
	for _, choice := range q.Ask.Choices {
		f.Canned = append(f.Canned, string(choice)) // raw: the field draws it safely, and the answer is sent as written
	}
	a.form = f.WithDraft(x.Drafts)
	return a
}

// command is the answer, unless the item's question has changed.
func (a *answering) command(x facts, f *form) message {
	if f.Fields[answerText].Empty() {
		return trouble("an answer is needed: type it, or choose by a digit")
	}
	if a.replaced(x) {
		return trouble(x.Keyed("it asks something else now: {close} keeps your text, {answer} shows the question"))
	}
	reply := model.Answer{WaitID: a.ask.WaitID, Text: f.Text(answerText)}
	reply.PlanReady = a.ask.PlanNeedsInput && f.Fields[answerReady].Chosen == 1
	if !a.row.OfAgent() {
		reply.WorkItemID, reply.SeenRevision = a.row.ID, f.Revision(x, a.row)
	}
	return apply{Said: fmt.Sprintf("Answered %s, queued for %s", a.row.Handle, x.AgentName(a.row.AgentID)), Command: reply}
}

// replaced reports whether the item's question is no longer the one in the dialog.
func (a *answering) replaced(x facts) bool {
	if x.Detail == nil || x.Detail.ID != a.row.ID {
		return false
	}
	q, ok := x.Detail.Question()
	return !ok || q.WaitID != a.ask.WaitID
}

// asks reports whether there is still a question.
func asks(d *model.Detail) bool {
	_, ok := d.Question()
	return ok
}

// Press is part of dialog.
func (a *answering) Press(k keyPress, x facts) (dialog, message) {
	if a.shown.Scroll(k, action.QuestionDown, action.QuestionUp, len(a.lines(x)), a.height(x)) {
		return a, nil
	}
	d, r := a.form.Press(k, x)
	if d == nil {
		return nil, r
	}
	return a, r
}

// question is the part of the question that fits, and its choices.
func (a *answering) question(x facts, _ *form) []string {
	out := append([]string(nil), a.shown.Draw(x, a.lines(x), a.height(x), "{question-up} {question-down}")...)
	if a.replaced(x) && asks(x.Detail) {
		out = append(out, x.Warn(x.Keyed("It asks something else now. {close}, then {answer} shows it."))...)
	}
	return append(out, "")
}

// height is the number of lines of the question that fit above the field and the lines below it.
func (a *answering) height(x facts) int {
	below := 1 + a.Fields[answerText].Rows + 1 + 2 // label, field, tail, a gap and the line of the excerpt
	if a.Visible(answerReady) {
		below++
	}
	if a.replaced(x) {
		below += 2
	}
	return max(x.SheetH()-2-below, 2)
}

// lines are the question, its reason, the earlier answers, and the choices.
func (a *answering) lines(x facts) []string {
	q, w := a.ask, x.Inner()
	out := x.Question(q, w)
	if d := x.Detail; d != nil && d.ID == a.row.ID && q.WaitID == "" && len(d.Replies) > 0 {
		last := d.Replies[len(d.Replies)-1]
		out = append(out, x.Note("Answered "+x.Age(last.At)+" ago, "+screen.Delivery(x.State.Desk.Agent, last)+":"))
		out = append(out, x.Wrapped(x.Excerpt(last.Text), w, x.Text)...)
	}
	return append(out, a.choices(x)...)
}

// choices are one line each, wrapped behind their digit.
func (a *answering) choices(x facts) []string {
	if len(a.Canned) == 0 {
		return nil
	}
	out := []string{""}
	for i, choice := range a.Canned {
		digit := x.Key.Paint(fmt.Sprint(i + 1))
		for _, l := range text.Wrap(x.Show(model.Text(choice)), max(x.Inner()-6, 8)) {
			out = append(out, "   "+digit+" "+x.Text.Paint(l))
			digit = " "
		}
	}
	return out
}
