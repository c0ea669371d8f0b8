// Package storetest is what tests of several packages need: children, amounts, a filled ledger,
// real git repositories, hostile texts.
package storetest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// childVar names the environment variable that makes a test binary a child process.
const childVar = "VISE_TEST_CHILD"

// Main is a TestMain: it runs the tests, then the clean-ups, or, in a process that Start
// made, the child's role.
func Main(m *testing.M, roles map[string]func(args []string), after ...func()) {
	if line := os.Getenv(childVar); line != "" {
		args := strings.Split(line, "\n")
		roles[args[0]](args[1:])
		os.Exit(0)
	}
	code := m.Run()
	for _, clean := range after {
		clean()
	}
	os.Exit(code)
}

// MostlyWait is for a package whose tests mostly wait: eight of those that are parallel run at once, also on fewer processors.
func MostlyWait() {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
}

// Child is another process of this test binary, in a role of its own.
type Child struct {
	*exec.Cmd
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

// Command is the command line of a child, not started.
func Command(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVar+"="+strings.Join(append([]string{role}, args...), "\n"))
	return cmd
}

// Start starts a child, which the end of the test kills.
func Start(t testing.TB, role string, args ...string) *Child {
	t.Helper()
	c := &Child{Cmd: Command(t, role, args...), t: t}
	c.Stderr = os.Stderr
	var err error
	c.in, err = c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c
}

// Line is the next line that the child prints; empty when it prints no more.
func (c *Child) Line() string {
	line, _ := c.out.ReadString('\n')
	return strings.TrimSpace(line)
}

// Expect fails the test unless the child's next line is as expected.
func (c *Child) Expect(want string) {
	c.t.Helper()
	if got := c.Line(); got != want {
		c.t.Fatalf("the child said %q instead of %q", got, want)
	}
}

// Say gives the child a line.
func (c *Child) Say(line string) { fmt.Fprintln(c.in, line) }

// ReadLine is the child's side of Say: it waits for a line.
func ReadLine() string {
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.TrimSpace(line)
}

// Amount is how much of something a test does: short for everyday, long with -tags soak.
func Amount[N any](short, long N) N {
	if Long {
		return long
	}
	return short
}

// Slow leaves a test out of go test -short: it takes seconds, or runs whole programs.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow")
	}
}

// Needs finds a program. A machine without it skips the test.
func Needs(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Lacks(t, program)
	}
	return path
}

// Lacks skips a test for want of a program, and notes that in the file that VISE_LACKS names: .ci/run test ends with a list of these.
func Lacks(t testing.TB, program string) {
	t.Helper()
	NoteLack(program)
	t.Skip(program + " is not here")
}

// NoteLack is the note alone.
func NoteLack(program string) {
	name := os.Getenv("VISE_LACKS")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintln(f, program)
		f.Close()
	}
	if err != nil {
		panic(err)
	}
}

// Artefacts is the directory where a failing test leaves what it was about: under
// VISE_ARTEFACTS, or the user's vise-artefacts-UID in the system's place for temporary files.
func Artefacts(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("VISE_ARTEFACTS")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("vise-artefacts-%d", os.Getuid()))
	}
	dir = filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(t.Name()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// KeepOnFailure copies a home, ledger, journal and all, to the artefacts if the test fails.
func KeepOnFailure(t testing.TB, home string) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		to := filepath.Join(Artefacts(t), filepath.Base(home))
		os.RemoveAll(to) // what an earlier run kept
		if err := os.CopyFS(to, os.DirFS(home)); err != nil {
			t.Logf("the home was not kept whole: %v", err)
		}
		t.Logf("kept in %s", to)
	})
}

// Seed is a fresh seed, which the test prints so that the life can be lived again.
func Seed(t testing.TB) uint64 {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return seed
}

// Fill gives agent n work items with records of a usual size: half are completed, one open
// item in five is blocked.
func Fill(t testing.TB, l *store.Ledger, agent model.AgentID, n int) {
	t.Helper()
	const atOnce = 500
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for first := 0; first < n; first += atOnce {
		in := model.Import{AgentID: agent}
		for i := first; i < min(first+atOnce, n); i++ {
			in.Items = append(in.Items, model.Imported{Item: filled(i, start)})
		}
		apply(t, l, model.Envelope{Key: fmt.Sprintf("fill-%s-%d", agent, first), Actor: model.Operator, Agent: agent, Command: in})
	}
}

// Age gives the items that Fill made a past: their todos change until that many events have
// happened, Fill's own among them.
func Age(t testing.TB, l *store.Ledger, agent model.AgentID, items, events int) {
	t.Helper()
	happened := items
	for n := 0; happened < events; n++ {
		var b model.Batch
		for range min(model.MaxBatch, events-happened) {
			i := (2*happened + 1) % items // Fill completes the even ones
			happened++
			todos := filled(i, time.Time{}).TodoList
			todos[2].Text = model.Textf("make it pass, attempt %d", happened)
			b.Calls = append(b.Calls, model.Call{Command: model.UpdateWorkItem{WorkItemID: filledID(i), TodoList: &todos}})
		}
		apply(t, l, model.Envelope{Key: fmt.Sprintf("age-%s-%d", agent, n), Actor: model.Operator, Agent: agent, Command: b})
	}
}

func filledID(i int) model.ItemID { return model.ItemID(fmt.Sprintf("wi-%012d", i)) }

func filled(i int, start time.Time) model.WorkItem {
	at := start.Add(time.Duration(i) * time.Second)
	w := model.WorkItem{
		ID: filledID(i), State: model.Open, PlanStatus: model.Ready, Revision: 3,
		Objective: model.Textf("objective %d: %s", i, strings.Repeat("make it so ", 8)),
		TodoList: []model.Todo{
			{Text: "read the code that is there", State: model.TodoCompleted},
			{Text: "write a test that fails", State: model.TodoInProgress},
			{Text: "make it pass", State: model.TodoPending},
		},
		CreatedAt: at, UpdatedAt: at,
	}
	switch {
	case i%2 == 0:
		w.State = model.Completed
	case i%10 == 1:
		w.BlockedBy = "waiting for the review"
	}
	return w
}

func apply(t testing.TB, l *store.Ledger, e model.Envelope) {
	t.Helper()
	if _, err := l.Apply(context.Background(), e); err != nil {
		t.Fatalf("%s: %v", model.CommandName(e.Command), err)
	}
}
