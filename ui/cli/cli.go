// Package cli is the command line. Related commands share a file. Each command turns its arguments into a model command, applies it to the
// home, and shows the answer for people or, with --json, for machines. Without a command, vise opens the console.
//
// Read first: verbs.go (all commands), cli.go (how one runs), args.go (arguments, answers, flags of every command), fault.go (errors and
// exit codes), home.go (the ledger). Then read any verb_*.go. frontends.go starts the consoles, MCP, hooks, drivers and the server.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/todo"
	"vise/store/home"
	"vise/store/lock"
	"vise/ui/agents"
	"vise/ui/markdown"
)

// Main runs the program with the arguments, streams and environment of its process, and returns the exit code. engine renders Markdown for
// the console. connect reaches ledgers on clusters; without it, vise-fleet is started for them.
func Main(engine markdown.Engine, connect Connect) int {
	ignoreFileLimit()
	// Main does not stop the notification: signals are caught until the process ends, and stopping costs 0.2 ms.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	a := &app{
		markdown: engine, connect: connect,
		args: nearest(os.Args[1:]), dir: workingDir(), in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now,
		ttyIn: term.IsTerminal(os.Stdin.Fd()), ttyOut: term.IsTerminal(os.Stdout.Fd()),
	}
	if !a.lasts() { // the first signal asks the command to end, the second ends the process
		context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) })
	}
	code := a.execute(ctx)
	if a.home != nil {
		a.home.Close()
	}
	return code
}

// nearest drops earlier settings of the MCP server that later ones replace: Crush appends a project's arguments to the user's.
func nearest(args []string) []string {
	for i := len(args) - 2; i > 0 && args[0] == "mcp"; i-- {
		if args[i] == "mcp" && strings.HasPrefix(args[i+1], "--") && args[i-1] != "--agent" && args[i-1] != "--home" {
			return args[i:]
		}
	}
	return args
}

// workingDir is the working directory of the process, or the root directory if it cannot be determined.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	return dir
}

// app is what Env was called.
type app = Env

// Env is the environment of one run of a command: what its process was given, the flags of every command, who acts, and the home after it
// is open. It is also the context that ends the run and limits how long it waits for locks.
type Env struct {
	context.Context
	markdown      markdown.Engine
	connect       Connect
	args          []string
	dir           string // the working directory, absolute
	in            io.Reader
	out, err      io.Writer
	getenv        func(string) string
	now           func() time.Time
	ttyIn, ttyOut bool

	flags globals
	// words are the arguments of the command.
	words []string
	// actor is the author of changes. agent is the agent that the command line or the environment names, or "".
	actor model.Actor
	agent model.AgentID
	home  *home.Home
	// inverse undoes this run's command, if that is possible.
	inverse *model.Undo
	// onlyRead receives the command instead of the ledger. If it is nil, the command is sent to the ledger.
	onlyRead *order
	// key is --key: the idempotency key of the command. request is what was asked for, if the command is made from the ledger's contents:
	// a retry would make a different command.
	key, request string
	// hasSaved means that this run has saved a command under the key savedAs. savedAs is empty if the key is made from the command's words.
	hasSaved bool
	savedAs  string
	// exit is the exit code of a run that has an answer.
	exit int
}

// execute runs the command that the arguments name and returns the exit code. It shows an error.
func (a *app) execute(ctx context.Context) int {
	if a.connect == nil && a.meansCluster() {
		_ = a.toFleet() // if it fails, a command that needs the ledger says so
	}
	root := a.treeFor(a.args)
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	called, err := root.ExecuteContextC(ctx)
	var ended agents.Exit
	switch {
	case errors.As(err, &ended):
		return int(ended)
	case err != nil:
		return a.fail(called, err)
	}
	return a.exit
}

type runVerb = func(ctx context.Context, args []string) (answer, error)

// verb makes run the body of a command that acts or reads for an actor and an agent. It refuses an invalid actor or agent.
func (a *app) verb(c *cobra.Command, run runVerb) *cobra.Command {
	return a.command(c, run, a.identify)
}

