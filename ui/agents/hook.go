// Package agents is the way in for agents' programs. A program calls `vise hook PROGRAM EVENT` with
// JSON on standard input. A hook never fails the program that called it: whatever happens, the exit
// code is 0, the ledger is waited for a moment only, and what it could not take then goes to the hook
// queue. Only the hook that waits for a resting session exits with another code, which wakes it.
// The package also puts vise into the settings of these programs, and takes it out again: it edits its
// own entries alone, keeps the order and the comments of all others, writes nothing that would not
// read, and shows beforehand what it will do. And it wraps one run of a program.
//
// Reading order: programs.go (the programs, one table), codex.go and gemini_copilot.go (three of them); hook.go (a call),
// asked.go (its prompts), events.go (what each event does, and the text that an agent gets), report.go (what is reported
// when), words.go (how its words are found), crush.go (the same with Crush's one hook), session.go (what is known of a
// session), overlap.go (which files others change too), siblings.go (which session a message is for), rest.go (how a resting
// session is woken), state.go (what is remembered between calls);
// install.go (what vise install and vise doctor do), permit.go (what is permitted without
// asking), settings_*.go (how a file is edited), backup.go (what it was before), project.go (settings of a project),
// primer.go (a block of an instruction file); prove.go, headless.go and scripted.go (a program run once, on a model of our
// own); wrap.go (vise run).
package agents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/store/home"
	"vise/ui/runner"
)

const (
	// ledgerTimeout is how long a hook waits for the ledger.
	ledgerTimeout = 200 * time.Millisecond
	// limit bounds a whole call; the hooks are installed with a timeout of 5 s.
	limit = 4500 * time.Millisecond
	// endLimit bounds one at the end of a session, which Codex ends after endTimeout.
	endLimit = 2500 * time.Millisecond
	// maxInput bounds what is read of the hook's input.
	maxInput = 4 << 20
	// eventNames are the names that may be a file's.
	eventNames = `^[A-Za-z0-9._-]{1,64}$`
)

// Opener opens the home at dir, or the default one when dir is empty, and leaves its hook
// queue alone.
type opener func(dir string) (*home.Home, error)

// Streams are the process's.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	// Dir is the working directory.
	Dir string
	Now func() time.Time
	// Wait pauses between two reads of a file that is written late.
	Wait func(context.Context, time.Duration)
	// Timeout is how long a hook waits for the ledger; zero is ledgerTimeout.
	Timeout time.Duration
	// Gone returns when the program that called is no more; nil is never.
	Gone func()
	// Detach starts vise with arguments, to outlive this call.
	Detach func(args []string) error
	// Caller is the program that called.
	Caller func() string
	// Server is the server that called; nil is as if none did.
	Server func() (callingServer, bool)
	// Ended returns when a process is no more; nil is never.
	Ended func(context.Context, model.Process)
	// Exec is what a program writes that is run in a directory.
	Exec func(ctx context.Context, program, dir string, args ...string) ([]byte, error)
	// Asking is the program that asks for a permission, by its name; nil is not known.
	Asking func(program string) model.Process
	// AskHere reports whether an agent's permissions are asked here; nil is no.
	AskHere func(agent string) bool
	// FactTimeout bounds what a thread's fact and what a look for overlaps may take; zero is factTimeout and overlapTimeout.
	FactTimeout time.Duration
}

// HookCommand is the verb. It reads its own flags, so that a misspelt one cannot end in an exit
// code that a program takes for a decision.
func HookCommand(open opener, s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "hook PROGRAM EVENT", Short: "Take what an agent's hook says; exits 0 whatever happens",
		Long: "hook reads the JSON of a hook of an agents' program on standard input.\n" +
			"vise install PROGRAM puts it into the program's settings; you need not call it yourself.",
		DisableFlagParsing: true, Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "--help" {
				return c.Help()
			}
			err := hook(c.Context(), args, open, s)
			if errors.Is(err, wakeCode) {
				return err
			}
			if err != nil {
				fmt.Fprintf(s.Err, "vise hook: %s\n", model.Text(err.Error()))
			}
			return nil
		},
	}
}

// call is one call of a hook.
type call struct {
	Streams
	program, event, agent string
	// own is the event as the program names it.
	own string
	// project is the program whose settings for a project the hook stands in; empty: the user's.
	project   string
	askReport bool
	payload   []byte

	home *home.Home
	// session is the one that called.
	session string
	// done are calls of tools that have succeeded, whether the transcript says so or not.
	done []string
	// busy: the ledger was waited for in vain; it is not waited for again.
	busy bool
}

// Hook carries out one call. Its error is for a person to read; nothing else follows from it.
func hook(ctx context.Context, args []string, open opener, s Streams) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	c, dir, err := parse(args, s)
	if err != nil || c == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	if c.payload == nil {
		if c.payload, err = readBounded(s.In); err != nil {
			return err
		}
	}
	c.home, err = open(dir)
	if errors.Is(err, &model.Error{Code: model.CodeNoHome}) {
		return nil // vise is installed, and not in use
	}
	if err != nil {
		return err
	}
	defer c.home.Close()
	c.countEvent()
	c.home.NoteHook(model.AgentID(c.agent))
	c.renamed()
	if !json.Valid(c.payload) {
		return fmt.Errorf("%s %s: the input is not JSON; nothing was taken from it", c.program, c.event)
	}
	err = c.handle(ctx)
	if !c.busy { // what earlier hooks left comes last, so that nothing of this call waits for it
		ctx, cancel := c.soon(ctx)
		defer cancel()
		_, _ = c.home.TakeQueue(ctx) // what stays is the next process's
	}
	return err
}

