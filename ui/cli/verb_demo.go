package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

func (a *app) demoVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand at the beginning.",
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.openDemo(ctx) })
}

func (a *app) openDemo(ctx context.Context) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &consoleRun{app: a, ctx: ctx}
	defer r.close()
	session, h, err := r.demo()
	if err != nil {
		return answer{}, err
	}
	if !a.flags.json && a.ttyIn && a.ttyOut {
		o := r.options()
		o.Session = session
		return answer{}, showConsole(ctx, o)
	}
	out := status{Home: "DEMO", Exists: true}
	err = h.View(ctx, func(r model.Reader) error {
		out.Revision, out.Agents = r.Revision(), a.gists(r, "")
		return nil
	})
	return answer{data: out, text: func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(out.Agents)
	}}, err
}

// demo is a session on a ledger in memory, on which scripted agents begin to play. Its
// plan files lie in a private directory that goes with it.
func (r *consoleRun) demo() (console.Session, *home.Home, error) {
	dir, err := os.MkdirTemp("", "vise-demo-")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, func() { os.RemoveAll(dir) })
	copies, err := files.NewHome(dir)
	if err != nil {
		return console.Session{}, nil, err
	}
	h := home.On(store.NewMem(copies), copies, home.Options{Now: r.now, Dir: dir})
	w := demoWorld{
		Ledger: h, Now: r.now, Sleep: sleep,
		WritePlan: func(agent model.AgentID, id model.ItemID, text string) error {
			return files.WriteAtomic(copies.PlanPath(agent, id), []byte(text))
		},
	}
	if err := w.prepare(r.ctx); err != nil {
		return console.Session{}, nil, err
	}
	plans, err := watchPlans(r.ctx, h, "")
	if err != nil {
		return console.Session{}, nil, err
	}
	r.atEnd = append(r.atEnd, plans.close)
	r.home = h
	ctx, stop := context.WithCancel(r.ctx)
	r.running.Go(func() { _ = w.play(ctx, demoScript()) })
	r.atEnd = append(r.atEnd, func() { stop(); r.running.Wait() })
	return console.Session{Ledger: h, Plans: plans, SeenPlans: newSeenPlans(dir), Demo: true}, h, nil
}

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
	// Item's plan file is replaced by the text that Plan names; empty: it stays.
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
		if err := p.WritePlan(act.Agent, p.id(act.Item), demoText(act.Plan).Raw()); err != nil { // raw: to a file
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
