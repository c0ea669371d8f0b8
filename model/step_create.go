package model

import (
	"fmt"
	"time"
)

func (c CreateWorkItem) step(s *step) error {
	objective, err := required("objective", c.Objective, MaxObjective)
	if err != nil {
		return err
	}
	todos, warnings, err := validTodos(c.TodoList)
	if err != nil {
		return err
	}
	status := c.PlanStatus
	if status == "" {
		status = Draft
	}
	if err := validPlanStatus(status); err != nil {
		return err
	}
	if len(c.Plan) > MaxPlanBytes {
		return Refuse(CodeInvalid, "plan has %d bytes, at most %d are kept", len(c.Plan), MaxPlanBytes).At("plan").WithHint("write the plan file itself")
	}
	agent, err := s.agentOfCreate()
	if err != nil {
		return err
	}
	w := WorkItem{ID: ItemID(s.newID("wi-")), AgentID: agent.ID, Objective: objective, State: Open, PlanStatus: status, TodoList: todos}
	s.warn(warnings...)
	w = s.born(w, c.Plan, s.at.At)
	s.event(EventWorkItemWritten, w.ID, Written{Action: "created", Revision: w.Revision})
	return nil
}

// agentOfCreate is the agent that a new item is for. One that the ledger does not know
// begins here, with a warning against a mistyped name.
func (s *step) agentOfCreate() (Agent, error) {
	id := s.actingAgent()
	if id == "" {
		return Agent{}, Refuse(CodeInvalid, "no agent named for the new work item").At("agent_id").WithHint("name one: --agent")
	}
	_, known := s.Agent(id)
	a, err := s.agent(id)
	if err == nil && !known {
		s.warn(Warning{Kind: WarnAgentAdded, Message: fmt.Sprintf("agent %s was not known before; it is now", a.ID)})
	}
	return a, err
}

// born writes a new item's first revision with its handle and plan file.
func (s *step) born(w WorkItem, plan Text, planned time.Time) WorkItem {
	w.Handle = NewHandle(w.ID, s.handleTaken)
	w.PlanArtifact = NewPlanArtifact(w.AgentID, w.ID, []byte(plan), planned)
	w.CreatedAt, w.UpdatedAt = s.at.At, s.at.At
	s.plans = append(s.plans, NewPlan{AgentID: w.AgentID, ItemID: w.ID, Seed: plan})
	return s.save(w, true)
}

func (c AddAgent) step(s *step) error {
	a, err := s.agent(c.AgentID)
	s.receipt.AgentID = a.ID
	return err
}

func (c UpdateAgent) step(s *step) error {
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != a.ID {
		return Refuse(CodeNotOwner, "agent %s cannot change agent %s", caller, a.ID).At("agent_id")
	}
	s.receipt.AgentID = a.ID
	before := a
	if c.AutoPick != nil {
		a.AutoPick = *c.AutoPick
	}
	if c.Posture != nil {
		switch *c.Posture {
		case Awake, Asleep, Stopped:
			a.Posture = *c.Posture
		default:
			return Refuse(CodeInvalid, "unknown posture %q", Text(*c.Posture)).At("posture").WithHint("use awake, asleep or stopped")
		}
	}
	if a.AutoPick == before.AutoPick && a.Posture == before.Posture {
		return nil
	}
	a.UpdatedAt = s.at.At
	s.put(a)
	s.event(EventAgentUpdated, "", AgentNews{AgentID: a.ID, AutoPick: a.AutoPick, Posture: a.Posture})
	return nil
}
