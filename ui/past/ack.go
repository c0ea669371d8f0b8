package past

import "vise/model"

// Acknowledged is the deed of having acknowledged an item of an agent.
func Acknowledged(agent model.AgentID, a model.Acknowledge, words string) Deed {
	return Deed{Agent: agent, undo: model.Undo{What: model.Text(words)}, seen: opposite([]model.Acknowledge{a})}
}
