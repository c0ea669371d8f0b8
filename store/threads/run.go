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

// limit is how long a capture, or a question about lineage, can take.
var limit = 2 * time.Second

// maxOutput bounds what is kept of git's output; more is read and dropped.
const maxOutput = 16 << 20

// git runs the git program in one repository.
type git struct {
	program string
	dir     string
	// filters are the content filters that the configuration names.
	filters []string
	// most is how much of the output is read before git is ended; 0: all is, and maxOutput kept.
	most int
}

// result is how a run of git ended.
type result struct {
	out      []byte
	problem  string // the first line of what git complained about
	status   int
	failed   error // git could not be started, or did not end by itself
	cut      bool  // the output is not complete
	timedOut bool
}

func (r result) ok() bool { return r.failed == nil && r.status == 0 }

// settings are handed to every git: nothing that the repository configures is run.
var settings = []string{
	"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.askPass=",
	"core.untrackedCache=false", "protocol.allow=never", "submodule.recurse=false",
	"diff.external=", "status.showUntrackedFiles=normal", "core.quotePath=false",
}

func (g git) run(ctx context.Context, stdin []byte, args ...string) result {
	argv := []string{"--no-optional-locks", "--no-pager", "--literal-pathspecs", "--no-replace-objects"}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	c := exec.CommandContext(ctx, g.program, append(argv, args...)...)
	c.Dir, c.Env = g.dir, g.environment()
	c.SysProcAttr = files.OwnGroup()
	c.Cancel = func() error { return files.EndGroup(c.Process) }
	c.WaitDelay = 200 * time.Millisecond
	out, complaint := &bounded{max: cmp.Or(g.most, maxOutput), ends: g.most > 0}, &bounded{max: 4096}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(stdin), out, complaint
	err := c.Run()
	problem, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
	r := result{out: out.Bytes(), cut: out.cut, problem: problem}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.failed, r.timedOut = ctx.Err(), true
	case out.ends && out.cut: // it was ended
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		r.status = exit.ExitCode()
	case err != nil:
		r.failed = err
	}
	return r
}

// environment is this process's, less what would lead git elsewhere or make it trust
// more, and with every listed filter emptied.
func (g git) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") })
	env = append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_ATTR_NOSYSTEM=1")
	return append(env, g.filtersOff()...)
}

// filtersOff empties filters by environment, not by -c: their names may hold any byte.
func (g git) filtersOff() []string {
	var env []string
	n := 0
	set := func(key, value string) {
		i := strconv.Itoa(n)
		env = append(env, "GIT_CONFIG_KEY_"+i+"="+key, "GIT_CONFIG_VALUE_"+i+"="+value)
		n++
	}
	for _, f := range g.filters {
		set(f+".clean", "")
		set(f+".smudge", "")
		set(f+".process", "")
		set(f+".required", "false")
	}
	if n == 0 {
		return nil
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// listFilters learns the filters that the configuration names. Reading configuration
// runs nothing.
func (g git) listFilters(ctx context.Context) ([]string, result) {
	r := g.run(ctx, nil, "config", "--null", "--name-only", "--get-regexp", `^filter\.`)
	if r.failed != nil || r.status != 0 && r.status != 1 {
		return nil, r
	}
	r.status = 0
	seen := map[string]bool{}
	var names []string
	for _, key := range strings.Split(string(r.out), "\x00") {
		i := strings.LastIndexByte(key, '.')
		if i <= len("filter") || seen[key[:i]] {
			continue
		}
		seen[key[:i]] = true
		names = append(names, key[:i])
	}
	return names, r
}

// bounded keeps the first max bytes written to it and swallows the rest, or ends who writes it.
type bounded struct {
	bytes.Buffer
	max int
	cut bool
	// ends: what writes is told that nobody reads the rest.
	ends bool
}

func (b *bounded) Write(p []byte) (int, error) {
	free := b.max - b.Len()
	if len(p) > free {
		b.cut = true
		b.Buffer.Write(p[:max(0, free)])
		if b.ends {
			return max(0, free), io.ErrShortWrite
		}
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// ReadFrom hides the buffer's own, which has no bound.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}
