package agents

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vise/model"
	"vise/ui/runner"
)

const (
	// programPatience is what a program may take to show a session, or to prompt one.
	programPatience = 10 * time.Second
	// maxWritten bounds what is read of a session.
	maxWritten = 64 << 20
)

// detach starts vise once more, so that it outlives the hook and whoever called it.
func detach(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, args...)
	child.Env = runner.Unmarked(os.Environ())
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	return child.Process.Release()
}

// caller is the Crush that called.
func caller() string { return fileOf(os.Getppid(), "crush") }

// fileOf is the file of a process where the system tells it and it has the program's name,
// else whatever is found by that name.
func fileOf(pid int, name string) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !strings.HasPrefix(filepath.Base(path), name) {
		return name
	}
	return path
}

// maxAncestors is how far above a hook its program is looked for: a shell may stand between.
const maxAncestors = 3

// server is the Codex whose app-server called.
func server() (callingServer, bool) {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxAncestors; n++ {
		out, err := exec.Command("ps", "-o", "ppid=", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
		above, args, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if err != nil {
			return callingServer{}, false
		}
		if strings.Contains(args, " app-server ") {
			return callingServer{Program: fileOf(pid, "codex"), Process: runner.ProcessOf(pid)}, true
		}
		pid, _ = strconv.Atoi(above)
	}
	return callingServer{}, false
}

// endedEvery is how often a process is looked for.
const endedEvery = 30 * time.Second

// ended returns when a process is no more, or with the context.
func ended(ctx context.Context, p model.Process) {
	for ctx.Err() == nil && runner.Alive(p) {
		pause(ctx, endedEvery)
	}
}

// execute is what a program writes.
func execute(ctx context.Context, program, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, programPatience)
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
