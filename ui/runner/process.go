package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vise/model"
	"vise/store/files"
)

// processSpec describes a program to run. No shell reads any of it.
type processSpec struct {
	Argv []string
	Dir  string
	// Env is the whole environment, as "NAME=value".
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// processResult says how a program ended.
type processResult struct {
	// ExitCode is -1 if a signal ended the program.
	ExitCode int
	Signal   string
	Duration time.Duration
	// Escaped counts the processes that had left the program's group and were killed. Survivors counts those that could not be killed.
	Escaped, Survivors int
}

// OK reports whether the program ended by itself with exit code 0.
func (r processResult) OK() bool { return r.ExitCode == 0 && r.Signal == "" }

// unmarked returns this process's environment without the marker, for a process that should outlive the run.
func unmarked() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, marker+"=") })
}

// Detach starts this program again in its own session, so that it outlives this process. Its output goes to out, which may be nil.
func Detach(args []string, out *os.File, env ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, args...)
	child.Env = append(unmarked(), env...)
	child.SysProcAttr = sessionOfItsOwn()
	if out != nil {
		child.Stdout, child.Stderr = out, out
	}
	if err := child.Start(); err != nil {
		return err
	}
	return child.Process.Release()
}

// grace is how long a program has to end after it was asked to, and how long its output may take to arrive after its end.
const grace = 2 * time.Second

// marker is the environment variable that identifies the children of a run.
const marker = "VISE_RUN"

// execute starts a program. It returns when the program and all processes that it started have ended. When ctx ends, it asks the program to
// end, then kills it, and returns ctx's cause. Any other error is about starting the program. A program that fails is not an error.
func execute(ctx context.Context, s processSpec) (processResult, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return processResult{ExitCode: -1}, &exec.Error{Name: "", Err: errors.New("no program named")}
	}
	run := rand.Text()
	isAsked := false
	c := exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...)
	c.Cancel = func() error {
		isAsked = true
		ask(c.Process)
		return nil
	}
	c.Dir, c.Env = s.Dir, append(s.Env[:len(s.Env):len(s.Env)], marker+"="+run)
	c.Stdin, c.Stdout, c.Stderr = s.Stdin, s.Stdout, s.Stderr
	c.SysProcAttr = groupOfItsOwn()
	c.WaitDelay = grace
	begun := time.Now()
	// The kernel ends a child with the thread that started it, and Go keeps a thread only while its goroutine is locked to it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := ctx.Err(); err != nil {
		return processResult{ExitCode: -1}, context.Cause(ctx)
	}
	adopting()
	if err := c.Start(); err != nil {
		return processResult{ExitCode: -1}, err
	}
	end := begin(c.Process.Pid)
	giveWay(c.Process)
	_ = c.Wait() // ProcessState has the result
	_ = files.EndGroup(c.Process)
	r := resultOf(c.ProcessState, time.Since(begun))
	end()
	r.Escaped, r.Survivors = endSurvivors(run, c.Process.Pid)
	if isAsked {
		return r, context.Cause(ctx)
	}
	return r, nil
}

func resultOf(p *os.ProcessState, d time.Duration) processResult {
	r := processResult{ExitCode: p.ExitCode(), Duration: d}
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		r.Signal = w.Signal().String()
	}
	return r
}

// Self returns this process.
var Self = sync.OnceValue(func() model.Process { return ProcessOf(os.Getpid()) })

// ProcessOf returns the process that has the number pid on this machine now.
func ProcessOf(pid int) model.Process {
	return model.Process{PID: pid, Start: startOf(pid), Boot: bootID(), Host: hostID()}
}

// Alive reports whether p is still running. A process on another machine counts as alive; the schedulers of its machine judge it.
func Alive(p model.Process) bool {
	if p.Host != hostID() {
		return true
	}
	return p.Boot == bootID() && isRunning(p.PID) && (p.Start == "" || startOf(p.PID) == p.Start)
}

// hostID identifies this machine.
var hostID = sync.OnceValue(func() string {
	if raw, err := os.ReadFile("/etc/machine-id"); err == nil && len(strings.TrimSpace(string(raw))) > 0 {
		return strings.TrimSpace(string(raw))
	}
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
})
