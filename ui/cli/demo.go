package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vise/model"
)

// demoWorld is where the play takes place.
type demoWorld struct {
	Ledger interface {
		Apply(context.Context, model.Envelope) (model.Receipt, error)
	}
	// WritePlan replaces an item's plan file, as an agent's editor would.
	WritePlan func(model.AgentID, model.ItemID, string) error
	Now       func() time.Time
	// Sleep waits, or returns the context's error.
	Sleep func(context.Context, time.Duration) error
}

// demoAct is one thing that somebody does.
type demoAct struct {
	// After is the pause since the act before.
	After time.Duration
	Agent model.AgentID
	// By is who acts, if not the agent itself.
	By model.Actor
	// Command names items by their ids, or by the As of the act that created them.
	Command model.Command
	// As names the item that Command creates.
	As model.ItemID
	// Item's plan file is replaced by Plan, when Plan is not empty.
	Item model.ItemID
	Plan string
}

// prepare makes the agents with what they have done so far. It is over at once.
func (w demoWorld) prepare(ctx context.Context) error {
	for i, in := range demoPrologue(w.Now()) {
		if _, err := w.Ledger.Apply(ctx, model.Envelope{Key: fmt.Sprintf("prologue-%d", i), Actor: model.Operator, Command: in}); err != nil {
			return fmt.Errorf("demo: agent %s: %w", in.AgentID, err)
		}
	}
	return nil
}

// play performs the acts. A refusal is no error: the operator is free to do as they like
// with the same items, and the play goes on around it.
func (w demoWorld) play(ctx context.Context, acts []demoAct) error {
	p := &demoPlayer{demoWorld: w, made: map[model.ItemID]model.ItemID{}}
	for i, act := range acts {
		if err := w.Sleep(ctx, act.After); err != nil {
			return err
		}
		if err := p.perform(ctx, fmt.Sprintf("act-%d", i), act); err != nil {
			return fmt.Errorf("demo: act %d: %w", i+1, err)
		}
	}
	return nil
}

type demoPlayer struct {
	demoWorld
	// made are the items that acts created, by the names of the script.
	made map[model.ItemID]model.ItemID
}

func (p *demoPlayer) perform(ctx context.Context, key string, act demoAct) error {
	if act.Plan != "" {
		if err := p.WritePlan(act.Agent, p.id(act.Item), act.Plan); err != nil {
			return err
		}
	}
	if act.Command == nil {
		return nil
	}
	by := act.By
	if by == "" {
		by = model.AgentActor(act.Agent)
	}
	in, err := p.Ledger.Apply(ctx, model.Envelope{Key: key, Actor: by, Agent: act.Agent, Command: p.named(act.Command)})
	var refused *model.Error
	if errors.As(err, &refused) {
		return nil
	}
	if act.As != "" {
		p.made[act.As] = in.WorkItemID
	}
	return err
}

func (p *demoPlayer) id(name model.ItemID) model.ItemID {
	if id, ok := p.made[name]; ok {
		return id
	}
	return name
}

// named puts the ids of created items in the place of their names.
func (p *demoPlayer) named(c model.Command) model.Command {
	switch c := c.(type) {
	case model.UpdateWorkItem:
		c.WorkItemID = p.id(c.WorkItemID)
		return c
	case model.PickWorkItem:
		c.WorkItemID = p.id(c.WorkItemID)
		return c
	case model.CompleteWorkItem:
		c.WorkItemID = p.id(c.WorkItemID)
		return c
	case model.WaitFor:
		c.WorkItemID = p.id(c.WorkItemID)
		return c
	case model.Trigger:
		c.WorkItemID = p.id(c.WorkItemID)
		return c
	case model.Round:
		calls := make([]model.Call, len(c.Calls))
		for i, call := range c.Calls {
			calls[i] = model.Call{Command: p.named(call.Command)}
		}
		c.Calls = calls
		return c
	}
	return c
}
