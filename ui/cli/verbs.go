package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// verb is a command: its name, its group in help, and the function that makes it.
type verb struct {
	name, group string
	make        func(*app) *cobra.Command
}

// verbs returns all commands, grouped and ordered as in help. A command is declared here and by the function that makes it: registration,
// help, completion and the manual page follow. json_test.go and docs/json.md name its JSON answer, and a test compares the two.
// go test ./ui/cli -run ReferencePages -update writes docs/commands.md.
func verbs() []verb {
	return []verb{
		{"new", groupWork, (*app).newVerb},
		{"pick", groupWork, (*app).pickVerb},
		{"update", groupWork, (*app).updateVerb},
		{"block", groupWork, (*app).blockVerb},
		{"unblock", groupWork, (*app).unblockVerb},
		{"wait", groupWork, (*app).waitVerb},
		{"trigger", groupWork, (*app).triggerVerb},
		{"complete", groupWork, (*app).completeVerb},
		{"report", groupWork, (*app).reportVerb},
		{"plan", groupWork, (*app).planVerb},
		{"ack", groupWork, (*app).ackVerb},
		{"snooze", groupWork, (*app).snoozeVerb},
		{"review", groupWork, (*app).reviewVerb},
		{"comment", groupWork, (*app).commentVerb},
		{"undo", groupWork, (*app).undoVerb},
		{"redo", groupWork, (*app).redoVerb},
		{"status", groupLook, (*app).statusVerb},
		{"list", groupLook, (*app).listVerb},
		{"show", groupLook, (*app).showVerb},
		{"search", groupLook, (*app).searchVerb},
		{"next", groupLook, (*app).nextVerb},
		{"why", groupLook, (*app).whyVerb},
		{"events", groupLook, (*app).eventsVerb},
		{"agents", groupLook, (*app).agentsVerb},
		{"hosts", groupLook, (*app).hostsVerb},
		{"inbox", groupLook, (*app).inboxVerb},
		{"brief", groupLook, (*app).briefVerb},
		{"notify", groupLook, (*app).notifyVerb},
		{"cost", groupLook, (*app).costVerb},
		{"say", groupRun, (*app).sayVerb},
		{"answer", groupRun, (*app).answerVerb},
		{"permit", groupRun, (*app).permitVerb},
		{"delegate", groupRun, (*app).delegateVerb},
		{"task", groupRun, (*app).taskVerb},
		{"retry", groupRun, (*app).retryVerb},
		{"drive", groupRun, (*app).driveVerb},
		{"serve", groupRun, (*app).serveVerb},
		{"resume", groupNear, (*app).resumeVerb},
		{"link", groupNear, (*app).linkVerb},
		{"unlink", groupNear, (*app).unlinkVerb},
		{"worktree", groupNear, (*app).worktreeVerb},
		{"worktrees", groupNear, (*app).worktreesVerb},
		{"thread", groupNear, (*app).threadVerb},
		{"todo", groupNear, (*app).todoVerb},
		{"init", groupHome, (*app).initVerb},
		{"import", groupHome, (*app).importVerb},
		{"fleet", groupHome, (*app).fleetVerb},
		{"move", groupHome, (*app).moveVerb},
		{"doctor", groupHome, (*app).doctorVerb},
		{"backup", groupHome, (*app).backupVerb},
		{"restore", groupHome, (*app).restoreVerb},
		{"compact", groupHome, (*app).compactVerb},
		{"upgrade-check", groupHome, (*app).upgradeCheckVerb},
		{"version", groupHome, (*app).versionVerb},
		{"completion", groupHome, (*app).completionVerb},
		{"man", groupHome, (*app).manVerb},
		{"demo", groupHome, (*app).demoVerb},
		{"config", groupHome, (*app).configVerb},
		{"hook", groupAgents, (*app).hookVerb},
		{"attach", groupAgents, (*app).attachVerb},
		{"run", groupAgents, (*app).runVerb},
		{"install", groupAgents, (*app).installVerb},
		{"context", groupAgents, (*app).contextVerb},
		{"notes", groupAgents, (*app).notesVerb},
		{"prime", groupAgents, (*app).primeVerb},
		{"mcp", groupAgents, (*app).mcpVerb},
		{"exit-codes", "", (*app).exitCodesTopic},
	}
}

// The groups of commands in help.
const (
	groupWork   = "work"
	groupLook   = "look"
	groupRun    = "run"
	groupAgents = "agents"
	groupNear   = "repository"
	groupHome   = "home"
)

// tree is the command tree with every command.
func (a *app) tree() *cobra.Command {
	root := a.root()
	for _, group := range []string{groupWork, groupLook, groupRun, groupAgents, groupNear, groupHome} {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
	}
	for _, v := range verbs() {
		c := v.make(a)
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
	name := firstWord(args)
	for _, v := range verbs() {
		if v.name == name && !needsTree(name) {
			root := a.root()
			root.AddCommand(v.make(a))
			return root
		}
	}
	return a.tree()
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

// exitCodesTopic is a help page that is not a command.
func (*app) exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes and error codes mean",
		Long: "Exit codes, and the error codes that lead to them:\n\n" + exitTable() +
			"\nWith --json an error is {\"schema\":\"vise.v1.error\",\"error\":{\"code\",\"message\",\"hint\",\"field\"}} on standard " +
			"output.",
	}
}
