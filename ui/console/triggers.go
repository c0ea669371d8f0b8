package console

import (
	"cmp"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// tellTriggers tells once, on the message line, of the triggers that somebody else sent to the
// agent on screen since an earlier truth. The cursor, the order and what is being typed stay as
// they are, and so does an error on the line.
func (c Console) tellTriggers(before truth) (Console, tea.Cmd) {
	t := c.truth
	same := before.want.agent == t.want.agent && before.want.view == t.want.view
	if before.at.IsZero() || !same || c.place.view != viewDesk || c.note.isError {
		return c, nil
	}
	came := triggersSince(before, t)
	if len(came) == 0 {
		return c, nil
	}
	e := came[0]
	end := " for " + cmp.Or(string(t.activity.Names[e.WorkItemID]), model.Text(e.AgentID).String()) + "."
	if b, a := before.desk.Current, t.desk.Current; b != nil && a != nil && b.ID == a.ID {
		end += " Current work kept."
	}
	if n := len(came); n > 1 {
		return c.say(fmt.Sprintf("%d triggers came, the newest%s", n, end))
	}
	var trigger model.TriggerNews
	_ = json.Unmarshal(e.Data, &trigger) // without its data the event still tells who sent it
	what := c.frame().Show(cmp.Or(trigger.Source, model.Text(e.Actor)))
	if payload := trigger.Payload.String(); payload != "" {
		what += ": " + c.styles.Safe(payload)
	} else {
		what = "A trigger by " + what
	}
	return c.say(text.Cut(what, max(c.layout.w-text.Width(end)-2, 12)) + end)
}

// triggersSince are those of others that t has and before had not, newest first.
func triggersSince(before, t truth) (came []model.Entry) {
	var last model.Position
	if len(before.activity.Entries) > 0 {
		last = screen.PositionOf(before.activity.Entries[0])
	}
	for _, e := range t.activity.Entries {
		if at := screen.PositionOf(e); at.Revision < last.Revision || at == last {
			break
		}
		if e.Kind == model.EventWaitTriggered && e.Actor != model.Operator {
			came = append(came, e)
		}
	}
	return came
}
