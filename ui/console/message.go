package console

import (
	"fmt"
	"strings"
	"time"

	"vise/model"
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
func messaging(c Console) widget.Dialog {
	x := c.context()
	agent := x.State.Agent
	names := make([]string, len(priorities))
	for i, p := range priorities {
		names[i] = string(p.priority)
	}
	f := &widget.Form{
		Title:    "Message to " + x.Cut(model.Text(agent), 40),
		DraftKey: "message:" + string(agent),
		Head: func(x widget.Context, _ *widget.Form) []string {
			if q := queuedWords(x.State.Desk.Agent); q != "" {
				return []string{x.Note(q + " already")}
			}
			return nil
		},
		Fields: []widget.FormField{
			messageText: {Label: "Message", Field: textField(5, model.MaxMessage)},
			messagePriority: {Label: "Priority", Options: names, Note: func(_ widget.Context, f *widget.Form) string {
				return priorities[f.Fields[messagePriority].Chosen].does
			}},
		},
		Tail: handedOver,
		Foot: "{submit} send · {next-field} priority · {close} keeps the draft",
		Submit: func(x widget.Context, f *widget.Form) widget.Result {
			if f.Fields[messageText].Empty() {
				return widget.Trouble("a message is needed")
			}
			return widget.Apply{
				Said: fmt.Sprintf("Queued for %s", x.Show(model.Text(agent))),
				Command: model.Say{AgentID: agent, Text: f.Text(messageText),
					Priority: priorities[f.Fields[messagePriority].Chosen].priority},
			}
		},
	}
	return f.WithDraft(x.Drafts)
}

// queuedWords say how much input waits for an agent's next turn; empty when none does.
func queuedWords(a model.Agent) string {
	if a.QueuedInput == 0 {
		return ""
	}
	return fmt.Sprintf("%d queued", a.QueuedInput)
}

// agentWords are what the agent picker says of an agent.
func agentWords(a model.Agent, now time.Time) string {
	parts := []string{string(a.Posture)}
	switch {
	case a.Posture == model.Stopped:
		parts = []string{"STOPPED"}
		if a.Turn.Runs(now) {
			parts = append(parts, "its turn ends")
		}
	case a.Turn.Runs(now):
		parts = []string{"in a turn"}
	}
	if q := queuedWords(a); q != "" {
		parts = append(parts, q)
	}
	return strings.Join(append(parts, "changed "+text.Age(now.Sub(a.UpdatedAt))+" ago"), " · ")
}

// posture stops an agent, or lets a stopped one run again.
func posture(a model.Agent) widget.Apply {
	posture, said := model.Stopped, "Stopped "+string(a.ID)+": no turn begins"
	if a.Posture == model.Stopped {
		posture, said = model.Awake, "Resumed "+string(a.ID)
	}
	return widget.Apply{Said: model.Text(said).String(), Command: model.UpdateAgent{AgentID: a.ID, Posture: &posture}}
}
