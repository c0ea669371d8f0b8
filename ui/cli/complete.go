package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/model/thread"
	file "vise/model/todo"
	"vise/store/threads"
	"vise/ui/action"
	"vise/ui/agents"
	"vise/ui/config"
)

// script is the data of completion and man.
type script struct {
	Shell string `json:"shell,omitempty"`
	Text  string `json:"text"`
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionVerb() verb {
	return verb{
		use: "completion SHELL", short: "Print the completion script of a shell",
		long: `completion prints a script with which the shell completes commands, flags, agents and work items. The
bash script needs the package bash-completion.`,
		example: "source <(vise admin completion bash)",
		words:   shells,
		who:     anybody,
		run: func(e *Env) (answer, error) {
			var b strings.Builder
			var err error
			switch root := e.called.Root(); e.words[0] {
			case "bash":
				err = root.GenBashCompletionV2(&b, true)
			case "zsh":
				err = root.GenZshCompletion(&b)
			case "fish":
				err = root.GenFishCompletion(&b, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(&b)
			default:
				err = misuse("shell", "unknown shell %q", e.words[0]).WithHint("the shells are %s", strings.Join(shells, ", "))
			}
			return wholeText(script{e.words[0], b.String()}, b.String()), err
		},
	}
}

// offered is the most items that a completion proposes.
const offered = model.MaxLimit

// flagWords are the possible values of a flag, by the flag, or by a command and the flag.
var flagWords = map[string][]string{
	"actor": {"operator", "agent:", "external:", "unknown"}, "plan-status": {"draft", "ready", "needs_input"},
	"priority": {"high", "normal", "low"}, "say priority": {"interject", "next", "normal", "background"},
	"todo priority": {"p1", "p2", "p3"}, "posture": {"awake", "asleep", "stopped"},
	"adapter": {"acp", "rounds", "text"},
	"format":  barFormats, "import format": {"tome", "sarif", "govet", "golangci"},
	"wake": {"operator_input", "task_result", "external", "timer", "system"}, "deliver": {"wake_hint", "enqueue_message"},
	"sign": {"github", "vise"}, "tools": {"usual", "all"}, "program": slices.Concat(agents.Programs, []string{"none"}),
	"set evidence":  as[string]([]model.EvidencePolicy{model.EvidenceNone, model.EvidenceWarn, model.EvidenceRequire}),
	"todo status":   as[string](file.Statuses()),
	"todo source":   file.Sources(),
	"update status": as[string](thread.Statuses),
	"close status":  as[string](thread.Closings),
}

// flagKinds map a flag to the argument name whose values it takes.
var flagKinds = map[string]string{
	"agent": "AGENT", "to": "AGENT", "only": "AGENT", "item": "ITEM", "child": "ITEM", "new from": "ITEM",
	"notify test": "CHANNEL", "filter": "FILTER", "thread": "THREAD", "update task-id": "THREAD",
	"close task-id": "THREAD", "finalize task-id": "THREAD",
	"report-file": "FILE", "file": "FILE", "cert": "FILE", "cert-key": "FILE", "secret-file": "FILE", "from-file": "FILE",
	"home": "DIR", "dir": "DIR", "into": "DIR", "repo": "DIR", "session": "DIR",
}

// completed gives every command and flag below c its completion. It completes file names only where a file is expected.
func completed(e *Env, c *cobra.Command) {
	if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
		c.ValidArgsFunction = items(e, model.FilterAll)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_ = c.RegisterFlagCompletionFunc(f.Name, flagValues(e, f.Name)) // it returns an error if the flag already has a function
	})
	for _, sub := range c.Commands() {
		completed(e, sub)
	}
}

