package hook

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vise/ui/process"
)

const (
	// showPatience is what a program may take to tell a session.
	showPatience = 10 * time.Second
	// maxSession bounds what is read of a session.
	maxSession = 64 << 20
)

// detach starts vise once more, so that it outlives the hook and whoever called it.
func detach(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, args...)
	child.Env = process.Unmarked(os.Environ())
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	return child.Process.Release()
}

// caller is the Crush that called: the parent's own file where the system tells it and it
// is one, else whatever Crush is found by its name.
func caller() string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	if err != nil || !strings.HasPrefix(filepath.Base(path), "crush") {
		return "crush"
	}
	return path
}

// showSession has Crush tell a session.
func showSession(ctx context.Context, program, dir, session string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, showPatience)
	defer cancel()
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, program, "session", "show", session, "--json")
	c.Dir, c.WaitDelay = dir, time.Second
	c.Stdout, c.Stderr = &process.Capped{To: &out, Max: maxSession}, &process.Capped{To: &said, Max: 4 << 10}
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}
