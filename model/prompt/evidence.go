package prompt

import (
	"fmt"

	"vise/model"
)

// evidence says what the agent's policy asks of a completion, and what would give it.
func evidence(e model.Evidence) layer {
	comes, ok := map[model.EvidencePolicy]string{model.EvidenceWarn: "warned of", model.EvidenceRequire: "refused"}[e.Policy]
	if !ok {
		return layer{}
	}
	rule := fmt.Sprintf("Completion: %s unless %s passed after the last change of the files", comes, clip(e.Counts(), leastObjective))
	now := "; it is " + clip(e.Words(), 2*waitText)
	if run := e.ToVerify(); run != "" {
		now += "; " + clip(run, 2*waitText)
	}
	return layerOf("evidence", 1, rule, "", rule+now)
}
