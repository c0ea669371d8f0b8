package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// The fields of the message dialog.
const (
	messageText = iota
	messagePriority
)

// priorities are those of a message in the order of likely use, and what each means.
var priorities = []struct {
	priority model.Priority
	does     string
}{
	{model.Normal, "after what is queued already"},
	{model.Next, "before what is queued, in the next turn"},
	{model.Background, "after everything else"},
	{model.Interject, "ends the turn that runs, and is heard in the next one"},
}

// messaging says something to the agent on screen. It never becomes a work item by itself.
func messaging(c Console) dialog {
	agent := c.place.agent
	names := make([]string, len(priorities))
	for i, p := range priorities {
		names[i] = string(p.priority)
	}
	f := &form{
		title:    "Message to " + text.Cut(c.show(model.Text(agent)), 40),
		draftKey: "message:" + string(agent),
		head:     func(s surroundings, _ *form) []string { return s.queuedLines() },
		fields: []formField{
			messageText: {label: "Message", Field: widget.NewField("", 5, model.MaxMessage)},
			messagePriority: {label: "Priority", options: names, note: func(_ surroundings, f *form) string {
				return priorities[f.fields[messagePriority].chosen].does
			}},
		},
		tail: func(s surroundings, _ *form) []string { return s.handedOver() },
		foot: func(*form) string {
			return action.Keyed("{submit} send · {next-field} priority · {close} keeps the draft")
		},
		submit: func(s surroundings, f *form) wish {
			if f.fields[messageText].Empty() {
				return wish{trouble: "a message is needed"}
			}
			return wish{
				said: fmt.Sprintf("Queued for %s", s.show(model.Text(agent))),
				command: model.Say{AgentID: agent, Text: f.text(messageText),
					Priority: priorities[f.fields[messagePriority].chosen].priority},
			}
		},
	}
	return f.withDraft(c.drafts[f.draftKey])
}

func (c Console) queuedLines() []string {
	if q := queuedWords(c.truth.desk.Agent); q != "" {
		return []string{c.styles.Muted.Paint(" " + q + " already")}
	}
	return nil
}

// queuedWords say how much input waits for an agent's next turn; empty when none does.
func queuedWords(a model.Agent) string {
	if a.QueuedInput == 0 {
		return ""
	}
	return fmt.Sprintf("%d queued", a.QueuedInput)
}

// agentWords are what the agent picker says of an agent.
func agentWords(a model.Agent, c Console) string {
	parts := []string{string(a.Posture)}
	switch {
	case a.Posture == model.Stopped:
		parts = []string{"STOPPED"}
		if a.Turn.Runs(c.now) {
			parts = append(parts, "its turn ends")
		}
	case a.Turn.Runs(c.now):
		parts = []string{"in a turn"}
	}
	if q := queuedWords(a); q != "" {
		parts = append(parts, q)
	}
	return strings.Join(append(parts, "changed "+text.Age(c.now.Sub(a.UpdatedAt))+" ago"), " · ")
}

// postureWish stops an agent, or lets a stopped one run again.
func postureWish(a model.Agent) wish {
	posture, said := model.Stopped, "Stopped "+string(a.ID)+": no turn begins"
	if a.Posture == model.Stopped {
		posture, said = model.Awake, "Resumed "+string(a.ID)
	}
	return wish{said: model.Text(said).String(), command: model.UpdateAgent{AgentID: a.ID, Posture: &posture}}
}

// setPosture is the wish of the agent at the cursor, where the menu is one of agents.
func (m *menu) setPosture(shown []menuLine, c Console) (dialog, wish) {
	if m.at >= len(shown) || shown[m.at].posture.command == nil {
		return m, wish{}
	}
	if why := c.readOnly(); why != "" {
		return m, wish{trouble: why}
	}
	m.waiting = true
	return m, shown[m.at].posture
}
