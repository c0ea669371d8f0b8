package threads

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/store/files"
)

// limit is how long a capture, or one question about lineage, can take.
var limit = 2 * time.Second

// maxOutput bounds the part of git's output that is kept. The rest is read and dropped.
const maxOutput = 16 << 20

// git runs the git program in one repository.
type git struct {
	// ctx ends the runs, and cancel ends ctx.
	ctx     context.Context
	cancel  context.CancelFunc
	program string
	dir     string
	// stdin is what git reads.
	stdin []byte
	// filters are the content filters in the configuration.
	filters []string
	// most is how much output is read before git is ended. With 0, all is read and maxOutput is kept.
	most int
}

// result is the outcome of a run of git.
type result struct {
	out      []byte
	problem  string // the first line of git's error output
	status   int
	failed   error // git could not be started, or was ended
	cut      bool  // the output is not complete
	timedOut bool
}

func (r result) ok() bool { return r.failed == nil && r.status == 0 }

// settings are given to every git, so that it runs nothing that the repository configures.
var settings = []string{
	"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.askPass=",
	"core.untrackedCache=false", "protocol.allow=never", "submodule.recurse=false",
	"diff.external=", "status.showUntrackedFiles=normal", "core.quotePath=false",
}

func (g git) run(args ...string) result {
	argv := []string{"--no-optional-locks", "--no-pager", "--literal-pathspecs", "--no-replace-objects"}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	c := exec.CommandContext(g.ctx, g.program, append(argv, args...)...)
	c.Dir, c.Env = g.dir, g.environment()
	c.SysProcAttr = files.OwnGroup()
	c.Cancel = func() error { return files.EndGroup(c.Process) }
	c.WaitDelay = 200 * time.Millisecond
	out, complaint := &bounded{max: cmp.Or(g.most, maxOutput), ends: g.most > 0}, &bounded{max: 4096}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(g.stdin), out, complaint
	err := c.Run()
	problem, _, _ := strings.Cut(strings.TrimSpace(string(complaint.kept)), "\n")
	r := result{out: out.kept, cut: out.cut, problem: problem}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case g.ctx.Err() != nil:
		r.failed, r.timedOut = g.ctx.Err(), true
	case out.ends && out.cut: // ended on purpose at the bound
	case exited && exit.ExitCode() >= 0:
		r.status = exit.ExitCode()
	case err != nil:
		r.failed = err
	}
	return r
}

// says returns what git prints, without the white space around it, or "" if git fails.
func (g git) says(args ...string) string {
	r := g.run(args...)
	if !r.ok() {
		return ""
	}
	return strings.TrimSpace(string(r.out))
}

// environment is this process's environment, without the variables that redirect git or make it trust more, and with every listed filter
// emptied.
func (g git) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") })
	env = append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_ATTR_NOSYSTEM=1")
	// Filters are emptied through the environment, not with -c, because their names can hold any byte.
	n := 0
	for _, f := range g.filters {
		for key, value := range map[string]string{".clean": "", ".smudge": "", ".process": "", ".required": "false"} {
			i := strconv.Itoa(n)
			env = append(env, "GIT_CONFIG_KEY_"+i+"="+f+key, "GIT_CONFIG_VALUE_"+i+"="+value)
			n++
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// listFilters returns the filters in the configuration. Reading the configuration runs no program.
func (g git) listFilters() ([]string, result) {
	r := g.run("config", "--null", "--name-only", "--get-regexp", `^filter\.`)
	if r.failed != nil || r.status != 0 && r.status != 1 {
		return nil, r
	}
	r.status = 0
	var names []string
	for key := range strings.SplitSeq(string(r.out), "\x00") {
		if i := strings.LastIndexByte(key, '.'); i > len("filter") {
			names = append(names, key[:i])
		}
	}
	return slices.Compact(names), r
}

// bounded keeps the first max bytes written to it. It drops the rest, or ends the writer.
type bounded struct {
	kept []byte
	max  int
	cut  bool
	// ends: the writer gets an error beyond max, because nobody reads the rest.
	ends bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.max-len(b.kept))
	b.kept = append(b.kept, p[:n]...)
	if n == len(p) {
		return n, nil
	}
	b.cut = true
	if b.ends {
		return n, io.ErrShortWrite
	}
	return len(p), nil
}
