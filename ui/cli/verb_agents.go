package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// agentList is the data of agents and its subcommands.
type agentList struct {
	Agents []agentGist `json:"agents"`
}

// agentGist is the summary of an agent.
type agentGist struct {
	AgentID       model.AgentID       `json:"agent_id"`
	Posture       model.Posture       `json:"posture"`
	AutoPick      bool                `json:"auto_pick"`
	ParentAgentID model.AgentID       `json:"parent_agent_id,omitempty"`
	Current       *model.Row          `json:"current,omitempty"`
	Counts        map[model.Class]int `json:"counts"`
	NeedsOperator int                 `json:"needs_operator"`
	Decision      model.Decision      `json:"decision"`
	Limits        model.Limits        `json:"limits,omitzero"`
	Evidence      model.EvidenceRule  `json:"evidence,omitzero"`
	// Failure is how the last turn failed. It is missing if the turn did not fail.
	Failure *model.TurnFailure `json:"failure,omitempty"`
	// Forges say why gh or glab cannot be asked about items that wait for a forge.
	Forges []model.ForgeTrouble `json:"forges,omitempty"`
}

// maxAgents is the most agents that are listed.
const maxAgents = 1000

func agentsVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "List the agents, add one, change one", Example: "vise agents"}
	c.AddCommand(agentsAddVerb(e), agentsSetVerb(e),
		agentsPostureVerb(e, "stop", "Leave an agent alone: no turn begins, a running one ends", model.Stopped),
		agentsPostureVerb(e, "resume", "Let a stopped agent run again", model.Awake))
	return e.plain(c, func(_ context.Context, _ []string) (answer, error) {
		return readAnswer(e, (*page).agents, func(r model.Reader) (agentList, error) { return agentList{gists(e, r, "")}, nil })
	})
}

func agentsAddVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "add NAME [MESSAGE]", Short: "Make an agent known before it has work",
		Example: "vise agents add ann",
		Long: "With --for-delegation the new agent works for --agent. If the configuration names no program for it,\n" +
			"that agent's program runs it. MESSAGE tells it what to do. The first work item that it creates becomes a\n" +
			"delegation of that agent's current item.",
	}
	m.keyed(c)
	forDelegation := c.Flags().Bool("for-delegation", false, "it works for --agent, and is run by its program")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if *forDelegation {
			parent, err := ownAgent(e)
			if err != nil {
				return answer{}, err
			}
			return changeAgent(e, m, parent, model.SpawnAgent{AgentID: model.AgentID(args[0]),
				InitialMessage: model.Text(strings.Join(args[1:], ""))})
		}
		if len(args) > 1 {
			return answer{}, misuse("for-delegation", "a message is for an agent that works for another").
				WithHint("add --for-delegation, or say it afterwards: vise say %s MESSAGE", args[0])
		}
		return changeAgent(e, m, "", model.AddAgent{AgentID: model.AgentID(args[0])})
	})
}

func agentsPostureVerb(e *Env, name, short string, to model.Posture) *cobra.Command {
	var m mutation
	c := &cobra.Command{Use: name + " AGENT", Short: short, Example: "vise agents " + name + " ann"}
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		return changeAgent(e, m, "", model.UpdateAgent{AgentID: model.AgentID(args[0]), Posture: &to})
	})
}

