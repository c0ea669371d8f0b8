package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
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
	// Session is the agent's session that lives, else its last one.
	Session  *home.Session      `json:"session,omitempty"`
	Limits   model.Limits       `json:"limits,omitzero"`
	Evidence model.EvidenceRule `json:"evidence,omitzero"`
	// Failure is how the last turn failed. It is missing if the turn did not fail.
	Failure *model.TurnFailure `json:"failure,omitempty"`
	// Forges say why gh or glab cannot be asked about items that wait for a forge.
	Forges []model.ForgeTrouble `json:"forges,omitempty"`
}

func agentsVerb() verb {
	return verb{
		use: "agents", short: "List the agents, add one, change one", example: "vise agents", who: anybody,
		verbs: []verb{agentsAddVerb(), agentsSetVerb(), agentsRemoveVerb(), agentsRenameVerb(),
			agentsPostureVerb("stop", "Leave an agent alone: no turn begins, a running one ends", model.Stopped),
			agentsPostureVerb("resume", "Let a stopped agent run again", model.Awake)},
		run: func(e *Env) (answer, error) {
			return readAnswer(e, (*page).agents, func(r model.Reader) (agentList, error) { return agentList{gists(e, r, "")}, nil })
		},
	}
}

func agentsAddVerb() verb {
	var c model.SpawnAgent
	var forDelegation bool
	return verb{
		use: "add NAME [MESSAGE]", short: "Make an agent known before it has work",
		long: `With --for-delegation the new agent works for --agent. If the configuration names no program for it,
that agent's program runs it. MESSAGE tells it what to do. The first work item that it creates becomes a
delegation of that agent's current item. Without a MESSAGE, or with --preset public_named, it serves none.`,
		example: "vise agents add ann",
		args:    to(&c.AgentID, &c.InitialMessage), keyed: true,
		flags: flags{
			{"for-delegation", &forDelegation, "it works for --agent, and is run by its program"},
			{"preset", &c.Preset, "private_child: it serves the current item of --agent; public_named: it serves none"},
			{"template", &c.Template, "an agent whose settings and program it gets"},
			{"workspace-mode", &c.WorkspaceMode, "inherit: it works where --agent works; worktree: in a git work tree of its own"},
		},
		run: func(e *Env) (answer, error) {
			switch {
			case forDelegation:
				parent, err := ownAgent(e)
				if err != nil {
					return nil, err
				}
				if c.Preset == "" && c.InitialMessage == "" {
					c.Preset = model.PublicNamed
				}
				return changeAgent(e, parent, c)
			case c != model.SpawnAgent{AgentID: c.AgentID}:
				return nil, misuse("for-delegation", "a message, preset, template or workspace is for an agent that works for another").
					WithHint("add --for-delegation, or say it afterwards: vise say %s MESSAGE", e.words[0])
			}
			return changeAgent(e, "", model.AddAgent{AgentID: c.AgentID})
		},
	}
}

func agentsRemoveVerb() verb {
	var c model.RemoveAgent
	return verb{
		use: "remove AGENT", short: "Remove an agent that never had work", example: "vise agents remove ann", aliases: "rm",
		args: to(&c.AgentID), keyed: true,
		run: func(e *Env) (answer, error) {
			in, err := send(e, "", c)
			return receiptAnswer(in, "agent %s is removed", c.AgentID), err
		},
	}
}

func agentsRenameVerb() verb {
	var old, name model.AgentID
	return verb{
		use: "rename AGENT NAME", short: "Give an agent that never had work another name", example: "vise agents rename defaultann ann",
		long: `rename keeps the agent's settings in the ledger. A program that works as AGENT goes on under that name: tell it
the new one with vise install PROGRAM --agent NAME, and rename it under agents: in config.yaml.`,
		args: to(&old, &name),
		run: func(e *Env) (answer, error) {
			var a model.Agent
			err := read(e, func(r model.Reader) (err error) {
				a, _ = r.Agent(old)
				if _, known := r.Agent(name); known || !model.ValidID(string(name)) {
					err = misuse("name", "%q is no name that can be given", name).
						WithHint("take one that no agent has, of a-z, 0-9, - and _")
				}
				return err
			})
			if err == nil {
				_, err = send(e, "", model.RemoveAgent{AgentID: old})
			}
			if err == nil {
				_, err = sendAlso(e, "", model.AddAgent{AgentID: name})
			}
			if err != nil {
				return nil, err
			}
			c := model.UpdateAgent{AgentID: name, AutoPick: &a.AutoPick, Posture: &a.Posture, CheckCommand: &a.Evidence.Command,
				MaxQuietTurnsPerHour: &a.Limits.MaxQuietTurnsPerHour, MaxTurnsPerHour: &a.Limits.MaxTurnsPerHour,
				MaxCostPerDay: &a.Limits.MaxCostPerDay, MaxTokensPerDay: &a.Limits.MaxTokensPerDay}
			if a.Evidence.Policy != "" {
				c.Evidence = &a.Evidence.Policy
			}
			return changeAgent(e, "", c)
		},
	}
}

