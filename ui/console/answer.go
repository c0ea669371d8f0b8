package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// The fields of the answer dialog.
const (
	answerText = iota
	answerReady
)

// answering shows a question in full and takes the operator's reply. What the question says
// may be longer than the screen: it scrolls by itself, above a field that stays in sight.
type answering struct {
	*form
	row model.Row
	ask model.Question
	// top is the first line shown of the question.
	top int
}

// reply opens the dialog on what the item under the cursor asks.
func (c Console) reply() (Console, tea.Cmd) {
	d := c.detail()
	if d == nil {
		return c.say("Its question is being read. Try again.")
	}
	q, ok := d.Question()
	if !ok {
		return c.say(sentence(string(d.Handle) + " asks nothing any more"))
	}
	c.dialog = newAnswering(c, *c.row(), q)
	return c, nil
}

func newAnswering(c Console, r model.Row, q model.Question) *answering {
	a := &answering{row: r, ask: q}
	f := &form{
		seen:     c.revision(),
		about:    subject{r.ID, "Answer"},
		title:    fmt.Sprintf("Answer %s  %s", r.Handle, text.Cut(c.show(r.Objective), 44)),
		draftKey: "answer:" + string(r.ID),
		fields: []formField{
			answerText: {label: "Your answer", Field: widget.NewField("", 3, model.MaxMessage)},
			answerReady: {options: []string{"[ ] also set plan to ready", "[x] also set plan to ready"}, check: true,
				shown: func(*form) bool { return q.PlanNeedsInput }},
		},
		head:   a.question,
		tail:   func(s surroundings, _ *form) []string { return s.handedOver() },
		foot:   func(*form) string { return action.Keyed("{submit} send · {close} keeps the draft") },
		submit: a.reply,
	}
	for _, choice := range q.Ask.Choices {
		f.canned = append(f.canned, string(choice)) // raw: a field draws it safely, and it is the answer as written
	}
	a.form = f.withDraft(c.drafts[f.draftKey])
	return a
}

// reply makes the command, unless the question is another by now.
func (a *answering) reply(s surroundings, f *form) wish {
	if f.fields[answerText].Empty() {
		return wish{trouble: "an answer is needed: type it, or choose by a digit"}
	}
	if a.replaced(s) {
		return wish{trouble: action.Keyed("it asks something else by now: {close} keeps your text, {answer} shows the question")}
	}
	return wish{
		said: fmt.Sprintf("Answered %s, queued for %s", a.row.Handle, s.show(model.Text(a.row.AgentID))),
		command: model.Answer{
			WorkItemID: a.row.ID, Text: f.text(answerText), PlanReady: a.ask.PlanNeedsInput && f.fields[answerReady].chosen == 1,
			SeenRevision: s.sawIn(f, a.row),
		},
	}
}

// replaced reports whether the item asks something else than what the dialog shows.
func (a *answering) replaced(s surroundings) bool {
	d := s.detail()
	if d == nil || d.ID != a.row.ID {
		return false
	}
	q, ok := d.Question()
	return !ok || q.WaitID != a.ask.WaitID
}

func (a *answering) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	switch id, _ := action.Of(action.Text, k); id.ID {
	case action.QuestionDown, action.QuestionUp:
		step := max(a.room(s)-1, 1)
		if id.ID == action.QuestionUp {
			step = -step
		}
		a.top = min(max(a.top+step, 0), a.lastTop(s))
		return a, wish{}
	}
	d, w := a.form.press(k, s)
	if d == nil {
		return nil, w
	}
	return a, w
}

func (a *answering) paste(s string) dialog {
	a.form.paste(s)
	return a
}

// question is the part of the question that has room, and its choices.
func (a *answering) question(s surroundings, _ *form) []string {
	lines, room := a.lines(s), a.room(s)
	top := min(a.top, a.lastTop(s))
	out := append([]string(nil), lines[top:min(top+room, len(lines))]...)
	if len(lines) > room {
		out = append(out, s.mutedLine(fmt.Sprintf("lines %d-%d of %d · pgup pgdn", top+1, min(top+room, len(lines)), len(lines))))
	}
	if a.replaced(s) {
		out = append(out, s.warnLine(action.Keyed("It asks something else by now. {close}, then {answer} shows it."))...)
	}
	return append(out, "")
}

func (a *answering) lastTop(s surroundings) int { return max(len(a.lines(s))-a.room(s), 0) }

// room is how many lines of the question fit above the field and what follows it.
func (a *answering) room(s surroundings) int {
	below := 1 + a.fields[answerText].Rows + len(s.handedOver()) + 2 // label, field, tail, a gap and the scroll line
	if a.form.visible(answerReady) {
		below++
	}
	if a.replaced(s) {
		below += 2
	}
	return max(s.layout.h-1-s.layout.hints-2-below, 2) // less what View keeps below a dialog, and its border
}

// lines are the question, why it is asked, what was answered before, and the choices.
func (a *answering) lines(s surroundings) []string {
	k, w := s.styles, d80(s.layout.w)
	var out []string
	switch q := a.ask.Ask.Question; {
	case q != "":
		out = s.wrapped(q, w, k.Strong)
	case a.ask.WaitID != "":
		out = s.wrapped(a.ask.Reason, w, k.Strong)
	default:
		out = append(out, " "+k.Strong.Paint("Its plan needs input. The plan says what is missing."))
	}
	if q := a.ask; q.Ask.Question != "" && q.Reason != q.Ask.Question {
		out = append(out, s.wrapped(q.Reason, w, k.Muted)...)
	}
	if a.ask.PlanNeedsInput && a.ask.WaitID != "" {
		out = append(out, s.mutedLine("Its plan needs input too."))
	}
	if !a.ask.Since.IsZero() {
		out = append(out, s.mutedLine("asked "+text.Age(s.now.Sub(a.ask.Since))+" ago"))
	}
	if d := s.detail(); d != nil && d.ID == a.row.ID && a.ask.WaitID == "" && len(d.Replies) > 0 {
		last := d.Replies[len(d.Replies)-1]
		out = append(out, s.mutedLine("Answered "+text.Age(s.now.Sub(last.At))+" ago, "+s.deliveryWords(last)+":"))
		out = append(out, s.wrapped(excerpt(last.Text), w, k.Text)...)
	}
	return append(out, a.choices(s)...)
}

// choices stand a line each, wrapped behind their digit.
func (a *answering) choices(s surroundings) []string {
	if len(a.canned) == 0 {
		return nil
	}
	out := []string{""}
	for i, choice := range a.canned {
		digit := s.styles.Key.Paint(fmt.Sprint(i + 1))
		for _, l := range text.Wrap(s.show(model.Text(choice)), max(d80(s.layout.w)-6, 8)) {
			out = append(out, "   "+digit+" "+s.styles.Text.Paint(l))
			digit = " "
		}
	}
	return out
}
