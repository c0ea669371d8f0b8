package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// verb is one row of the table of commands: a command's name and arguments, its flags, and what it does. For a verb that is one command of
// the model, arguments and flags are bound to that command's fields:
//
//	func blockVerb() verb {
//		var c model.UpdateWorkItem
//		return verb{
//			use: "block ID TEXT", short: "Block a work item and record the reason", items: model.FilterOpen,
//			example: "vise block wi-7f3k 'ops must rotate the key' --recheck 1d",
//			args: to(&c.WorkItemID, &c.BlockedBy), revision: &c.SeenRevision,
//			flags: flags{{"recheck", &c.RecheckAfterMS, "look again after this time (default 1h)"}},
//			run: changes(&c, "blocked"),
//		}
//	}
//
// Any other verb has a run of its own, which returns its answer. Registration, help, completion, the manual page and docs/commands.md
// (go test ./ui/cli -run ReferencePages -update) follow from the row. json_test.go and docs/json.md name its JSON answer.
type verb struct {
	// use is the name, and the arguments as arguments() reads them.
	use, short, long, example, aliases string
	group                              string
	// args are bound to the arguments, in order.
	args  []any
	flags flags
	// shared are flags of the subcommands, too.
	shared flags
	// keyed gives it the flag --key. revision, a field of its command, gives it --key and --if-revision.
	keyed    bool
	revision *uint64
	// needs are flags of which it needs one, excludes those of which it takes only one, oneOf those of which it takes just one.
	needs, excludes, oneOf string
	// items are the work items that complete an ID; empty: all. words complete the argument instead.
	items model.Filter
	words []string
	who   caller
	run   body
	// verbs are its subcommands. Without a run it has only these.
	verbs []verb
	// made makes the command instead of all this, for a command of another package.
	made func(*Env) *cobra.Command
}

// body is what a command does.
type body = func(*Env) (answer, error)

// caller says what must be valid of who calls a command.
type caller int

const (
	known   caller = iota // the actor and the agent
	acting                // the actor; the agent matters only if the command asks for it (agentOf)
	anybody               // nothing, so that an invalid caller cannot prevent the answer
)

// to names what arguments are bound to.
func to(fields ...any) []any { return fields }

// verbs makes the verbs with these names, or all, by their group in help and in its order. To make all takes a third of a millisecond.
func verbs(names ...string) (all []verb) {
	type row struct {
		name string
		make func() verb
	}
	for _, g := range []struct {
		group string
		rows  []row
	}{
		{"work", []row{
			{"new", newVerb},
			{"pick", pickVerb},
			{"update", updateVerb},
			{"block", blockVerb},
			{"unblock", unblockVerb},
			{"wait", waitVerb},
			{"trigger", triggerVerb},
			{"complete", completeVerb},
			{"report", reportVerb},
			{"plan", planVerb},
			{"hide", hideVerb},
			{"review", reviewVerb},
			{"undo", undoVerb},
		}},
		{"look", []row{
			{"status", statusVerb},
			{"list", listVerb},
			{"show", showVerb},
			{"search", searchVerb},
			{"why", whyVerb},
			{"events", eventsVerb},
			{"agents", agentsVerb},
			{"inbox", inboxVerb},
			{"brief", briefVerb},
			{"cost", costVerb},
		}},
		{"running", []row{
			{"say", sayVerb},
			{"answer", answerVerb},
			{"permit", permitVerb},
			{"delegate", delegateVerb},
			{"task", taskVerb},
			{"retry", retryVerb},
			{"start", startVerb},
			{"stop", stopVerb},
			{"sessions", sessionsVerb},
			{"log", logVerb},
			{"drive", driveVerb},
			{"serve", serveVerb},
		}},
		{"programs", []row{
			{"run", runVerb},
			{"install", installVerb},
			{"context", contextVerb},
			{"hook", foreign("hook", hookVerb)},
			{"mcp", foreign("mcp", mcpVerb)},
		}},
		{"repository", []row{
			{"link", linkVerb},
			{"worktree", worktreeVerb},
			{"thread", threadVerb},
			{"todo", todoVerb},
		}},
		{"home", []row{
			{"doctor", doctorVerb},
			{"backup", backupVerb},
			{"restore", restoreVerb},
			{"admin", adminVerb},
		}},
		{"", []row{{"exit-codes", exitCodes}}},
	} {
		for _, r := range g.rows {
			if len(names) > 0 && !slices.Contains(names, r.name) {
				continue
			}
			v := r.make()
			v.group = g.group
			all = append(all, v)
		}
	}
	return all
}

// foreign is a verb whose command another function makes.
func foreign(name string, make func(*Env) *cobra.Command) func() verb {
	return func() verb { return verb{use: name, made: make} }
}