// plain is verb for a command to which the caller does not matter, so that an invalid caller cannot prevent its answer.
func (a *app) plain(c *cobra.Command, run runVerb) *cobra.Command {
	return a.command(c, run, func() error { _ = a.identify(); return nil })
}

// acting is verb for a command to which the actor matters. The agent matters only when the command asks for it (agentOf).
func (a *app) acting(c *cobra.Command, run runVerb) *cobra.Command {
	return a.command(c, run, a.readActor)
}

// command makes run the body of a command. Without a rule of its own, the command takes the arguments that its usage names.
func (a *app) command(c *cobra.Command, run runVerb, identify func() error) *cobra.Command {
	if c.Args == nil {
		c.Args = usageArgs(c.Use)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := cmp.Or(identify(), a.offCluster(insteadOnCluster[topVerb(c)])); err != nil {
			return err
		}
		a.words = args
		ans, err := run(a.bounded(c), args)
		if err != nil {
			return err
		}
		return a.finish(c, ans)
	}
	return c
}

// ruled makes run the body of a command.
func (a *Env) ruled(c *cobra.Command, who caller, run func(args []string) (answer, error)) *cobra.Command {
	identify := map[caller]func() error{known: a.identify, acting: a.readActor, anybody: func() error { _ = a.identify(); return nil }}[who]
	return a.command(c, func(_ context.Context, args []string) (answer, error) { return run(args) }, identify)
}

// lasts reports whether the command can run until somebody ends it, or until a program that it started ends.
func (a *app) lasts() bool {
	verb := firstWord(a.args)
	if verb == "events" {
		return slices.ContainsFunc(a.args, func(arg string) bool { return strings.HasPrefix(arg, "--follow") })
	}
	return slices.Contains([]string{"", "demo", "drive", "hook", "mcp", "run", "serve", "task"}, verb)
}

// mirrors reports whether the command reads again and again, and so keeps what is shown of a ledger on a cluster in memory.
func (a *app) mirrors() bool {
	return slices.Contains([]string{"", "drive", "mcp", "serve"}, firstWord(a.args))
}

// bounded returns the context of a command. A command that does not last waits for all its locks together no longer than for one.
func (a *app) bounded(c *cobra.Command) context.Context {
	a.Context = c.Context()
	if !a.lasts() {
		a.Context = lock.WithLimit(a.Context, lock.DefaultLimit)
	}
	return a.Context
}

// finish shows an answer: data on standard output, warnings on standard error.
func (a *app) finish(c *cobra.Command, ans answer) error {
	if ans.exit != exitOK {
		a.exit = ans.exit
	}
	if a.flags.json || !ans.conditions {
		ans.warnings = a.withReadOnly(ans.warnings)
	}
	if a.flags.strict && len(ans.warnings) > 0 {
		a.exit = exitRefused
	}
	if a.home != nil {
		a.damaged(&ans)
	}
	if a.hasSaved {
		signal.Ignore(syscall.SIGPIPE) // a write that nobody reads is then an error, and vise reports it
	}
	if err := a.write(c, ans); err != nil {
		return &unwritten{err}
	}
	if !a.flags.json {
		a.warn(ans.warnings...)
	}
	return nil
}

// unwritten is the error that standard output did not take the answer.
type unwritten struct{ cause error }

func (u *unwritten) Error() string { return "the answer could not be written: " + u.cause.Error() }

// lost writes to standard error that the answer was not written, and how to get it.
func (a *app) lost(c *cobra.Command, u *unwritten) int {
	said, hint := u.Error(), "write it to a file that can be written"
	if a.hasSaved {
		said, hint = "saved, but "+said, "do not run it again; vise list and vise events show what was done"
	}
	if a.hasSaved && c.Flags().Lookup("key") != nil {
		hint = strings.TrimSuffix("run it again with --key "+a.savedAs, " with --key ") + " to read the answer: it is not done twice"
	}
	fmt.Fprintf(a.err, "vise: %s\n      %s\n", model.Text(said), model.Text(hint))
	return exitUnwritten
}

