// Package cli is the command line. Related commands share a file. Each command turns its arguments into a model command, applies it to the
// home, and shows the answer for people or, with --json, for machines. Without a command, vise opens the console.
//
// Read first: verbs.go (all commands, and what a row of their table says), flags.go (how arguments and flags reach the fields of a model
// command), cli.go (how a command runs), args.go (answers, and the flags of every command), fault.go (errors and exit codes), home.go (the
// ledger). Then read any verb_*.go. frontends.go starts the consoles, MCP, hooks, drivers and the server.
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
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/store/lock"
	"vise/ui/agents"
	"vise/ui/markdown"
)

// Main runs the program with the arguments, streams and environment of its process, and returns the exit code. engine renders Markdown for
// the console. connect reaches ledgers on clusters; without it, vise-fleet is started for them.
func Main(engine markdown.Engine, connect Connect) int {
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the file size limit fails with an error, like a full disk
	// Main does not stop the notification: signals are caught until the process ends, and stopping costs 0.2 ms.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	a := &Env{
		markdown: engine, connect: connect,
		args: nearest(os.Args[1:]), dir: workingDir(), in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now,
		person: person,
		ttyIn:  term.IsTerminal(os.Stdin.Fd()), ttyOut: term.IsTerminal(os.Stdout.Fd()),
	}
	if !lasts(a) { // the first signal asks the command to end, the second ends the process
		context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) })
	}
	code := execute(a, ctx)
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

// person is the system's user, whom an operator's acts name; empty if the system does not know it.
func person() model.Text {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return model.Text(u.Username)
}

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
	person        func() model.Text
	ttyIn, ttyOut bool

	flags globals
	// actor is the author of changes. agent is the agent that the command line or the environment names, or "".
	actor model.Actor
	agent model.AgentID
	home  *home.Home
	// onlyRead receives the command instead of the ledger. If it is nil, the command is sent to the ledger.
	onlyRead *model.Command
	// key is --key: the idempotency key of the command. request is what was asked for, if the command is made from the ledger's contents:
	// a retry would make a different command.
	key, request string
	// end says how the threads of completed items end.
	end home.Ending
	// hasSaved means that this run has saved a command under the key savedAs. savedAs is empty if the key is made from the command's words.
	hasSaved bool
	savedAs  string
	// called is the command that was called, and words are its arguments. former is its former name, if it was called by that.
	called *cobra.Command
	words  []string
	former string
	// exit is the exit code of a run that has an answer.
	exit int
}

// execute runs the command that the arguments name and returns the exit code. It shows an error.
func execute(e *Env, ctx context.Context) int {
	e.Context = ctx
	if e.connect == nil && meansCluster(e) {
		_ = toFleet(e) // if it fails, a command that needs the ledger says so
	}
	hint := e.rename()
	root := treeFor(e, e.args)
	root.SetArgs(e.args)
	root.SetOut(e.out)
	root.SetErr(e.err)
	called, err := root.ExecuteContextC(ctx)
	defer io.WriteString(e.err, hint)
	var ended agents.Exit
	switch {
	case errors.As(err, &ended):
		return int(ended)
	case err != nil:
		return fail(e, called, err)
	}
	return e.exit
}

// runs makes run the body of a command. Without a rule of its own, the command takes the arguments that its usage names.
func (e *Env) runs(c *cobra.Command, who caller, run body) *cobra.Command {
	if c.Args == nil {
		c.Args = usageArgs(c.Use)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		identify := map[caller]func() error{known: e.identify, acting: e.readActor, anybody: func() error { _ = e.identify(); return nil }}
		if err := cmp.Or(identify[who](), offCluster(e, insteadOnCluster[topVerb(c)])); err != nil {
			return err
		}
		e.called, e.words, e.Context = c, args, c.Context()
		if !lasts(e) { // it waits for all its locks together no longer than for one
			e.Context = lock.WithLimit(e.Context, lock.DefaultLimit)
		}
		ans, err := run(e)
		if err != nil {
			return err
		}
		return finish(e, c, cmp.Or(ans, &reply{}))
	}
	return c
}

// lasts reports whether the command can run until somebody ends it, or until a program that it started ends.
func lasts(e *Env) bool {
	verb := firstWord(e.args)
	if verb == "events" {
		return slices.ContainsFunc(e.args, func(arg string) bool { return strings.HasPrefix(arg, "--follow") })
	}
	return slices.Contains([]string{"", "demo", "drive", "hook", "mcp", "run", "serve", "task"}, verb)
}

