package console

import (
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// snoozing lets the operator choose until when the inbox hides the item under the cursor, or shows it again.
func snoozing(c *console) dialog {
	r, need := *c.row(), c.truth.need
	command := model.Snooze{WorkItemID: r.ID, SeenRevision: r.Revision}
	m := &menu{Title: "Snooze " + text.Cut(r.Objective.String(), 50), Foot: "1-5 or {menu-run} choose · {menu-close} close"}
	add := func(title, does string, result message) {
		m.Lines = append(m.Lines, menuLine{Title: title, Does: does, Result: result})
	}
	until := func(title string, at time.Time) {
		z := command
		z.Until = at
		add(title, c.frame().BothTimes(at), snoozed(z, r, c.now))
	}
	until("1 for an hour", c.now.Add(time.Hour).Truncate(time.Second))
	if at, err := model.ParseTime("tomorrow 9", c.now); err == nil {
		until("2 until tomorrow", at)
	}
	add("3 until it changes", "by its agent, by you, by anybody", snoozed(command, r, c.now))
	add("4 until…", "a time of yours", act(func(c *console) { c.open(snoozingUntil(command, r)) }))
	if need.Hidden(c.now) {
		command.Withdraw = true
		add("5 bring it back now", "it is there again", apply{Said: "Back in the inbox: " + string(r.Handle), Command: command})
	} else {
		m.Foot = strings.Replace(m.Foot, "5", "4", 1)
	}
	return m
}

// snoozed sends a snooze, with a message that says until when.
func snoozed(z model.Snooze, r model.Row, now time.Time) apply {
	return apply{Said: string(r.Handle) + " is " + action.SnoozedWords(z.Until, now), Command: z}
}

// snoozingUntil asks for the time.
func snoozingUntil(z model.Snooze, r model.Row) dialog {
	return &form{
		Title:  "Snooze until",
		Fields: []formField{{Label: "Until   2h, 16:00, tomorrow 9", Field: textField(1, model.MaxWaitText), Note: snoozeNote}},
		Foot:   "{submit-line} snooze · {close} cancel",
		Submit: func(x facts, f *form) message {
			at, err := model.ParseTime(f.Value(0), x.Now)
			if err != nil {
				return trouble(err.Error())
			}
			z.Until = at
			return snoozed(z, r, x.Now)
		},
	}
}

// snoozeNote shows the instant that the typed time means.
func snoozeNote(x facts, f *form) string {
	if f.Fields[0].Empty() {
		return ""
	}
	at, err := model.ParseTime(f.Value(0), x.Now)
	if err != nil {
		return err.Error()
	}
	return x.BothTimes(at)
}

// showSnoozed shows or hides the snoozed items at the end of the inbox.
func showSnoozed(c *console) {
	c.fleet.Snoozed = !c.fleet.Snoozed
	if c.view != viewFleet {
		toView(viewFleet)(c)
		return
	}
	refreshView(c)
}
