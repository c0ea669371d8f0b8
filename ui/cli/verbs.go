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
	use, short, long, example string
	group                     string
	// args are bound to the arguments, in order.
	args  []any
	flags flags
	// shared are flags of the subcommands, too.
	shared flags
	// keyed gives it the flag --key. revision, a field of its command, gives it --key and --if-revision.
	keyed    bool
	revision *uint64
	// needs are flags of which it needs one, excludes those of which it takes only one.
	needs, excludes string
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
type body = func(*Env, []string) (answer, error)

// caller says what must be valid of who calls a command.
type caller int

const (
	known   caller = iota // the actor and the agent
	acting                // the actor; the agent matters only if the command asks for it (agentOf)
	anybody               // nothing, so that an invalid caller cannot prevent the answer
)

// to names what arguments are bound to.
func to(fields ...any) []any { return fields }

// verbs returns all verbs, by their group in help and in its order.
func verbs() (all []verb) {
	for _, g := range []struct {
		group string
		makes []func() verb
	}{
		{"work", []func() verb{
			old("new", (*app).newVerb),
			old("pick", (*app).pickVerb),
			old("update", (*app).updateVerb),
			blockVerb,
			old("unblock", (*app).unblockVerb),
			old("wait", (*app).waitVerb),
			old("trigger", (*app).triggerVerb),
			old("complete", (*app).completeVerb),
			old("report", (*app).reportVerb),
			old("plan", (*app).planVerb),
			old("ack", (*app).ackVerb),
			old("snooze", (*app).snoozeVerb),
			old("review", (*app).reviewVerb),
			old("comment", (*app).commentVerb),
			old("undo", (*app).undoVerb),
			old("redo", (*app).redoVerb),
		}},
		{"look", []func() verb{
			old("status", (*app).statusVerb),
			old("list", (*app).listVerb),
			old("show", (*app).showVerb),
			old("search", (*app).searchVerb),
			old("next", (*app).nextVerb),
			old("why", (*app).whyVerb),
			old("events", (*app).eventsVerb),
			old("agents", (*app).agentsVerb),
			old("hosts", (*app).hostsVerb),
			old("inbox", (*app).inboxVerb),
			old("brief", (*app).briefVerb),
			old("notify", (*app).notifyVerb),
			old("cost", (*app).costVerb),
		}},
		{"run", []func() verb{
			old("say", (*app).sayVerb),
			old("answer", (*app).answerVerb),
			old("permit", (*app).permitVerb),
			old("delegate", (*app).delegateVerb),
			old("task", (*app).taskVerb),
			old("retry", (*app).retryVerb),
			old("drive", (*app).driveVerb),
			old("serve", (*app).serveVerb),
		}},
		{"agents", []func() verb{
			old("hook", (*app).hookVerb),
			old("attach", (*app).attachVerb),
			old("run", (*app).runVerb),
			old("install", (*app).installVerb),
			old("context", (*app).contextVerb),
			old("notes", (*app).notesVerb),
			old("prime", (*app).primeVerb),
			old("mcp", (*app).mcpVerb),
		}},
		{"repository", []func() verb{
			old("resume", (*app).resumeVerb),
			old("link", (*app).linkVerb),
			old("unlink", (*app).unlinkVerb),
			old("worktree", (*app).worktreeVerb),
			old("worktrees", (*app).worktreesVerb),
			old("thread", (*app).threadVerb),
			old("todo", (*app).todoVerb),
		}},
		{"home", []func() verb{
			old("init", (*app).initVerb),
			old("import", (*app).importVerb),
			old("fleet", (*app).fleetVerb),
			old("move", (*app).moveVerb),
			old("doctor", (*app).doctorVerb),
			old("backup", (*app).backupVerb),
			old("restore", (*app).restoreVerb),
			old("compact", (*app).compactVerb),
			old("upgrade-check", (*app).upgradeCheckVerb),
			old("version", (*app).versionVerb),
			old("completion", (*app).completionVerb),
			old("man", (*app).manVerb),
			old("demo", (*app).demoVerb),
			old("config", (*app).configVerb),
		}},
		{"", []func() verb{exitCodes}},
	} {
		for _, f := range g.makes {
			v := f()
			v.group = g.group
			all = append(all, v)
		}
	}
	return all
}

