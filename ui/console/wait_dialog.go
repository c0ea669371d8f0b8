package console

import (
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// waitKinds are the wakes in the order of the digits.
var waitKinds = []struct {
	wake model.Wake
	name string
}{
	{model.WakeOperatorInput, "operator"}, {model.WakeTaskResult, "task"}, {model.WakeExternal, "external event"}, {model.WakeTimer, "timer"},
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

// waiting parks an item until something happens.
func waiting(c Console) widget.Dialog {
	x, r := c.context(), *c.row()
	names := make([]string, len(waitKinds))
	for i, k := range waitKinds {
		names[i] = k.name
	}
	line := func() widget.Field { return textField(1, model.MaxWaitText) }
	is := func(wakes ...int) func(*widget.Form) bool {
		return func(f *widget.Form) bool { return slices.Contains(wakes, f.Fields[waitKind].Chosen) }
	}
	f := itemForm(x, r, "WaitFor", "wait")
	f.Title, f.Tail, f.Foot = about(x, "Wait ", r), releaseLines(r), "{submit} save · {next-field} field · {close} keeps the draft"
	f.Fields = []widget.FormField{
		waitKind:      {Label: "Wait for", Options: names},
		waitReason:    {Label: "Why   becomes its blocker", Field: line()},
		waitQuestion:  {Label: "Question", Field: line(), Shown: is(0)},
		waitChoices:   {Label: "Choices   up to five, with | between", Field: line(), Shown: is(0)},
		waitSource:    {Label: "Source   ci.github", Field: line(), Shown: is(2)},
		waitResource:  {Label: "Resource   the task's id, or what it is about", Field: line(), Shown: is(1, 2)},
		waitCondition: {Label: "Condition   conclusion=success", Field: line(), Shown: is(2)},
		waitTime:      {Label: "Until   30m, 16:00, tomorrow 9", Field: line(), Shown: is(3), Note: resolved},
		waitRecheck:   {Label: "Recheck   look again after 30m, at 16:00; may stay empty", Field: line(), Shown: is(0, 1, 2), Note: resolved},
	}
	f.Submit = func(x widget.Context, f *widget.Form) widget.Result { return waitCommand(x, f, r) }
	return f.WithDraft(x.Drafts)
}

// resolved shows the instant that a time field means.
func resolved(x widget.Context, f *widget.Form) string {
	at := waitTime
	if f.Fields[waitKind].Chosen != 3 {
		at = waitRecheck
	}
	if f.Fields[at].Empty() {
		return ""
	}
	t, err := text.ParseTime(f.Value(at), x.Now)
	if err != nil {
		return x.Blocked.Paint(err.Error())
	}
	return x.Accent.Paint(x.BothTimes(t))
}

// waitCommand makes the command of the wait dialog.
func waitCommand(x widget.Context, f *widget.Form, r model.Row) widget.Result {
	kind := waitKinds[f.Fields[waitKind].Chosen]
	w := model.WaitFor{WorkItemID: r.ID, Wake: kind.wake, Reason: f.Text(waitReason), SeenRevision: f.Revision(x, r)}
	if w.Reason == "" {
		return widget.Trouble("say why it waits; that becomes its blocker")
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
		t, err := text.ParseTime(f.Value(waitTime), x.Now)
		if err != nil {
			return widget.Trouble(err.Error())
		}
		w.WakeAt = t
	} else if v := f.Value(waitRecheck); v != "" {
		t, err := text.ParseTime(v, x.Now)
		if err != nil {
			return widget.Trouble(err.Error())
		}
		ms := max(t.Sub(x.Now), time.Millisecond).Milliseconds()
		w.RecheckAfterMS = &ms
	}
	return widget.Apply{Command: w, Said: string(r.Handle) + " waits for " + kind.name}
}
