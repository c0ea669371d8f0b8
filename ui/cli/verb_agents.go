package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
)

// agentList is the data of agents and its parts.
type agentList struct {
	Agents []agentGist `json:"agents"`
}

// agentGist is an agent in a few numbers.
type agentGist struct {
	AgentID       model.AgentID       `json:"agent_id"`
	Posture       model.Posture       `json:"posture"`
	AutoPick      bool                `json:"auto_pick"`
	Current       *model.Row          `json:"current,omitempty"`
	Counts        map[model.Class]int `json:"counts"`
	NeedsOperator int                 `json:"needs_operator"`
	Decision      model.Decision      `json:"decision"`
}

// maxAgents bounds how many agents are listed.
const maxAgents = 1000

func (a *app) agentsVerb() *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "List the agents, add one, change one"}
	c.AddCommand(a.agentsAddVerb(), a.agentsSetVerb(),
		a.agentsPostureVerb("stop", "Leave an agent alone: no turn begins, a running one ends", model.Stopped),
		a.agentsPostureVerb("resume", "Let a stopped agent run again", model.Awake))
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.agentsAnswer(ctx, "") })
}

func (a *app) agentsAddVerb() *cobra.Command {
	var m mutation
	c := &cobra.Command{Use: "add NAME", Short: "Make an agent known before it has work"}
	m.keyed(c)
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.changeAgent(ctx, m, model.AddAgent{AgentID: model.AgentID(args[0])})
	})
}

func (a *app) agentsPostureVerb(name, short string, to model.Posture) *cobra.Command {
	var m mutation
	c := &cobra.Command{Use: name + " NAME", Short: short}
	m.keyed(c)
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.changeAgent(ctx, m, model.UpdateAgent{AgentID: model.AgentID(args[0]), Posture: &to})
	})
}

func (a *app) agentsSetVerb() *cobra.Command {
	var m mutation
	var autoPick bool
	var posture string
	c := &cobra.Command{Use: "set NAME", Short: "Change an agent's settings"}
	m.keyed(c)
	c.Flags().BoolVar(&autoPick, "auto-pick", false, "let the scheduler pick the first queued item at idle")
	c.Flags().StringVar(&posture, "posture", "", "awake, asleep or stopped")
	c.MarkFlagsOneRequired("auto-pick", "posture")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		u := model.UpdateAgent{AgentID: model.AgentID(args[0])}
		if c.Flags().Changed("auto-pick") {
			u.AutoPick = &autoPick
		}
		if c.Flags().Changed("posture") {
			p := model.Posture(posture)
			u.Posture = &p
		}
		return a.changeAgent(ctx, m, u)
	})
}

func (a *app) changeAgent(ctx context.Context, m mutation, c model.Command) (answer, error) {
	in, err := a.apply(ctx, m, "", c)
	if err != nil {
		return answer{}, err
	}
	return a.agentsAnswer(ctx, in.AgentID)
}

// agentsAnswer tells of one agent, or of all.
func (a *app) agentsAnswer(ctx context.Context, only model.AgentID) (answer, error) {
	return readAnswer(ctx, a, func(p *page, l agentList) { p.agents(l.Agents) }, func(r model.Reader) (agentList, error) {
		return agentList{a.gists(r, only)}, nil
	})
}

func (a *app) gists(r model.Reader, only model.AgentID) []agentGist {
	out := []agentGist{}
	list := r.Agents("", maxAgents)
	if only != "" {
		x, _ := r.Agent(only)
		list = []model.Agent{x}
	}
	for _, x := range list {
		g := agentGist{
			AgentID: x.ID, Posture: x.Posture, AutoPick: x.AutoPick, Counts: map[model.Class]int{},
			NeedsOperator: r.Count(x.ID, model.TallyNeedsOperator), Decision: model.Decide(r, x.ID, a.now()),
		}
		if w, ok := model.Focus(r, x.ID); ok {
			row := model.RowOf(w, r.ItemWaits(x.ID, w.ID), true)
			g.Current = &row
		}
		for _, c := range model.Classes {
			g.Counts[c] = r.Count(x.ID, model.ClassTally(c))
		}
		out = append(out, g)
	}
	return out
}

func (p *page) agents(list []agentGist) {
	for i, g := range list {
		if i > 0 {
			p.line("")
		}
		p.line("%s  %s", p.strong(string(g.AgentID)), decisionWords(g.Decision))
		counts := ""
		for _, c := range model.Classes {
			mark, name := className(c)
			if n := g.Counts[c]; n > 0 {
				counts += p.class(c, fmt.Sprintf("  %s %d %s", mark, n, name))
			}
		}
		if counts == "" {
			counts = "  no work items"
		}
		p.line("%s", counts)
		if g.Current != nil {
			p.line("  works on %s %s", g.Current.Handle, g.Current.Objective)
		}
		if more := g.NeedsOperator - g.Counts[model.WaitingForOperator]; more > 0 {
			p.line("  %s", p.class(model.WaitingForOperator, fmt.Sprintf("%d more ask for you", more)))
		}
	}
}

// of is " 3 of 12", or only the first number where there is no more.
func of(n, total int) string {
	if n >= total {
		return fmt.Sprintf(" %d", n)
	}
	return fmt.Sprintf(" %d of %d", n, total)
}
