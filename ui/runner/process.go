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

// processSpec is a program to run. Nothing of it is read by a shell.
type processSpec struct {
	Argv []string
	Dir  string
	// Env is the whole environment, as "NAME=value".
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// processResult is how a program ended.
type processResult struct {
	// ExitCode is -1 when a signal ended it.
	ExitCode int
	Signal   string
	Duration time.Duration
	// Escaped are processes that had left its group and were ended, Survivors those that
	// could not be.
	Escaped, Survivors int
}

// OK: it ended by itself and well.
func (r processResult) OK() bool { return r.ExitCode == 0 && r.Signal == "" }

// unmarked is this process's environment without the marker: for a process that is meant to stay.
func unmarked() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, marker+"=") })
}

// Detach starts this program again, in a session of its own, so that it outlives this process.
// What it writes goes to out, which may be nil.
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

// grace is what a program has to end by itself once it was asked, and what its output has
// to arrive after it ended.
const grace = 2 * time.Second

// marker is the variable by which the children of a run are recognised.
const marker = "VISE_RUN"

// execute starts a program and returns when it and all that it started has ended. When ctx
// ends, the program is asked to end, then killed; the error is ctx's cause. The error is
// otherwise about starting it. A program that ends badly is no error.
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
	// The kernel ends a child with the thread that started it, and a thread is only kept
	// while its goroutine holds on to it.
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
	_ = c.Wait() // how it ended is in ProcessState
	_ = files.EndGroup(c.Process)
	r := resultOf(c.ProcessState, time.Since(begun))
	end()
	r.Escaped, r.Survivors = endSurvivors(run)
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

// Self is this process.
var Self = sync.OnceValue(func() model.Process { return ProcessOf(os.Getpid()) })

// ProcessOf is the process that has the number pid on this machine now.
func ProcessOf(pid int) model.Process {
	return model.Process{PID: pid, Start: startOf(pid), Boot: bootID(), Host: hostID()}
}

// Alive reports whether p still runs. Of a process on another machine nothing is known:
// it counts as alive, and the schedulers of its machine judge it.
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
