package runner

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// headLimit is how long git may take to name the commit.
const headLimit = 2 * time.Second

// gitHead names the commit that is checked out in dir; empty without git or a repository.
// Naming it reads references alone: nothing that the repository configures is run.
func gitHead(ctx context.Context, dir string) string {
	ctx, cancel := context.WithTimeout(ctx, headLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "git", "--no-optional-locks", "--no-pager", "--no-replace-objects",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "rev-parse", "--verify", "--quiet", "HEAD")
	c.Dir, c.WaitDelay = dir, time.Second/10
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GIT_") {
			c.Env = append(c.Env, e)
		}
	}
	c.Env = append(c.Env, "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
	out, err := c.Output()
	head := string(bytes.TrimSpace(out))
	if err != nil || len(head) < 40 || strings.Trim(head, "0123456789abcdef") != "" {
		return ""
	}
	return head
}
