// Package cli is the door of scripts and shells: one verb a file, each of which turns its
// arguments into a command, hands it to the ledger, and shows the answer for people or,
// with --json, for machines. Without a verb it opens the console.
//
// Read the frame first: cli.go (how a verb runs and answers), globals.go (what every verb
// knows), exit.go and fault.go (how it ends), door.go (how it reaches the ledger); then
// any verb.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/reply"
	verbs "vise/ui/run"
)

// Main runs the program with the arguments, streams and environment of its process, and
// returns the exit code. The parts are what the program has beyond this package.
func Main(parts Parts) int {
	signal.Ignore(syscall.SIGXFSZ) // a limit on file sizes is an error like a full disk
	// Not stopped: signals are heard until the process ends, and to stop costs 0.2 ms.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	a := &app{
		parts: parts,
		args:  os.Args[1:], in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now,
		ttyIn: term.IsTerminal(os.Stdin.Fd()), ttyOut: term.IsTerminal(os.Stdout.Fd()),
	}
	return a.run(ctx)
}

// app is one run of the program.
type app struct {
	parts         Parts
	args          []string
	in            io.Reader
	out, err      io.Writer
	getenv        func(string) string
	now           func() time.Time
	ttyIn, ttyOut bool

	flags globals
	home  *home.Home
	// exit is the exit code of a run that gave an answer.
	exit int
}

// run carries out the verb that the arguments name.
func (a *app) run(ctx context.Context) int {
	if a.parts.Elsewhere != nil && len(a.args) == 0 && a.opensConsole() {
		return a.goElsewhere(nil)
	}
	root := a.tree()
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if a.isElsewhere(root) {
		return a.goElsewhere(root)
	}
	called, err := root.ExecuteContextC(ctx)
	if a.home != nil {
		a.home.Close()
	}
	return a.ended(called, err)
}

// ended is the exit code of a verb, whose error is shown.
func (a *app) ended(called *cobra.Command, err error) int {
	var told reply.Exit
	switch {
	case errors.As(err, &told):
		return int(told)
	case err != nil:
		return a.fail(called, err)
	}
	return a.exit
}

// root is the command tree.
func (a *app) root() *cobra.Command {
	root := a.bareRoot()
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "work"}, &cobra.Group{ID: groupLook, Title: "look"},
		&cobra.Group{ID: groupRun, Title: "run"}, &cobra.Group{ID: groupAgents, Title: "agents"},
		&cobra.Group{ID: groupNear, Title: "neighbours"}, &cobra.Group{ID: groupHome, Title: "home"})
	root.AddCommand(a.workVerbs()...)
	root.AddCommand(a.lookVerbs()...)
	root.AddCommand(grouped(groupRun, verbs.Commands(a.moving())...)...)
	root.AddCommand(a.neighbourVerbs()...)
	root.AddCommand(a.homeVerbs()...)
	root.AddCommand(a.agentDoors()...)
	root.AddCommand(exitCodesTopic())
	if a.parts.Verbs != nil {
		root.AddCommand(a.parts.Verbs(Host{a})...)
	}
	return root
}

// bareRoot is the command tree without a verb.
func (a *app) bareRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "vise",
		Short: "Hold one piece of work at a time, firmly",
		Long: "vise keeps the work items of coding agents in a durable ledger, says what each agent works on\n" +
			"and why, and shows what needs you. Without a verb it opens the console.",
		SilenceUsage: true, SilenceErrors: true,
		Args:              noSuchVerb,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true}, SuggestionsMinimumDistance: 2,
	}
	a.flags.register(root)
	root.Flags().BoolVar(&a.flags.accessible, "accessible", false, "a console of lines and numbered menus, for screen readers (ACCESSIBLE)")
	root.SetHelpFunc(a.help)
	return a.verb(root, a.bare)
}

// The groups of verbs in help that others than this package have verbs in.
const (
	GroupRun    = groupRun
	GroupHome   = groupHome
	GroupAgents = groupAgents
)

