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

// A trigger that somebody else sent is told once on the message line. The cursor, the order
// and what is being typed stay as they are.

// heard tells of the triggers that came to the agent on screen since an earlier truth. An
// error on the line stays: it goes only with esc.
func (c Console) heard(before truth) (Console, tea.Cmd) {
	t := c.truth
	same := before.want.agent == t.want.agent && before.want.view == t.want.view
	if before.at.IsZero() || !same || c.place.view != viewDesk || c.note.isError {
		return c, nil
	}
	var last model.Position
	if len(before.activity.Entries) > 0 {
		last = screen.PositionOf(before.activity.Entries[0])
	}
	var came []model.Entry
	for _, e := range t.activity.Entries {
		if at := screen.PositionOf(e); at.Revision < last.Revision || at == last {
			break
		}
		if e.Kind == model.EventWaitTriggered && e.Actor != model.Operator {
			came = append(came, e)
		}
	}
	if len(came) == 0 {
		return c, nil
	}
	return c.say(c.heardWords(came, keptCurrent(before.desk, t.desk)))
}

// keptCurrent reports whether an agent has a current item, and it is the one it had.
func keptCurrent(before, after model.Desk) bool {
	return before.Current != nil && after.Current != nil && before.Current.ID == after.Current.ID
}

// heardWords say what came, on one line where the screen has room for it.
func (c Console) heardWords(came []model.Entry, kept bool) string {
	end := "."
	if kept {
		end = ". Current work kept."
	}
	if n := len(came); n > 1 {
		return fmt.Sprintf("%d triggers came, the newest for %s%s", n, c.heardBy(came[0]), end)
	}
	e := came[0]
	var h model.TriggerNews
	_ = json.Unmarshal(e.Data, &h) // without its data the event still tells who sent it
	what := c.show(cmp.Or(h.Source, model.Text(e.Actor)))
	end = " for " + c.heardBy(e) + end
	if payload := h.Payload.String(); payload != "" {
		what += ": " + c.styles.Safe(payload)
	} else {
		what = "A trigger by " + what
	}
	return text.Cut(what, max(c.layout.w-text.Width(end)-2, 12)) + end
}

// heardBy names the item that a trigger came to, or the agent that waited itself.
func (c Console) heardBy(e model.Entry) string {
	return cmp.Or(string(c.truth.activity.Names[e.WorkItemID]), model.Text(e.AgentID).String())
}
