package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// globals are the flags of every verb.
type globals struct {
	home, agent, actor    string
	json, strict, noColor bool
	// accessible asks for the console of lines; it is a flag of vise without a verb.
	accessible bool
}

func (g *globals) register(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&g.home, "home", "", "the home to work in (VISE_HOME; default: vise in the user's data directory)")
	f.StringVar(&g.agent, "agent", "", "the agent to act for or look at (VISE_AGENT; default: the only one)")
	f.StringVar(&g.actor, "actor", "", "who acts: operator, agent:NAME, external:NAME or unknown (VISE_ACTOR; default: operator on a terminal, else unknown; only the operator may --force)")
	f.BoolVar(&g.json, "json", false, "answer in JSON")
	f.BoolVar(&g.strict, "strict", false, "exit 6 when there are warnings")
	f.BoolVar(&g.noColor, "no-color", false, "no colours (NO_COLOR)")
}

// mutation are the flags of verbs that change an item.
type mutation struct {
	key        string
	ifRevision uint64
}

// keyed gives a verb the flag --key.
func (m *mutation) keyed(c *cobra.Command) {
	c.Flags().StringVar(&m.key, "key", "", "idempotency key: run again with the same key, it is done once")
}

// register gives a verb --key and --if-revision.
func (m *mutation) register(c *cobra.Command) {
	m.keyed(c)
	c.Flags().Uint64Var(&m.ifRevision, "if-revision", 0, "refuse if the work item is not at this revision any more")
}

// actor is who acts.
func (a *app) actor() (model.Actor, error) {
	named := cmp.Or(a.flags.actor, a.getenv("VISE_ACTOR"))
	if named == "" && (a.ttyIn || a.ttyOut) {
		return model.Operator, nil
	}
	actor := model.Actor(cmp.Or(named, string(model.Unknown)))
	kind, name, has := strings.Cut(string(actor), ":")
	ok := actor == model.Operator || actor == model.Unknown ||
		has && (kind == "agent" || kind == "external") && model.ValidID(name)
	if !ok {
		return "", misuse("actor", "unknown actor %q", model.Text(actor)).
			WithHint("use operator, agent:NAME, external:NAME or unknown; a name is 1 to 64 of a-z, 0-9, - and _")
	}
	return actor, nil
}

// namedAgent is the agent that the command line or the environment names, or none. An
// agent that acts acts for itself.
func (a *app) namedAgent() (model.AgentID, error) {
	id := model.AgentID(cmp.Or(a.flags.agent, a.getenv("VISE_AGENT")))
	if id == "" {
		actor, err := a.actor()
		if err != nil {
			return "", err
		}
		id, _ = actor.Agent()
		return id, nil
	}
	if !model.ValidID(string(id)) {
		return "", misuse("agent", "agent %q is not usable", model.Text(id)).
			WithHint("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	return id, nil
}

// defaultAgent is the agent of a home that nobody named one for.
const defaultAgent model.AgentID = "default"

// someAgents bounds how many agents a hint names.
const someAgents = 8

// agentOf is the agent that a verb without an item is about: the one named, else the only
// one, else the one called default.
func (a *app) agentOf(r model.Reader) (model.AgentID, error) {
	id, err := a.namedAgent()
	if err != nil || id != "" {
		return id, err
	}
	agents := r.Agents("", someAgents)
	switch len(agents) {
	case 0:
		return defaultAgent, nil
	case 1:
		return agents[0].ID, nil
	}
	if _, ok := r.Agent(defaultAgent); ok {
		return defaultAgent, nil
	}
	names := make([]string, len(agents))
	for i, x := range agents {
		names[i] = string(x.ID)
	}
	return "", misuse("agent", "there are several agents").WithHint("name one: --agent %s", strings.Join(names, ", --agent "))
}

// knownAgent is agentOf for verbs that only look: an unknown agent is an error.
func (a *app) knownAgent(r model.Reader) (model.AgentID, error) {
	id, err := a.agentOf(r)
	if err != nil {
		return "", err
	}
	if _, ok := r.Agent(id); !ok {
		return "", model.Refuse(model.CodeNotFound, "unknown agent %s", model.Text(id)).At("agent").WithHint("list them: vise agents")
	}
	return id, nil
}
