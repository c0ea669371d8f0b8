package console

import (
	"fmt"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
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
func waiting(c Console) dialog {
	r := *c.row()
	names := make([]string, len(waitKinds))
	for i, k := range waitKinds {
		names[i] = k.name
	}
	line := func() widget.Field { return widget.NewField("", 1, model.MaxWaitText) }
	is := func(wakes ...int) func(*form) bool {
		return func(f *form) bool {
			for _, w := range wakes {
				if f.fields[waitKind].chosen == w {
					return true
				}
			}
			return false
		}
	}
	f := &form{
		seen:     c.revision(),
		about:    subject{r.ID, "WaitFor"},
		title:    fmt.Sprintf("Wait  %s  %s", r.Handle, text.Cut(c.show(r.Objective), 50)),
		draftKey: "wait:" + string(r.ID),
		head:     func(surroundings, *form) []string { return nil },
		fields: []formField{
			waitKind:      {label: "Wait for", options: names},
			waitReason:    {label: "Why   becomes its blocker", Field: line()},
			waitQuestion:  {label: "Question", Field: line(), shown: is(0)},
			waitChoices:   {label: "Choices   up to five, with | between", Field: line(), shown: is(0)},
			waitSource:    {label: "Source   ci.github", Field: line(), shown: is(2)},
			waitResource:  {label: "Resource   the task's id, or what it is about", Field: line(), shown: is(1, 2)},
			waitCondition: {label: "Condition   conclusion=success", Field: line(), shown: is(2)},
			waitTime:      {label: "Until   30m, 16:00, tomorrow 9", Field: line(), shown: is(3), note: resolved},
			waitRecheck:   {label: "Recheck   look again after 30m, at 16:00; may stay empty", Field: line(), shown: is(0, 1, 2), note: resolved},
		},
		tail: func(s surroundings, _ *form) []string { return s.releaseLines(r) },
		foot: func(*form) string {
			return action.Keyed("{submit} save · {next-field} field · {close} keeps the draft")
		},
	}
	f.submit = func(s surroundings, f *form) wish { return f.waitWish(s, r) }
	return f.withDraft(c.drafts[f.draftKey])
}

// resolved shows the instant that a time field means.
func resolved(s surroundings, f *form) string {
	at := waitTime
	if f.fields[waitKind].chosen != 3 {
		at = waitRecheck
	}
	if f.fields[at].Empty() {
		return ""
	}
	t, err := text.ParseTime(f.value(at), s.now)
	if err != nil {
		return s.styles.Blocked.Paint(err.Error())
	}
	return s.styles.Accent.Paint(s.bothTimes(t))
}

// waitWish makes the command of the wait dialog.
func (f *form) waitWish(s surroundings, r model.Row) wish {
	kind := waitKinds[f.fields[waitKind].chosen]
	w := model.WaitFor{WorkItemID: r.ID, Wake: kind.wake, Reason: f.text(waitReason), SeenRevision: s.sawIn(f, r)}
	if w.Reason == "" {
		return wish{trouble: "say why it waits; that becomes its blocker"}
	}
	given := func(i int) model.Text {
		if f.visible(i) {
			return f.text(i)
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
		t, err := text.ParseTime(f.value(waitTime), s.now)
		if err != nil {
			return wish{trouble: err.Error()}
		}
		w.WakeAt = t
	} else if v := f.value(waitRecheck); v != "" {
		t, err := text.ParseTime(v, s.now)
		if err != nil {
			return wish{trouble: err.Error()}
		}
		ms := max(t.Sub(s.now), time.Millisecond).Milliseconds()
		w.RecheckAfterMS = &ms
	}
	return wish{command: w, said: string(r.Handle) + " waits for " + kind.name}
}