// old is a verb whose command is not a row yet.
func old(name string, made func(*Env) *cobra.Command) func() verb {
	return func() verb { return verb{use: name, made: made} }
}

// name is the first word of a verb's usage.
func (v verb) name() string {
	name, _, _ := strings.Cut(v.use, " ")
	return name
}

// command makes the command of a row.
func (v verb) command(e *Env) *cobra.Command {
	if v.made != nil {
		return v.made(e)
	}
	c := &cobra.Command{Use: v.use, Short: v.short, Long: v.long, Example: v.example, ValidArgs: v.words}
	if len(v.words) == 0 {
		c.ValidArgsFunction = e.items(v.items)
	}
	v.flags.add(c, c.Flags())
	v.shared.add(c, c.PersistentFlags())
	if v.keyed || v.revision != nil {
		flags{{"key", &e.key, "idempotency key: a second call with the same key changes nothing"}}.add(c, c.Flags())
	}
	if v.revision != nil {
		ifRevision(c, v.revision)
	}
	if v.needs != "" {
		needsOne(c, strings.Fields(v.needs)...)
	}
	if v.excludes != "" {
		oneOnly(c, strings.Fields(v.excludes)...)
	}
	for _, sub := range v.verbs {
		c.AddCommand(sub.command(e))
	}
	switch {
	case v.run != nil:
		return e.ruled(c, v.who, func(args []string) (answer, error) {
			if err := bindArgs(e, v.args, args); err != nil {
				return answer{}, err
			}
			return v.run(e, args)
		})
	case len(v.verbs) > 0:
		return e.group(c)
	}
	return c // a help page
}

// tree is the command tree with every command.
func (a *app) tree() *cobra.Command {
	root := a.root()
	for _, v := range verbs() {
		if v.group != "" && !root.ContainsGroup(v.group) {
			root.AddGroup(&cobra.Group{ID: v.group, Title: v.group})
		}
		c := v.command(a)
		c.GroupID = v.group
		root.AddCommand(c)
	}
	a.completed(root)
	return root
}

// needsTree reports whether a command is about all commands.
func needsTree(verb string) bool { return verb == "completion" || verb == "man" }

// treeFor returns the part of the tree that the arguments need. To make all commands takes half a millisecond.
func (a *app) treeFor(args []string) *cobra.Command {
	if len(args) == 0 {
		return a.root()
	}
	if v, ok := verbNamed(firstWord(args)); ok && !needsTree(v.name()) {
		root := a.root()
		root.AddCommand(v.command(a))
		return root
	}
	return a.tree()
}

// verbNamed returns the verb with a name.
func verbNamed(name string) (verb, bool) {
	for _, v := range verbs() {
		if v.name() == name {
			return v, true
		}
	}
	return verb{}, false
}

// firstWord returns the first argument that is neither a global flag nor a global flag's value.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"--home", "--agent", "--actor"}, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// root is the command tree without its commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "vise [COMMAND]",
		Short: "A terminal workbench for people who run coding agents",
		Long: "vise keeps the work items of coding agents in a durable ledger, says what each agent works on\n" +
			"and why, and shows what needs you. Without a command it opens the console.",
		Example:      "vise install claude\nvise new 'Split rate limiter' --agent claude\nvise",
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.flags.register(root)
	root.Flags().BoolVar(&a.flags.accessible, "accessible", false, "a console of lines and numbered menus, for screen readers (ACCESSIBLE)")
	root.Flags().BoolVar(&a.flags.version, "version", false, "show the version of vise")
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(a.helpVerb())
	root.SetFlagErrorFunc(flagError)
	return a.verb(root, a.bare)
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
