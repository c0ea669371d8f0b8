package cli

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	verbs "vise/ui/run"
)

// Parts are what a program has beyond this package. All that a process links is paid for at
// each of its starts, so what few runs need is handed in by the program that has it.
type Parts struct {
	// Verbs are further verbs, each in a group of help.
	Verbs func(Host) []*cobra.Command
	// Console opens the console on the home, or on the choice of the first run.
	Console func(context.Context, Host) error
	// Help shows a command's help.
	Help func(c *cobra.Command, noColor bool)
	// Elsewhere carries out the same arguments in the program that has all parts. Where it is
	// set, the fields above are not.
	Elsewhere func() error
}

// Host is a run of the program as its further parts see it.
type Host struct{ app *app }

// HostIn is a run without a command line, on the home in dir. Close ends it.
func HostIn(dir string, s Surroundings) Host {
	return Host{&app{
		in: s.In, out: s.Out, err: s.Err, getenv: s.Getenv, now: s.Now, ttyIn: s.Screen, ttyOut: s.Screen,
		flags: globals{home: dir, agent: s.Agent, json: s.JSON, noColor: s.NoColor},
	}}
}

// Close closes the home.
func (h Host) Close() {
	if h.app.home != nil {
		h.app.home.Close()
	}
}

// Surroundings are what a run was given.
type Surroundings struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	// Agent is the value of --agent alone; JSON and NoColor are the flags'.
	Agent         string
	JSON, NoColor bool
	// Screen: a person sits at both ends.
	Screen bool
}

// Surroundings are what this run was given.
func (h Host) Surroundings() Surroundings {
	a := h.app
	return Surroundings{a.in, a.out, a.err, a.getenv, a.now, a.flags.agent, a.flags.json, a.flags.noColor, a.ttyIn && a.ttyOut}
}

// HomeDir is where the home lies, or would lie.
func (h Host) HomeDir() (string, error) { return h.app.homeDir() }

// Agent is the agent that the command line or the environment names, or none.
func (h Host) Agent() (model.AgentID, error) { return h.app.namedAgent() }

// Open opens the home. Where none is, home.NoHome tells so of the error.
func (h Host) Open() (*home.Home, error) { return h.app.open() }

// OpenOrCreate opens the home, and makes it first where none is.
func (h Host) OpenOrCreate() (*home.Home, error) {
	d, _, err := h.app.openOrCreate()
	return d, err
}

// Use makes the rest of the run work on a home that lies in no usual place.
func (h Host) Use(d *home.Home) { h.app.home = d }

// Apply sends one command to the ledger.
func (h Host) Apply(ctx context.Context, agent model.AgentID, c model.Command) (model.Receipt, error) {
	return h.app.apply(ctx, mutation{}, agent, c)
}

// Import takes over what a Holon agent left in dir.
func (h Host) Import(ctx context.Context, dir string) error {
	_, err := h.app.importHolon(ctx, dir, false)
	return err
}

// Editor is the command that opens a file of the open home in the operator's editor.
func (h Host) Editor(path string) (*exec.Cmd, error) {
	if h.app.home == nil {
		return nil, model.Refuse(model.CodeNoHome, "there is no home to edit in")
	}
	return h.app.editor(path), nil
}

// Linear reports whether a console of lines is asked for on the command line.
func (h Host) Linear() bool { return h.app.linear() }

// Run carries out a verb within this run, on the home that is open, with stdin as its input.
// Its answer and its errors go to this run's streams; the exit code is the verb's.
func (h Host) Run(ctx context.Context, stdin string, args ...string) int {
	a := *h.app
	a.args, a.in, a.ttyIn, a.exit, a.flags = args, strings.NewReader(stdin), false, 0, globals{}
	a.err = a.out
	if h.app.flags.home != "" {
		args = append([]string{"--home", h.app.flags.home}, args...)
	}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	called, err := root.ExecuteContextC(ctx)
	h.app.home = a.home
	return a.ended(called, err)
}

// Threads are those around the working directory, for who acts.
func (h Host) Threads(actor model.Actor) home.Threads { return h.app.threads(actor) }

// Verbs are what the verbs of package run need of this run.
func (h Host) Verbs() verbs.Env { return h.app.moving() }

// Standing answers with how things stand in a ledger, under a heading of its own.
func (h Host) Standing(ctx context.Context, dir, heading string, l home.Ledger) (verbs.Answer, error) {
	out := status{Home: dir, Exists: true}
	err := l.View(ctx, func(r model.Reader) error {
		out.Revision, out.Agents = r.Revision(), h.app.gists(r, "")
		return nil
	})
	return verbs.Answer{Data: out, Text: func(w io.Writer) {
		p := h.app.page()
		p.line("%s", heading)
		p.agents(out.Agents)
		_ = p.flush(w) // a page's own writer
	}}, err
}

// Fault is any error as what is shown of it.
func Fault(err error) *model.Error { return fault(err) }

// NewKey makes an idempotency key.
func NewKey() string { return newKey() }

// Version is the version that this program was built from.
func Version() string { return builtVersion().Version }

// DefaultAgent is the agent of a home that nobody named one for.
const DefaultAgent = defaultAgent

// NoArguments is what a verb without arguments takes.
func NoArguments(c *cobra.Command, args []string) error { return named()(c, args) }

// NoSuchVerb refuses arguments that are no part of a verb, and proposes the nearest.
func NoSuchVerb(c *cobra.Command, args []string) error { return noSuchVerb(c, args) }

// Table writes rows of equal length for people, aligned; the column wide is cut to the
// terminal. The first column is strong, the third muted.
func (h Host) Table(w io.Writer, wide int, rows [][]string) {
	p := h.app.page()
	paints := []func(string) string{p.strong, nil, p.muted}
	cells := make([][]cell, len(rows))
	for i, row := range rows {
		for j, s := range row {
			cells[i] = append(cells[i], cell{text: s, paint: paints[min(j, len(paints)-1)]})
		}
	}
	p.table(wide, cells)
	_ = p.flush(w) // a page's own writer
}