// write writes an answer to standard output.
func (a *app) write(c *cobra.Command, ans answer) error {
	if a.flags.json && ans.data == nil {
		a.warn(ans.warnings...)
		return nil // the command has written its output itself
	}
	if a.flags.json {
		if ans.warnings == nil {
			ans.warnings = []model.Warning{}
		}
		return writeJSON(a.out, envelope{schemaPrefix + verbOf(c), ans.data, ans.warnings})
	}
	p := a.page()
	if ans.text != nil {
		ans.text(p)
	}
	for _, l := range ans.lines {
		p.line("%s", l)
	}
	return p.flush(a.out)
}

// damaged adds to an answer what is missing from it because of damage. A saved change stays saved.
func (a *app) damaged(ans *answer) {
	if found := a.home.Damage(); len(found) > 0 {
		ans.warnings = append(slices.Clone(ans.warnings), found...)
		if !a.hasSaved {
			a.exit = exitDamaged
		}
	}
}

// withReadOnly adds a warning if the home can only be read.
func (a *app) withReadOnly(list []model.Warning) []model.Warning {
	if a.home == nil {
		return list
	}
	if x, ok := a.home.ReadOnly(); ok {
		list = append(slices.Clip(list), model.Warning{Kind: model.WarnReadOnly, Message: x.Message})
	}
	return list
}

// warn shows warnings to people.
func (a *app) warn(list ...model.Warning) {
	for _, w := range list {
		fmt.Fprintf(a.err, "vise: warning: %s (%s)\n", model.Text(w.Message), model.Text(w.Kind))
	}
}

// fail shows an error and returns the exit code for it.
func (a *app) fail(c *cobra.Command, err error) int {
	if disk := (*fs.PathError)(nil); errors.As(err, &disk) && disk.Path == os.Stdout.Name() {
		err = &unwritten{err} // from a command that writes its answer itself
	}
	if u := (*unwritten)(nil); errors.As(err, &u) {
		return a.lost(c, u)
	}
	e := fault(err)
	e.Hint = cmp.Or(e.Hint, helpOf(c))
	if e.Key != "" && c.Flags().Lookup("key") != nil {
		e.Hint = "run it again with --key " + model.Text(e.Key).String() + ": then it is done once, and you learn whether it was"
	}
	if a.flags.json || asksJSON(a.args) {
		out := errorEnvelope{Schema: schemaPrefix + "error"}
		out.Error.Error = e
		if ruled := (*todo.Refusal)(nil); errors.As(err, &ruled) {
			out.Error.Rule = ruled.Rule
		}
		if err := writeJSON(a.out, out); err != nil {
			fmt.Fprintf(a.err, "vise: %v\n", err)
		}
		return exitOf(e)
	}
	fmt.Fprintf(a.err, "vise: %s\n", e.Message)
	for _, h := range e.Candidates {
		fmt.Fprintf(a.err, "  %s\n", h)
	}
	fmt.Fprintf(a.err, "      %s\n", model.Text(e.Hint))
	return exitOf(e)
}

// asksJSON looks for --json itself: a command line that cannot be parsed still gets its answer in the requested form.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// verbOf returns the top command that a command belongs to: plan for plan show. Commands of threads and file todos have answers of their
// own, so that theirs is thread.show. The console has none.
func verbOf(c *cobra.Command) string {
	under := ""
	for c.HasParent() && c.Parent().HasParent() {
		under = "." + c.Name()
		c = c.Parent()
	}
	switch {
	case !c.HasParent():
		return "status"
	case c.Name() == "thread", c.Name() == "todo":
		return c.Name() + under
	}
	return c.Name()
}

// topVerb returns the name of the top command that a command belongs to; empty for the console.
func topVerb(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	if !c.HasParent() {
		return ""
	}
	return c.Name()
}