// flagValues completes the value of a flag.
func flagValues(e *Env, flag string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		for _, name := range []string{c.Name() + " " + flag, topVerb(c) + " " + flag, flag} {
			if words, ok := flagWords[name]; ok {
				return begins(words, begun), cobra.ShellCompDirectiveNoFileComp
			}
			if kinds, ok := flagKinds[name]; ok {
				return anyOf(e, c, kinds, begun, model.FilterAll)
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// items completes the arguments that a command's usage names. A work item must match the filter.
func items(e *Env, filter model.Filter) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names, _, most := arguments(c.Use)
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return anyOf(e, c, names[min(len(args), len(names)-1)], begun, filter)
	}
}

// anyOf returns the names of several kinds of things, as in ID|AGENT, that begin with begun.
func anyOf(e *Env, c *cobra.Command, kinds, begun string, filter model.Filter) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	switch kinds {
	case "FILE", "COMMAND", "PROGRAM":
		return nil, cobra.ShellCompDirectiveDefault
	case "DIR":
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	of := strings.Split(kinds, "|")
	if slices.Contains(of, "ID") && kindOfID(c) == "ENTRY" {
		of = []string{"ENTRY"}
	}
	for _, kind := range of {
		if kind == "ID" {
			kind = kindOfID(c)
		}
		out = append(out, begins(namesOfKind(e, c, kind, filter), begun)...)
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// kindOfID returns which kind of thing a command's ID is.
func kindOfID(c *cobra.Command) string {
	switch verb := topVerb(c); {
	case verb == "todo", verb == "thread":
		return strings.ToUpper(verb)
	case verb == "answer", verb == "permit", verb == "hide" && !c.Flags().Changed("withdraw"):
		return "ENTRY"
	}
	return "ITEM"
}

// namesOfKind returns the names of the things of one kind.
func namesOfKind(e *Env, c *cobra.Command, kind string, filter model.Filter) []cobra.Completion {
	s, _ := settings(e, "", "")
	switch kind {
	case "STATUS":
		return flagWords["plan-status"]
	case "AGENT":
		return offer(e, agentNames)
	case "ITEM":
		return offer(e, func(r model.Reader, of []model.AgentID) (out []cobra.Completion) {
			for i := 0; i < len(of) && len(out) < offeredInAll; i++ {
				l, _ := model.ListItems(r, of[i], filter, nil, offered)
				for _, row := range l.Rows {
					out = append(out, describedBy(row.Handle, row.Objective))
				}
			}
			return out
		})
	case "ENTRY":
		return offer(e, entryNames(e, c.Name()))
	case "TODO":
		return todoNames(e, c)
	case "THREAD":
		return threadNames(e, c)
	case "FILTER":
		return slices.Concat(as[string](model.Filters), config.Names(s.Filters))
	case "CHANNEL":
		return config.Names(s.Channels)
	case "NAME":
		if c.Name() == "remove" { // other commands make one
			return config.Names(s.Hosts)
		}
	case strings.ToLower(kind):
		return []cobra.Completion{kind}
	}
	return nil
}

// lister returns things of some agents.
type lister = func(model.Reader, []model.AgentID) []cobra.Completion

// offer reads the things of the named agent, else of all agents. It proposes nothing if the ledger does not answer.
func offer(e *Env, list lister) (out []cobra.Completion) {
	if e.identify() != nil {
		return nil
	}
	_ = read(e, func(r model.Reader) error {
		of, _ := agentsOf(e, r) // an unknown one has nothing
		out = list(r, of)
		return nil
	})
	return out
}

// begins returns the words that begin with begun.
func begins(words []string, begun string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, begun) })
}

// offeredInAll is the most work items of several agents that a completion proposes.
const offeredInAll = 500

// agentNames returns all agents, each with its current item.
func agentNames(r model.Reader, _ []model.AgentID) (out []cobra.Completion) {
	for _, x := range r.Agents("", offered) {
		w, _ := model.Focus(r, x.ID)
		out = append(out, describedBy(x.ID, w.Objective))
	}
	return out
}

// describedBy returns a name with its description, if it has one.
func describedBy[S ~string](name S, words model.Text) cobra.Completion {
	if words == "" {
		return string(name)
	}
	return cobra.CompletionWithDesc(string(name), words.String())
}

// entryNames returns the inbox entries that a command takes, with what each one asks for.
func entryNames(e *Env, verb string) lister {
	return func(r model.Reader, _ []model.AgentID) (out []cobra.Completion) {
		for _, x := range model.Inbox(r, e.now(), offered) {
			name := string(x.Handle)
			switch {
			case e.agent != "" && e.agent != x.AgentID, x.IsPermission() != (verb == "permit"),
				verb == "answer" && x.Need != model.NeedAnswer:
				continue
			case verb == "permit":
				name = string(x.ID)
			case verb == "answer" && x.OfAgent():
				name = string(x.AgentID)
			case x.OfAgent(): // the entry is not a work item
				continue
			}
			out = append(out, describedBy(name, action.NeedSays(x)))
		}
		return out
	}
}

// todoNames returns the file todos of the selected sessions, with their titles.
func todoNames(e *Env, c *cobra.Command) (out []cobra.Completion) {
	v := &todoVerbs{Env: e}
	v.repo, _ = c.Flags().GetString("repo")
	v.session, _ = c.Flags().GetString("session")
	at, err := v.look(false, nil)
	if err != nil {
		return nil
	}
	defer at.close()
	for _, t := range at.todos() {
		out = append(out, describedBy(at.of(t).label(t.Ref()), t.Title))
	}
	return out
}

// threadNames returns the threads of the selected repository, with their goals.
func threadNames(e *Env, c *cobra.Command) (out []cobra.Completion) {
	root, _ := c.Flags().GetString("repo")
	if root == "" {
		root = threads.FindRoot(e.dir)
	}
	s, err := threads.At(absolute(e.dir, root)).Read()
	if err != nil {
		return nil
	}
	defer s.Close()
	all, _ := s.Threads()
	for _, t := range all {
		out = append(out, describedBy(t.ID, t.Goal))
	}
	return out
}
