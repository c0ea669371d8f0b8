package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
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
	// Record is the file that names the program's processes while they run; see EndLeft. If it is empty, there is none.
	Record string
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

// Detach starts this program again in its own session, so that it outlives this process. Its output goes to out, which may be nil.
func Detach(args []string, out *os.File, env ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, args...)
	child.Env = append(os.Environ(), env...)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out != nil {
		child.Stdout, child.Stderr = out, out
	}
	if err := child.Start(); err != nil {
		return err
	}
	return child.Process.Release()
}

// UnlessEnded returns what read returns, or at once ctx's error when ctx ends: a read of a terminal, a pipe or a FIFO has no end of its
// own.
func UnlessEnded[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case <-ctx.Done():
		return *new(T), ctx.Err()
	case r := <-done:
		return r.value, r.err
	}
}

// grace is how long a program has to end after it was asked to, and how long its output may take to arrive after its end.
const grace = 2 * time.Second

// niceness makes a program and its children give way to interactive programs.
const niceness = 5

// execute starts a program. It returns when the program and all processes that it started have ended. When ctx ends, it asks the program to
// end, then kills it, and returns ctx's cause. Any other error is about starting the program. A program that fails is not an error.
func execute(ctx context.Context, s processSpec) (processResult, error) {
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return processResult{ExitCode: -1}, &exec.Error{Name: "", Err: errors.New("no program named")}
	}
	r, isAsked := &run{record: s.Record}, false
	c := exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...)
	c.Cancel = func() error {
		isAsked = true
		r.ask()
		return nil
	}
	c.Dir, c.Env = s.Dir, append([]string{}, s.Env...) // not nil, which would be this process's environment
	c.Stdin, c.Stdout, c.Stderr = s.Stdin, s.Stdout, s.Stderr
	c.SysProcAttr = files.OwnGroup()
	c.WaitDelay = grace
	begun := time.Now()
	if err := ctx.Err(); err != nil {
		return processResult{ExitCode: -1}, context.Cause(ctx)
	}
	adopting()
	if err := r.start(c); err != nil {
		return processResult{ExitCode: -1}, err
	}
	r.keep(r.known)
	_ = syscall.Setpriority(syscall.PRIO_PGRP, c.Process.Pid, niceness)
	running, ended := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(running) })
	_ = c.Wait() // ProcessState has the result
	ended()
	watching.Wait()
	_ = files.EndGroup(c.Process)
	result := processResult{ExitCode: c.ProcessState.ExitCode(), Duration: time.Since(begun)}
	if w, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		result.Signal = w.Signal().String()
	}
	result.Escaped, result.Survivors = r.end()
	if isAsked {
		return result, context.Cause(ctx)
	}
	return result, nil
}

// Self returns this process.
var Self = sync.OnceValue(func() model.Process { return ProcessOf(os.Getpid()) })

// ProcessOf returns the process that has the number pid on this machine now.
func ProcessOf(pid int) model.Process {
	return model.Process{PID: pid, Start: startOf(pid), Boot: files.Boot(), Host: hostID()}
}

// Alive reports whether p is still running. A process on another machine counts as alive; the schedulers of its machine judge it.
func Alive(p model.Process) bool {
	if p.Host != hostID() {
		return true
	}
	return p.Boot == files.Boot() && isRunning(p.PID) && (p.Start == "" || startOf(p.PID) == p.Start)
}

// hostID identifies this machine. In a container with process numbers of its own it differs from that of the machine.
var hostID = sync.OnceValue(func() string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	if raw, err := os.ReadFile("/etc/machine-id"); err == nil && len(strings.TrimSpace(string(raw))) > 0 {
		return strings.TrimSpace(string(raw)) + strings.TrimPrefix(space, firstSpace)
	}
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
})

// firstSpace is the space of process numbers that Linux starts with.
const firstSpace = "pid:[4026531836]"
