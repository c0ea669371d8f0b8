package model

// PlanAhead is the plan that a command makes with its item, unless it is refused. ok is false if the command makes none, or if
// only the facts tell which. No other command makes the same one, because the item's id is the stamp's.
func PlanAhead(at Stamp, c Command) (p NewPlan, ok bool) {
	s := step{at: at}
	switch c := c.(type) {
	case CreateWorkItem:
		p = NewPlan{AgentID: s.actingAgent(), Seed: c.Plan}
	case OpenDelegation:
		p = NewPlan{AgentID: c.To, Seed: c.Plan}
	}
	p.ItemID = ItemID(s.newID("wi-"))
	return p, p.AgentID != ""
}