// name is the first word of a verb's usage.
func (v verb) name() string {
	name, _, _ := strings.Cut(v.use, " ")
	return name
}

// subverbs are the verbs of threads or file todos. Each first takes the run's environment.
func subverbs(take func(*Env), verbs ...verb) []verb {
	for i := range verbs {
		run := verbs[i].run
		verbs[i].who, verbs[i].run = acting, func(e *Env) (answer, error) { take(e); return run(e) }
	}
	return verbs
}

// command makes the command of a row.
func (v verb) command(e *Env) *cobra.Command {
	if v.made != nil {
		return v.made(e)
	}
	c := &cobra.Command{Use: v.use, Short: v.short, Long: v.long, Example: v.example, ValidArgs: v.words,
		Aliases: strings.Fields(v.aliases)}
	if len(v.words) == 0 {
		c.ValidArgsFunction = items(e, v.items)
	}
	v.flags.add(c.Flags())
	v.shared.add(c.PersistentFlags())
	if v.keyed || v.revision != nil {
		flags{{"key", &e.key, "idempotency key: a second call with the same key changes nothing"}}.add(c.Flags())
	}
	if v.revision != nil {
		flags{{"if-revision", v.revision, "refuse if the work item is not at this revision any more"}}.add(c.Flags())
	}
	c.PreRunE = func(c *cobra.Command, _ []string) error { return v.misused(c) }
	for _, sub := range v.verbs {
		c.AddCommand(sub.command(e))
	}
	switch {
	case v.run != nil:
		return e.runs(c, v.who, func(e *Env) (answer, error) {
			if err := bindArgs(e, v.args, e.words); err != nil {
				return nil, err
			}
			return v.run(e)
		})
	case len(v.verbs) > 0:
		return group(e, c)
	}
	return c // a help page
}

// tree is the command tree with every command.
func commandTree(e *Env) *cobra.Command {
	root := root(e)
	for _, v := range verbs() {
		if v.group != "" && !root.ContainsGroup(v.group) {
			root.AddGroup(&cobra.Group{ID: v.group, Title: v.group})
		}
		c := v.command(e)
		c.GroupID = v.group
		root.AddCommand(c)
	}
	completed(e, root)
	return root
}

// treeFor returns the part of the tree that the arguments need. To make all commands takes half a millisecond.
func treeFor(e *Env, args []string) *cobra.Command {
	if len(args) == 0 {
		return root(e)
	}
	if v, ok := verbNamed(first(args[min(wordAt(args, 0), len(args)):])); ok {
		root := root(e)
		root.AddCommand(v.command(e))
		return root
	}
	return commandTree(e)
}

// verbNamed returns the verb with a name.
func verbNamed(name string) (verb, bool) {
	for _, v := range verbs(name) {
		return v, true
	}
	return verb{}, false
}

// firstWord returns the command that the arguments name, without admin.
func firstWord(args []string) string {
	args = args[min(wordAt(args, 0), len(args)):]
	if len(args) > 1 && args[0] == "admin" {
		args = args[1:]
	}
	return first(args)
}

// root is the command tree without its commands.
func root(e *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "vise [COMMAND]",
		Short: "A terminal workbench for people who run coding agents",
		Long: "vise keeps the work items of coding agents in a durable ledger, says what each agent works on\n" +
			"and why, and shows what needs you. Without a command it opens the console.",
		Example:      "vise install claude\nvise new 'Split rate limiter' --agent claude\nvise",
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	e.flags.register(root)
	root.SetHelpFunc(e.help)
	root.SetHelpCommand(helpVerb(e))
	root.SetFlagErrorFunc(flagError)
	return e.runs(root, known, bare)
}

// adminVerb has what is done once, or seldom: for a home, a machine or a shell.
func adminVerb() verb {
	return verb{
		use: "admin", short: "What is done seldom: settings, other machines, import, the ledger's upkeep",
		verbs: []verb{
			initVerb(), importVerb(), configVerb(), demoVerb(), hostsVerb(), fleetVerb(), moveVerb(), compactVerb(),
			notifyVerb(), completionVerb(), manVerb(), versionVerb(),
		},
	}
}

// exitCodes is a help page that is not a command.
func exitCodes() verb {
	return verb{
		use:   "exit-codes",
		short: "What the exit codes and error codes mean",
		long: "Exit codes, and the error codes that lead to them:\n\n" + exitTable() +
			"\nWith --json an error is {\"schema\":\"vise.v1.error\",\"error\":{\"code\",\"message\",\"hint\",\"field\"}} on standard " +
			"output.",
	}
}