// The groups of verbs in help.
const (
	groupWork = "work"
	groupLook = "look"
	groupRun  = "run"
	groupNear = "neighbours"
	groupHome = "home"
	// groupAgents are the doors of agents' programs.
	groupAgents = "agents"
)

func (a *app) workVerbs() []*cobra.Command {
	return grouped(groupWork, a.newVerb(), a.pickVerb(), a.updateVerb(), a.blockVerb(), a.unblockVerb(), a.waitVerb(),
		a.triggerVerb(), a.completeVerb(), a.reportVerb(), a.planVerb(), a.ackVerb())
}

func (a *app) lookVerbs() []*cobra.Command {
	return grouped(groupLook, a.statusVerb(), a.listVerb(), a.showVerb(), a.nextVerb(), a.whyVerb(), a.eventsVerb(), a.agentsVerb(), a.inboxVerb())
}

func (a *app) neighbourVerbs() []*cobra.Command {
	return grouped(groupNear, a.resumeVerb(), a.linkVerb(), a.unlinkVerb(), a.threadVerb(), a.todoVerb())
}

func (a *app) homeVerbs() []*cobra.Command {
	return grouped(groupHome, a.initVerb(), a.importVerb(), a.doctorVerb(), a.backupVerb(), a.restoreVerb(), a.compactVerb(),
		a.versionVerb(), whole(a.completionVerb()), whole(a.manVerb()))
}

func grouped(group string, verbs ...*cobra.Command) []*cobra.Command {
	for _, v := range verbs {
		v.GroupID = group
	}
	return verbs
}

// noSuchVerb refuses what is no verb, and proposes the nearest.
func noSuchVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := misuse("verb", "unknown verb %q", model.Text(args[0]))
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return e.WithHint("do you mean %s?", strings.Join(near, " or "))
	}
	return e.WithHint("vise help lists the verbs")
}

// verb makes run the body of a command.
func (a *app) verb(c *cobra.Command, run func(ctx context.Context, args []string) (answer, error)) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		ans, err := run(c.Context(), args)
		if err != nil {
			return err
		}
		return a.finish(c, ans)
	}
	return c
}

// finish shows an answer: data on standard output, warnings beside it.
func (a *app) finish(c *cobra.Command, ans answer) error {
	if ans.failed {
		a.exit = exitError
	}
	if a.flags.strict && len(ans.warnings) > 0 {
		a.exit = exitStrict
	}
	if a.flags.json {
		if ans.warnings == nil {
			ans.warnings = []model.Warning{}
		}
		return writeJSON(a.out, envelope{schemaPrefix + verbOf(c), ans.data, ans.warnings})
	}
	if ans.text != nil {
		p := a.page()
		ans.text(p)
		if err := p.flush(a.out); err != nil {
			return err
		}
	}
	for _, w := range ans.warnings {
		fmt.Fprintf(a.err, "vise: warning: %s (%s)\n", model.Text(w.Message), model.Text(w.Kind))
	}
	return nil
}

// fail shows an error and returns the exit code for it.
func (a *app) fail(c *cobra.Command, err error) int {
	e := fault(err)
	if a.flags.json || asksJSON(a.args) {
		if err := writeJSON(a.out, errorEnvelope{schemaPrefix + "error", e}); err != nil {
			fmt.Fprintf(a.err, "vise: %v\n", err)
		}
		return exitOf(e)
	}
	fmt.Fprintf(a.err, "vise: %s\n", e.Message)
	for _, h := range e.Candidates {
		fmt.Fprintf(a.err, "  %s\n", h)
	}
	if e.Hint != "" {
		fmt.Fprintf(a.err, "      %s\n", model.Text(e.Hint))
	}
	return exitOf(e)
}

// asksJSON looks for --json itself: a command line that does not parse still gets its
// answer in the form that it asked for.
func asksJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if arg == "--json" || arg == "--json=true" {
			return true
		}
	}
	return false
}

// verbOf is the verb that a command belongs to: plan for plan show. The console is none.
func verbOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	if !c.HasParent() {
		return "status"
	}
	return c.Name()
}