// finish shows an answer: data on standard output, warnings on standard error.
func finish(e *Env, c *cobra.Command, ans answer) error {
	if ans.exit != exitOK {
		e.exit = ans.exit
	}
	if e.flags.json || !ans.conditions {
		ans.warnings = withReadOnly(e, ans.warnings)
	}
	if e.flags.strict && len(ans.warnings) > 0 {
		e.exit = exitRefused
	}
	if e.home != nil {
		damaged(e, ans)
	}
	if e.hasSaved {
		signal.Ignore(syscall.SIGPIPE) // a write that nobody reads is then an error, and vise reports it
	}
	if err := write(e, c, ans); err != nil {
		return &unwritten{err}
	}
	if !e.flags.json {
		warn(e, ans.warnings...)
	}
	return nil
}

// unwritten is the error that standard output did not take the answer.
type unwritten struct{ cause error }

func (u *unwritten) Error() string { return "the answer could not be written: " + u.cause.Error() }

// lost writes to standard error that the answer was not written, and how to get it.
func lost(e *Env, c *cobra.Command, u *unwritten) int {
	said, hint := u.Error(), "write it to a file that can be written"
	if e.hasSaved {
		said, hint = "saved, but "+said, "do not run it again; vise list and vise events show what was done"
	}
	if e.hasSaved && c.Flags().Lookup("key") != nil {
		hint = strings.TrimSuffix("run it again with --key "+e.savedAs, " with --key ") + " to read the answer: it is not done twice"
	}
	fmt.Fprintf(e.err, "vise: %s\n      %s\n", model.Text(said), model.Text(hint))
	return exitUnwritten
}

// write writes an answer to standard output.
func write(e *Env, c *cobra.Command, ans answer) error {
	if e.flags.json && ans.data == nil {
		warn(e, ans.warnings...)
		return nil // the command has written its output itself
	}
	if e.flags.json {
		if ans.warnings == nil {
			ans.warnings = []model.Warning{}
		}
		return writeJSON(e.out, envelope{schemaPrefix + cmp.Or(e.former, verbOf(c)), ans.data, ans.warnings})
	}
	p := newPage(e)
	if ans.text != nil {
		ans.text(p)
	}
	p.lines(ans.lines...)
	return p.flush(e.out)
}

// damaged adds to an answer what is missing from it because of damage. A saved change stays saved.
func damaged(e *Env, ans answer) {
	if found := e.home.Damage(); len(found) > 0 {
		ans.warnings = append(slices.Clone(ans.warnings), found...)
		if !e.hasSaved {
			e.exit = exitDamaged
		}
	}
}

// withReadOnly adds a warning if the home can only be read.
func withReadOnly(e *Env, list []model.Warning) []model.Warning {
	if e.home == nil {
		return list
	}
	if x, ok := e.home.ReadOnly(); ok {
		list = append(slices.Clip(list), model.Warning{Kind: model.WarnReadOnly, Message: x.Message})
	}
	return list
}

// warn shows warnings to people.
func warn(e *Env, list ...model.Warning) {
	for _, w := range list {
		fmt.Fprintf(e.err, "vise: warning: %s (%s)\n", model.Text(w.Message), model.Text(w.Kind))
	}
}

// fail shows an error and returns the exit code for it.
func fail(e *Env, c *cobra.Command, err error) int {
	if disk, is := errors.AsType[*fs.PathError](err); is && disk.Path == os.Stdout.Name() {
		err = &unwritten{err} // from a command that writes its answer itself
	}
	if u, is := errors.AsType[*unwritten](err); is {
		return lost(e, c, u)
	}
	x := fault(err)
	x.Hint = cmp.Or(x.Hint, helpOf(c))
	if x.Key != "" && c.Flags().Lookup("key") != nil {
		x.Hint = "run it again with --key " + safe(x.Key) + ": then it is done once, and you learn whether it was"
	}
	if e.flags.json || asksJSON(e.args) {
		out := errorEnvelope{schemaPrefix + "error", x}
		if err := writeJSON(e.out, out); err != nil {
			fmt.Fprintf(e.err, "vise: %v\n", err)
		}
		return exitOf(x)
	}
	fmt.Fprintf(e.err, "vise: %s\n", x.Message)
	for _, h := range x.Candidates {
		fmt.Fprintf(e.err, "  %s\n", h)
	}
	fmt.Fprintf(e.err, "      %s\n", model.Text(x.Hint))
	return exitOf(x)
}

// asksJSON looks for --json itself: a command line that cannot be parsed still gets its answer in the requested form.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// verbOf returns the name of a command's answer: that of its top command, plan for plan show. Commands of threads and file todos have
// answers of their own, so that theirs is thread.show. The console has none.
func verbOf(c *cobra.Command) string {
	name := topVerb(c)
	if name == "" {
		return "status"
	}
	if (name == "thread" || name == "todo") && c.Name() != name {
		return name + "." + c.Name()
	}
	return name
}

// topVerb returns the name of the top command that a command belongs to; empty for the console.
func topVerb(c *cobra.Command) string {
	_, words, _ := strings.Cut(c.CommandPath(), " ")
	name, _, _ := strings.Cut(strings.TrimPrefix(words, "admin "), " ")
	return name
}
