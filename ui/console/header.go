package console

import (
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

func (c Console) header() screen.Header {
	v := screen.Header{
		Frame: c.frame(), W: c.layout.w, Views: viewNames[:], At: int(c.place.view), Badges: c.badges(),
		NeedYou: c.truth.needYou(), More: len(c.truth.inbox) >= inboxShown && c.truth.needYou() >= inboxShown, Findings: len(c.files.Pending()),
	}
	switch c.place.view {
	case viewDesk:
		v.Agent, v.Gist = c.place.agent, v.Counts(c.truth.desk)
	case viewFleet:
		v.Gist = v.Muted.Paint(c.fleetView().Gist())
	}
	return v
}

// badges are the states of the whole screen that must not be overlooked.
func (c Console) badges() []string {
	var out []string
	if c.fx.Demo {
		out = append(out, "DEMO")
	}
	if c.fx.Session.ReadOnly != "" {
		out = append(out, "READ-ONLY")
	}
	if c.truth.desk.Agent.Posture == model.Stopped {
		out = append(out, "STOPPED")
	}
	if q := queuedWords(c.truth.desk.Agent); q != "" {
		out = append(out, q)
	}
	for _, x := range c.truth.conditions {
		badge := strings.ToUpper(spaced(string(x.Code)))
		if x.ReadOnly && c.fx.Session.ReadOnly == "" {
			badge = "READ-ONLY"
		}
		out = append(out, badge)
	}
	if c.trouble != nil && !c.truth.at.IsZero() {
		out = append(out, "OLD "+c.truth.at.Format("15:04:05"))
	}
	return out
}

// footer is the newest message and the likeliest keys; what cannot be done now is left out.
func (c Console) footer() screen.Footer {
	k := c.styles
	v := screen.Footer{Frame: c.frame(), W: c.layout.w, Rows: c.layout.hints, Status: c.status(), Ink: k.Text}
	switch {
	case c.note.text != "":
		v.Message, v.Urgent = c.note.text, c.note.isError
		if c.note.isError {
			v.Ink = k.Blocked
		}
	case c.trouble != nil:
	case len(c.truth.conditions) > 0:
		v.Message, v.Ink, v.Urgent = c.truth.conditionWords(), k.NeedsYou, true
	case c.place.view == viewFleet && c.fleetView().Words() != "":
		v.Message, v.Cut = c.fleetView().Words(), true
	case c.plan.mode != "":
		v.Message, v.Ink, v.Cut = model.Text(c.plan.mode).String(), k.NeedsYou, true
	}
	if c.trouble != nil && !v.Urgent {
		v.Message, v.Ink, v.Urgent = c.troubleWords(), k.NeedsYou, true
		if c.truth.at.IsZero() && c.layout.shows(paneQueue) { // a pane says them
			v.Message = "Nothing was read yet. vise tries again until it can; writes are off."
		}
	}
	v.Message = k.Safe(v.Message)
	if c.fx.Ledger == nil {
		return v
	}
	v.Help = c.keys.ByID(action.Help)
	state := c.state()
	for _, a := range c.keys {
		if a.In == action.Desk && a.Hint != "" && a.ID != action.Help && c.keys.Refusal(a, state) == "" {
			v.Hints = append(v.Hints, a)
		}
	}
	return v
}

// status says what the scheduler would do and whether something is being saved.
func (c Console) status() string {
	if c.truth.at.IsZero() {
		return ""
	}
	var parts []string
	if c.place.view == viewDesk {
		parts = append(parts, "scheduler: "+spaced(c.truth.desk.Decision.Reason))
	}
	if n := c.outbox.unsaved(); n > 0 {
		parts = append(parts, "saving "+strconv.Itoa(n))
	} else {
		parts = append(parts, "ledger "+strconv.FormatUint(c.truth.revision, 10))
	}
	return strings.Join(parts, " · ")
}
