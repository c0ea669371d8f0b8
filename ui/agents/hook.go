// Package agents connects agents' programs to vise. A program calls `vise hook PROGRAM EVENT` with JSON on standard input. A hook never
// makes the calling program fail: its exit code is always 0, it waits only a moment for the ledger, and changes that the ledger cannot take
// then go to the hook queue. Only the hook that waits for an idle session uses another exit code, which wakes the session. The package also
// adds vise to the settings of these programs, and removes it. It edits only its own entries, keeps the order and the comments of all
// others, never writes a file that would not parse, and can show its changes before it makes them. It also wraps one run of a program.
//
// Reading order: programs.go (the table of programs), codex.go and gemini_copilot.go (three of them); hook.go (a call), asked.go (its
// prompts), events.go (what each event does, and the text that an agent gets), report.go (what is reported when), words.go (how the text of
// a report is found), crush.go (the same with Crush's single hook), session.go (the record of a session), overlap.go (files that others
// change too), siblings.go (which session a message is for), rest.go (how an idle session is woken), state.go (what is remembered between
// calls); install.go (what vise install and vise doctor do), permit.go (what is permitted without asking), settings_*.go (how a file is
// edited), backup.go (its earlier content), project.go (settings of a project), primer.go (a block of an instruction file); wrap.go
// (vise run).
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
	"vise/store/files"
	"vise/store/home"
	"vise/ui/runner"
)

const (
	// ledgerTimeout is how long a hook waits for the ledger.
	ledgerTimeout = 200 * time.Millisecond
	// leftTimeout bounds how long a work context waits for git to say whether a thread can be loaded.
	leftTimeout = time.Second
	// limit bounds a whole call. The hooks are installed with a timeout of 5 s.
	limit = 4500 * time.Millisecond
	// endLimit bounds a call at the end of a session, which Codex kills after endTimeout.
	endLimit = 2500 * time.Millisecond
	// maxInput bounds the hook's input in bytes.
	maxInput = 4 << 20
	// eventNames matches event names that are safe as file names.
	eventNames = `^[A-Za-z0-9._-]{1,64}$`
)

// opener opens the home at dir, or the default home if dir is empty. It does not process the hook queue.
type opener func(dir string) (*home.Home, error)

// Streams are the process's input, output and environment.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	// Dir is the working directory.
	Dir string
	Now func() time.Time
	// Wait pauses between two reads of a file that is written late.
	Wait func(context.Context, time.Duration) error
	// Timeout is how long a hook waits for the ledger; zero means ledgerTimeout.
	Timeout time.Duration
	// Gone returns when the calling program has ended; nil means never.
	Gone func()
	// Detach starts vise with arguments, in a process that outlives this call.
	Detach func(args []string) error
	// Caller returns the file of the calling program.
	Caller func() string
	// Server returns the calling server; nil means none.
	Server func() (callingServer, bool)
	// Ended returns when a process has ended; nil means never.
	Ended func(context.Context, model.Process)
	// Exec runs a program in a directory and returns its output.
	Exec func(ctx context.Context, program, dir string, args ...string) ([]byte, error)
	// Asking returns the process of the program that asks for a permission, by its name; nil means unknown.
	Asking func(program string) model.Process
	// AskHere reports whether an agent's permissions are asked through vise; nil means no.
	AskHere func(agent model.AgentID) bool
	// FactTimeout bounds the time for a thread's fact and for finding overlaps; zero means factTimeout and overlapTimeout.
	FactTimeout time.Duration
}

// HookCommand is the command `vise hook`. It parses its own flags, because the exit code of a flag error could be taken as a decision by a
// program.
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
	program, event string
	agent          model.AgentID
	// own is the event as the program names it.
	own string
	// project is the program in whose project settings the hook is; if empty, the hook is in the user's settings.
	project   string
	askReport bool
	payload   []byte

	home *home.Home
	// session is the calling session, and claimed the name under which this call waits for it.
	session, claimed string
	// done holds tool calls that have succeeded, even if the transcript does not show that yet.
	done []string
	// busy means that waiting for the ledger has failed once; this call does not wait again.
	busy bool
}

// hook carries out one call. Its error is only for a person to read.
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
		c.payload, err = runner.UnlessEnded(ctx, func() ([]byte, error) { return readBounded(s.In) })
		if err != nil {
			return err
		}
	}
	c.home, err = open(dir)
	if model.HasCode(err, model.CodeNoHome) {
		return nil // vise is installed but not in use
	}
	if err != nil {
		return err
	}
	defer c.home.Close()
	c.countEvent()
	c.home.NoteHook(c.agent)
	c.renamed()
	if raw := bytes.TrimSpace(c.payload); !json.Valid(raw) || raw[0] != '{' {
		return fmt.Errorf("%s %s: the input is not a JSON object; nothing was taken from it", c.program, c.event)
	}
	err = c.handle(ctx)
	if !c.busy { // reports of earlier hooks come last, so that nothing of this call waits for them
		ctx, cancel := c.soon(ctx)
		defer cancel()
		_, _ = c.home.TakeQueue(ctx) // reports that stay are taken by the next process
	}
	return err
}