func agentsSetVerb(e *Env) *cobra.Command {
	var m mutation
	var autoPick bool
	var posture, quiet, turns, cost, evidence, check string
	c := &cobra.Command{Use: "set AGENT", Short: "Change an agent's settings", Example: "vise agents set ann --max-turns-per-hour 12"}
	m.keyed(c)
	c.Flags().BoolVar(&autoPick, "auto-pick", false, "let the scheduler pick the first queued item while the agent is idle")
	c.Flags().StringVar(&posture, "posture", "", "awake, asleep or stopped")
	c.Flags().StringVar(&quiet, "max-quiet-turns-per-hour", "", "how many turns an hour can change nothing: 1 to 60, default (6) or off")
	c.Flags().StringVar(&turns, "max-turns-per-hour", "", "how many turns an hour can begin: 1 to 60, or off")
	c.Flags().StringVar(&cost, "max-cost-per-day", "", "how many US dollars the turns of a day (UTC) can cost, as its program says; or off")
	c.Flags().StringVar(&evidence, "evidence", "", "what happens when an item is completed and no check has passed on its present files: "+
		"none, warn or require")
	c.Flags().StringVar(&check, "check", "", "the command that counts as the check; empty: any test, build or linter")
	needsOne(c, "auto-pick", "posture", "max-quiet-turns-per-hour", "max-turns-per-hour", "max-cost-per-day", "evidence", "check")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		u := model.UpdateAgent{AgentID: model.AgentID(args[0])}
		if c.Flags().Changed("auto-pick") {
			u.AutoPick = &autoPick
		}
		if c.Flags().Changed("posture") {
			p := model.Posture(posture)
			u.Posture = &p
		}
		if c.Flags().Changed("evidence") {
			u.Evidence = new(model.EvidencePolicy(evidence))
		}
		if c.Flags().Changed("check") {
			u.CheckCommand = new(model.Text(check))
		}
		var err error
		if u.MaxQuietTurnsPerHour, err = limit(c, "max-quiet-turns-per-hour", quiet, -1, strconv.Atoi); err != nil {
			return answer{}, err
		}
		if u.MaxTurnsPerHour, err = limit(c, "max-turns-per-hour", turns, 0, strconv.Atoi); err != nil {
			return answer{}, err
		}
		if u.MaxCostPerDay, err = limit(c, "max-cost-per-day", cost, 0, dollars); err != nil {
			return answer{}, err
		}
		return changeAgent(e, m, "", u)
	})
}

// limit reads a limit flag if it was given: a number above zero, off, or default.
func limit[N int | float64](c *cobra.Command, flag, said string, off N, read func(string) (N, error)) (*N, error) {
	if !c.Flags().Changed(flag) {
		return nil, nil
	}
	var n N
	switch said {
	case "off":
		n = off
	case "default":
	default:
		var err error
		if n, err = read(said); err != nil || n <= 0 {
			return nil, misuse(flag, "--%s %s is not a limit", flag, model.Text(said)).WithHint("give a number above zero, off, or default")
		}
	}
	return &n, nil
}

func dollars(s string) (float64, error) { return strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64) }

func changeAgent(e *Env, m mutation, as model.AgentID, c model.Command) (answer, error) {
	o := order{mutation: m, agent: as, command: c}
	show := func(p *page, in model.Receipt, out agentList) {
		if in.Unchanged {
			p.line("nothing changed:")
		}
		p.agents(out)
	}
	return receiptShown(e, o, show, func(r model.Reader, in model.Receipt) agentList { return agentList{gists(e, r, in.AgentID)} })
}

func gists(e *Env, r model.Reader, only model.AgentID) []agentGist {
	out := []agentGist{}
	list := r.Agents("", maxAgents)
	if only != "" {
		x, _ := r.Agent(only)
		list = []model.Agent{x}
	}
	for _, x := range list {
		g := agentGist{
			AgentID: x.ID, Posture: x.Posture, AutoPick: x.AutoPick, ParentAgentID: x.ParentAgentID, Counts: map[model.Class]int{},
			NeedsOperator: r.Count(x.ID, model.TallyNeedsOperator), Decision: model.Decide(r, x.ID, e.now()),
			Limits: x.Limits, Evidence: x.Evidence, Failure: x.Pace.Failure, Forges: model.ForgeTroubles(r, x.ID),
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

func (p *page) agents(l agentList) {
	for i, g := range l.Agents {
		if i > 0 {
			p.line("")
		}
		p.line("%s  %s", p.strong(string(g.AgentID)), decisionWords(g.Decision))
		if g.Failure != nil {
			p.line("  failing: turn %d, %s", g.Failure.Turn, model.Spaced(g.Failure.Code))
		}
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
		for _, t := range g.Forges {
			p.line("  %s", t.Words())
		}
		if g.ParentAgentID != "" {
			p.line("  was made to work for %s", g.ParentAgentID)
		}
		if w := g.Evidence.Words(); w != "" {
			p.line("  %s", w)
		}
		if g.Current != nil {
			p.line("  current item %s %s", g.Current.Handle, g.Current.Objective)
		}
		if more := g.NeedsOperator - g.Counts[model.WaitingForOperator]; more > 0 {
			p.line("  %s", p.class(model.WaitingForOperator, fmt.Sprintf("%d more need you", more)))
		}
	}
}

// of returns " 3 of 12", or only the first number if that is all.
func of(n, total int) string {
	if n >= total {
		return fmt.Sprintf(" %d", n)
	}
	return fmt.Sprintf(" %d of %d", n, total)
}