func agentsPostureVerb(name, short string, posture model.Posture) verb {
	c := model.UpdateAgent{Posture: &posture}
	return verb{
		use: name + " AGENT", short: short, example: "vise agents " + name + " ann",
		args: to(&c.AgentID), keyed: true,
		run: func(e *Env) (answer, error) { return changeAgent(e, "", c) },
	}
}

func agentsSetVerb() verb {
	var c model.UpdateAgent
	return verb{
		use: "set AGENT", short: "Change an agent's settings", example: "vise agents set ann --max-turns-per-hour 12",
		args: to(&c.AgentID), keyed: true,
		flags: flags{
			{"auto-pick", &c.AutoPick, "let the scheduler pick the first queued item while the agent is idle"},
			{"posture", &c.Posture, "awake, asleep or stopped"},
			{"max-quiet-turns-per-hour", limit(&c.MaxQuietTurnsPerHour, -1, strconv.Atoi),
				"how many turns an hour can change nothing: 1 to 60, default (6) or off"},
			{"max-turns-per-hour", limit(&c.MaxTurnsPerHour, 0, strconv.Atoi), "how many turns an hour can begin: 1 to 60, or off"},
			{"max-cost-per-day", limit(&c.MaxCostPerDay, 0, dollars),
				"how many US dollars the turns of a day (UTC) can cost, as its program says; or off"},
			{"max-tokens-per-day", limit(&c.MaxTokensPerDay, 0, count),
				"how many tokens the turns of a day (UTC) can use; a turn that reaches it is ended; or off"},
			{"evidence", &c.Evidence, "what happens when an item is completed and no check has passed on its present files: " +
				"none, warn or require"},
			{"check", &c.CheckCommand, "the command that counts as the check; empty: any test, build or linter"},
		},
		needs: "auto-pick posture max-quiet-turns-per-hour max-turns-per-hour max-cost-per-day max-tokens-per-day evidence check",
		run: func(e *Env) (_ answer, err error) {
			if h, err := open(e); err == nil && c.MaxCostPerDay != nil && *c.MaxCostPerDay > 0 {
				s, _ := h.LastSession(c.AgentID)
				if p, ok := acp.Named(s.Program); ok && !p.TellsCost {
					return nil, refuse("%s tells no dollars, so that limit would never hold", p.Name).
						WithHint("--max-tokens-per-day bounds what its turns use")
				}
			}
			return changeAgent(e, "", c)
		},
	}
}

func count(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

// limit sets to by a flag's value: a number above zero, off, or default.
func limit[N int | int64 | float64](to **N, off N, read func(string) (N, error)) func(string) error {
	return func(said string) (err error) {
		var n N
		switch said {
		case "off":
			n = off
		case "default":
		default:
			if n, err = read(said); err != nil || n <= 0 {
				return fmt.Errorf("%q is not a limit: give a number above zero, off, or default", model.Text(said))
			}
		}
		*to = &n
		return nil
	}
}

func dollars(s string) (float64, error) { return strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64) }

func changeAgent(e *Env, as model.AgentID, c model.Command) (answer, error) {
	list := func(r model.Reader, in model.Receipt) agentList { return agentList{gists(e, r, in.AgentID)} }
	return changeAnswer(e, as, c, list, func(p *page, in model.Receipt, out agentList) {
		if in.Unchanged {
			p.line("nothing changed:")
		}
		p.agents(out)
	})
}

func gists(e *Env, r model.Reader, only model.AgentID) []agentGist {
	out := []agentGist{}
	list := slices.Collect(model.AllAgents(r))
	if only != "" {
		x, _ := r.Agent(only)
		list = []model.Agent{x}
	}
	all := e.sessions()
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
		if s, _ := home.Live(all, x.ID); s.ID != "" {
			g.Session = &s
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
		words := decisionWords(g.Decision)
		if g.Session != nil {
			words = cmp.Or(g.Session.Says(p.now, g.Decision), words)
		}
		p.line("%s  %s", p.strong(string(g.AgentID)), model.Text(words))
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
		p.lines(counts)
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