// limit returns the time limit of the call.
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

// soon returns a context that bounds a wait for the ledger.
func (c *call) soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(c.Timeout, ledgerTimeout))
}

// view reads the ledger, for which it waits a moment. If it waited in vain, the call is busy.
func (c *call) view(ctx context.Context, read func(model.Reader)) error {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	err := c.home.View(ctx, func(r model.Reader) error { read(r); return nil })
	c.busy = c.busy || err != nil
	return err
}

// parse reads the command line. It returns a nil call if another hook does the work. Codex gives its notify payload as an argument, as vise
// does for its own calls.
func parse(args []string, s Streams) (*call, string, error) {
	c := &call{Streams: s}
	var dir string
	f := pflag.NewFlagSet("hook", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.StringVar(&dir, "home", "", "")
	f.StringVar((*string)(&c.agent), "agent", "", "")
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
	// The settings name the program's default agent and home; VISE_AGENT and VISE_HOME override them.
	if c.agent = cmp.Or(model.AgentID(s.Getenv("VISE_AGENT")), c.agent, model.AgentID(c.program)); s.Getenv("VISE_HOME") != "" {
		dir = ""
	}
	if !model.ValidID(string(c.agent)) {
		return nil, "", fmt.Errorf("agent %q is not usable", model.Text(c.agent))
	}
	if (c.event == "notify" || c.event == followEvent || c.event == restEvent) && len(rest) > 2 {
		c.payload = []byte(rest[2])
	}
	return c, dir, nil
}

// readBounded reads the input up to its bound. Longer input is read to its end and dropped, so that its writer does not block.
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

// deliver applies a report to the ledger, or puts it into the queue if the ledger is busy.
func (c *call) deliver(ctx context.Context, r home.HookReport) error {
	r.Agent, r.At = c.agent, c.Now()
	if c.busy {
		return c.home.Queue(r)
	}
	soon, cancel := c.soon(ctx)
	defer cancel()
	_, queued, err := c.home.Report(soon, r)
	c.busy = c.busy || queued
	return err
}

// RealStreams are the streams of this process.
func RealStreams() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Wait: home.Pause, Gone: gone,
		Detach: func(args []string) error { return runner.Detach(args, nil) }, Caller: caller, Exec: execute, Server: server, Ended: ended,
		Asking: asking, AskHere: askHere,
	}
}

const (
	// programTimeout bounds how long a program may take to show a session or to prompt one.
	programTimeout = 10 * time.Second
	// maxWritten bounds the output that is read of a session.
	maxWritten = 64 << 20
)

// caller returns the file of the calling Crush.
func caller() string { return fileOf(os.Getppid(), "crush") }

// fileOf returns the file of a process if the system shows it and it has the program's name, else the file found by that name on PATH.
func fileOf(pid int, name string) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !strings.HasPrefix(filepath.Base(path), name) {
		return name
	}
	return path
}

// maxAncestors is how many levels above a hook its program is searched: a shell may be in between.
const maxAncestors = 3

// server returns the Codex whose app-server called.
func server() (found callingServer, ok bool) {
	ancestors(func(pid int, args string) bool {
		if ok = strings.Contains(args, " app-server "); ok {
			found = callingServer{Program: fileOf(pid, "codex"), Process: runner.ProcessOf(pid)}
		}
		return !ok
	})
	return found, ok
}

// ancestors visits the processes above this one with their arguments, until visit returns false.
func ancestors(visit func(pid int, args string) bool) {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; n++ {
		above, args, ok := aboveOf(pid)
		if !ok || !visit(pid, args) {
			return
		}
		pid = above
	}
}

// aboveOf returns the process above one, and the one's arguments.
func aboveOf(pid int) (above int, args string, ok bool) {
	if f := files.ProcessStat(pid); len(f) > 1 {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		above, _ = strconv.Atoi(f[1])
		return above, strings.ReplaceAll(string(raw), "\x00", " "), err == nil
	}
	out, err := exec.Command("ps", "-o", "ppid=", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	number, args, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	above, _ = strconv.Atoi(number)
	return above, args, err == nil
}

// endedEvery is how often a process is checked.
const endedEvery = 30 * time.Second

// ended returns when a process has ended, or when ctx ends.
func ended(ctx context.Context, p model.Process) {
	for ctx.Err() == nil && runner.Alive(p) {
		home.Pause(ctx, endedEvery)
	}
}

// execute runs a program and returns its output.
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
