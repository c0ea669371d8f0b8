package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/ui/agents"
)

// script is the data of completion and man.
type script struct {
	Shell string `json:"shell,omitempty"`
	Text  string `json:"text"`
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script of a shell",
		Long: "completion prints a script that lets the shell complete commands, flags, agents and work items.\n" +
			"That of bash needs the package bash-completion.",
		Example: "source <(vise completion bash)", ValidArgs: shells,
	}
	return a.plain(c, func(_ context.Context, args []string) (answer, error) {
		var b strings.Builder
		var err error
		switch root := c.Root(); args[0] {
		case "bash":
			err = root.GenBashCompletionV2(&b, true)
		case "zsh":
			err = root.GenZshCompletion(&b)
		case "fish":
			err = root.GenFishCompletion(&b, true)
		case "powershell":
			err = root.GenPowerShellCompletionWithDesc(&b)
		default:
			err = misuse("shell", "unknown shell %q", model.Text(args[0])).WithHint("the shells are %s", strings.Join(shells, ", "))
		}
		return printed(script{args[0], b.String()}), err
	})
}

func printed(s script) answer {
	return answer{data: s, text: func(p *page) { p.b.WriteString(s.Text) }}
}

// offered bounds how many items a completion proposes.
const offered = model.MaxLimit

// fileFlags are the flags whose value is a file, directoryFlags those whose value is a directory.
var (
	fileFlags = map[string]bool{
		"report-file": true, "file": true, "cert": true, "cert-key": true, "secret-file": true, "from-file": true,
	}
	directoryFlags = map[string]bool{"home": true, "dir": true, "into": true, "repo": true, "session": true}
)

// flagWords are what a flag's value can be, by the flag, or by a command and the flag.
var flagWords = map[string][]string{
	"actor": {"operator", "agent:", "external:", "unknown"}, "plan-status": {"draft", "ready", "needs_input"},
	"priority": {"high", "normal", "low"}, "say priority": {"interject", "next", "normal", "background"},
	"todo priority": {"p1", "p2", "p3"}, "posture": {"awake", "asleep", "stopped"},
	"adapter": {"claude", "codex", "gemini", "opencode", "rounds", "text"},
	"format":  barFormats, "import format": {"tome", "sarif", "govet", "golangci"},
	"wake": {"operator_input", "task_result", "external", "timer", "system"}, "deliver": {"wake_hint", "enqueue_message"},
	"sign": {"github", "vise"}, "tools": {"usual", "all"}, "program": agents.Programs, "filter": as[string](model.Filters),
}

// flagKinds are the flags whose value is what an argument of that name is.
var flagKinds = map[string]string{"agent": "AGENT", "to": "AGENT", "only": "AGENT", "item": "ID", "child": "ID", "new from": "ID"}

// completed gives every command and flag below c what completes it: file names only where a file is meant.
func (a *app) completed(c *cobra.Command) {
	if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
		c.ValidArgsFunction = a.items(model.FilterAll)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_ = c.RegisterFlagCompletionFunc(f.Name, a.flagValues(f.Name)) // it says that one is there already
	})
	for _, sub := range c.Commands() {
		a.completed(sub)
	}
}

// flagValues completes the value of a flag.
func (a *app) flagValues(flag string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case fileFlags[flag]:
			return nil, cobra.ShellCompDirectiveDefault
		case directoryFlags[flag]:
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		verb, _, _ := strings.Cut(strings.TrimPrefix(c.CommandPath(), "vise "), " ")
		for _, name := range []string{c.Name() + " " + flag, verb + " " + flag, flag} {
			if words, ok := flagWords[name]; ok {
				return begins(words, begun), cobra.ShellCompDirectiveNoFileComp
			}
			if kind, ok := flagKinds[name]; ok {
				return a.named(c, kind, begun, model.FilterAll), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// items completes the arguments that a command's usage names; a work item is one of the filter.
func (a *app) items(filter model.Filter) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names, _, most := arguments(c.Use)
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		name := names[min(len(args), len(names)-1)]
		if slices.Contains([]string{"FILE", "DIR", "COMMAND", "PROGRAM"}, name) {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var out []cobra.Completion
		for kind := range strings.SplitSeq(name, "|") {
			out = append(out, a.named(c, kind, begun, filter)...)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// named are the things of a kind whose name begins so. An ID below todo and thread is none of a work item.
func (a *app) named(c *cobra.Command, kind, begun string, filter model.Filter) []cobra.Completion {
	switch verb := verbOf(c); {
	case kind == "STATUS":
		return begins(flagWords["plan-status"], begun)
	case kind == "AGENT":
		return a.offer(c, begun, agentNames)
	case kind == "ITEM", kind == "ID" && !strings.HasPrefix(verb, "todo.") && !strings.HasPrefix(verb, "thread."):
		return a.offer(c, begun, func(r model.Reader, agent model.AgentID) ([]cobra.Completion, error) {
			return itemNames(r, agent, filter)
		})
	case kind == strings.ToLower(kind):
		return begins([]string{kind}, begun)
	}
	return nil
}

// offer reads what there is and begins so. It proposes nothing when the ledger does not answer.
func (a *app) offer(c *cobra.Command, begun string, list func(model.Reader, model.AgentID) ([]cobra.Completion, error)) []cobra.Completion {
	var out []cobra.Completion
	if a.identify() != nil {
		return nil
	}
	_ = a.read(c.Context(), func(r model.Reader) (err error) {
		out, err = list(r, a.agent)
		return err
	})
	return begins(out, begun)
}

func agentNames(r model.Reader, _ model.AgentID) (out []cobra.Completion, err error) {
	for _, x := range r.Agents("", offered) {
		out = append(out, string(x.ID))
	}
	return out, nil
}

// itemNames are the handles of an agent's work items, or of all agents, with their objectives.
func itemNames(r model.Reader, agent model.AgentID, filter model.Filter) (out []cobra.Completion, err error) {
	of := []model.AgentID{agent}
	if agent == "" {
		of = nil
		for _, x := range r.Agents("", someAgents) {
			of = append(of, x.ID)
		}
	}
	for _, id := range of {
		l, err := model.ListItems(r, id, filter, nil, offered)
		if err != nil {
			return nil, err
		}
		for _, row := range l.Rows {
			out = append(out, cobra.CompletionWithDesc(string(row.Handle), row.Objective.String()))
		}
	}
	return out, nil
}

// begins are the words that begin so.
func begins(words []string, begun string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, begun) })
}