// limit bounds the call.
func (c *call) limit() time.Duration {
	switch c.event {
	case restEvent:
		return restLimit
	case followEvent:
		return followLimit
	case askEvent:
		return askLimit
	case "SessionEnd":
		return endLimit
	}
	return limit
}

// soon bounds what waits for the ledger.
func (c *call) soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(c.Timeout, ledgerTimeout))
}

// parse reads the command line; no call is one that another hook makes. Codex gives its notify payload as an argument, as we do.
func parse(args []string, s Streams) (*call, string, error) {
	c := &call{Streams: s}
	var dir string
	f := pflag.NewFlagSet("hook", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.StringVar(&dir, "home", "", "")
	f.StringVar(&c.agent, "agent", "", "")
	f.StringVar(&c.project, "project", "", "")
	f.BoolVar(&c.askReport, "ask-report", false, "")
	if err := f.Parse(args); err != nil {
		return nil, "", err
	}
	rest := f.Args()
	if len(rest) < 2 {
		return nil, "", errors.New("name a program and an event: vise hook claude Stop")
	}
	c.program, c.event = rest[0], rest[1]
	if programOf(c.program).name == "" {
		return nil, "", fmt.Errorf("no hooks of %q are known, only of %s", model.Text(c.program), strings.Join(Programs, ", "))
	}
	if !regexp.MustCompile(eventNames).MatchString(c.event) {
		c.event = "unknown"
	}
	if c.place(s.Dir) {
		return nil, "", nil
	}
	// Its settings say who a program is by itself; whoever starts it may say something else.
	if c.agent = cmp.Or(s.Getenv("VISE_AGENT"), c.agent, c.program); s.Getenv("VISE_HOME") != "" {
		dir = ""
	}
	if !model.ValidID(c.agent) {
		return nil, "", fmt.Errorf("agent %q is not usable", model.Text(c.agent))
	}
	if (c.event == "notify" || c.event == followEvent || c.event == restEvent) && len(rest) > 2 {
		c.payload = []byte(rest[2])
	}
	return c, dir, nil
}

// readBounded reads the input up to its bound. What is longer is read to its end and
// dropped, so that whoever writes it does not hang.
func readBounded(in io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	if len(raw) > maxInput {
		_, _ = io.Copy(io.Discard, in)
		return nil, fmt.Errorf("the input has more than %d bytes; nothing was taken from it", maxInput)
	}
	return raw, nil
}

// deliver brings a report into the ledger, or into the queue if the ledger is not free at once.
func (c *call) deliver(ctx context.Context, r home.HookReport) error {
	r.Agent, r.At = model.AgentID(c.agent), c.Now()
	if c.busy {
		return c.home.Queue(r)
	}
	soon, cancel := c.soon(ctx)
	defer cancel()
	_, queued, err := c.home.Report(soon, r)
	c.busy = c.busy || queued
	return err
}

// RealStreams are those of this process.
func RealStreams() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Wait: runner.Pause, Gone: gone,
		Detach: func(args []string) error { return runner.Detach(args, nil) }, Caller: caller, Exec: execute, Server: server, Ended: ended,
		Asking: asking, AskHere: askHere,
	}
}

const (
	// programTimeout is what a program may take to show a session, or to prompt one.
	programTimeout = 10 * time.Second
	// maxWritten bounds what is read of a session.
	maxWritten = 64 << 20
)

// caller is the Crush that called.
func caller() string { return fileOf(os.Getppid(), "crush") }

// fileOf is the file of a process where the system shows it and it has the program's name,
// else whatever is found by that name.
func fileOf(pid int, name string) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !strings.HasPrefix(filepath.Base(path), name) {
		return name
	}
	return path
}

// maxAncestors is how far above a hook its program is searched: a shell may stand between.
const maxAncestors = 3

// server is the Codex whose app-server called.
func server() (found callingServer, ok bool) {
	ancestors(func(pid int, args string) bool {
		if ok = strings.Contains(args, " app-server "); ok {
			found = callingServer{Program: fileOf(pid, "codex"), Process: runner.ProcessOf(pid)}
		}
		return !ok
	})
	return found, ok
}

// ancestors visits the processes above this one, with their arguments, until visit says no.
func ancestors(visit func(pid int, args string) bool) {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; n++ {
		out, err := exec.Command("ps", "-o", "ppid=", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
		above, args, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if err != nil || !visit(pid, args) {
			return
		}
		pid, _ = strconv.Atoi(above)
	}
}

// endedEvery is how often a process is checked.
const endedEvery = 30 * time.Second

// ended returns when a process is no more, or with the context.
func ended(ctx context.Context, p model.Process) {
	for ctx.Err() == nil && runner.Alive(p) {
		runner.Pause(ctx, endedEvery)
	}
}

// execute is what a program writes.
func execute(ctx context.Context, program, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	var out, problems bytes.Buffer
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	c.Stdout, c.Stderr = &runner.Capped{To: &out, Max: maxWritten}, &runner.Capped{To: &problems, Max: 4 << 10}
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(problems.String()))
	}
	return out.Bytes(), nil
}
