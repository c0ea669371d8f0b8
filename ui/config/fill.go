package config

import (
	"encoding/json"
	"slices"

	"vise/model"
)

// Filled are a command's words for an agent or, where it is about an item, for that item,
// and what it gets on standard input: the item as vise show --json has it, or the agent.
func (x Command) Filled(agent model.AgentID, item model.View) (argv []string, stdin []byte, err error) {
	words := map[string]string{"{agent}": string(agent)}
	var about any = struct {
		AgentID model.AgentID `json:"agent_id"`
	}{agent}
	if x.OfItem() {
		words["{id}"], words["{handle}"], words["{plan}"] = string(item.ID), string(item.Handle), item.Plan.Path
		about = struct {
			WorkItem model.View `json:"work_item"`
		}{item}
	}
	argv = slices.Clone(x.Run)
	for i, w := range argv {
		if v, ok := words[w]; ok && i > 0 {
			argv[i] = v
		}
	}
	stdin, err = json.Marshal(about)
	return argv, stdin, err
}
