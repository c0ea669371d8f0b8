// Package e2e tests the whole program from outside and has no code of its own. Real processes share one home and are
// killed, stopped and given false answers. Checkers read what is left and decide whether a promise was broken. Each
// file has the name of what it tests; docs/promises.md says which promise each test is about, with the commands of the
// long runs.
//
// The files measure_*.go measure the program, beside an empty process and beside other trackers, if they are installed,
// with the same acts in one run. docs/performance.md explains how to run and read them.
//
// The files programs_*.go run the agents' real programs with a scripted model. docs/matrix.md has the table of the
// results.
//
// Read main_test.go first, then any test; measure_test.go is the whole measurement.
package e2e

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/store"
	"vise/store/storetest"
	"vise/ui/cli"
	"vise/ui/markdown/glamour"
)

var ctx = context.Background()

// TestMain makes this test binary vise itself if it is called by that name.
func TestMain(m *testing.M) {
	startsItself := len(os.Args) > 1 && os.Args[1] == "hook"
	if filepath.Base(os.Args[0]) == "vise" || startsItself {
		os.Exit(cli.Main(glamour.New(), nil))
	}
	storetest.Main(m, map[string]func([]string){"hold": holdLedger, "claim": claim, "schedule": schedule, "hears": hears}, removeBuilt)
}

// home is a test's home. A failing test keeps it with its artefacts.
type home struct {
	t   testing.TB
	dir string
	// program is the installed vise; empty for this test binary.
	program string
	agents  []string
}

// newHome returns a home with these agents.
func newHome(t testing.TB, agents ...string) *home {
	t.Helper()
	h := &home{t: t, dir: filepath.Join(t.TempDir(), "home"), agents: agents}
	storetest.KeepOnFailure(t, h.dir)
	h.must("init", "--agent", agents[0])
	for _, a := range agents[1:] {
		h.must("agents", "add", a)
	}
	return h
}

// install installs vise for the test. Its verbs start faster than this test binary.
func (h *home) install() {
	h.program = filepath.Join(installed(h.t, "vise", "vise-markdown"), "vise")
}

// built builds all programs as they are installed, once for all tests, because linking them takes seconds.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "vise-built-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", raced, "-o", dir, "./ui/vise", "./ui/vise-fleet", "./ui/vise-markdown")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build: %w\n%s", err, out)
	}
	return dir, nil
})

var anyBuilt atomic.Bool

// removeBuilt removes the programs if a test built them.
func removeBuilt() {
	if !anyBuilt.Load() {
		return
	}
	if dir, _ := built(); dir != "" {
		_ = os.RemoveAll(dir)
	}
}

// installed puts programs into a directory of the test.
func installed(t testing.TB, programs ...string) (bin string) {
	t.Helper()
	anyBuilt.Store(true)
	from, err := built()
	must(t, err)
	bin = t.TempDir()
	for _, name := range programs {
		must(t, os.Link(filepath.Join(from, name), filepath.Join(bin, name)))
	}
	return bin
}

// command returns a process of vise that is killed when ctx ends.
func (h *home) command(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	c := exec.CommandContext(ctx, cmp.Or(h.program, self))
	c.Args = append([]string{"vise", "--home", h.dir}, args...)
	c.Env = append(os.Environ(), "VISE_ACTOR=operator", "VISE_HOME="+h.dir)
	return c
}

func (h *home) must(args ...string) []byte {
	h.t.Helper()
	out, err := h.command(ctx, args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("vise %v: %v\n%s", args, err, out)
	}
	return out
}

// open opens the home's ledger in this process.
func (h *home) open() *store.Ledger {
	h.t.Helper()
	l, err := store.Open(h.dir, store.Options{Command: "the test"})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { l.Close() })
	return l
}

// sound expects that the home's proof succeeds, and returns its revision.
func (h *home) sound() uint64 {
	h.t.Helper()
	health, err := h.open().Check(ctx)
	if err != nil || !health.Healthy() {
		h.t.Errorf("%d problems: %q %v", health.Found, health.Problems, err)
	}
	return health.Revision
}

// sinceStart is a monotonic time for a history.
func sinceStart() int64 { return int64(time.Since(started)) }

var started = time.Now()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
