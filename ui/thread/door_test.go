package thread_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"vise/ui/thread"
)

// asCLI turns the test binary into the command line, for tests that need processes.
const asCLI = "VISE_TEST_THREAD"

// writeForever makes such a process update its thread until it is killed, and print each
// fact, with an exclamation mark, once it is written.
const writeForever = "VISE_TEST_FOREVER"

func forever(dir, round string) {
	env := thread.Env{Dir: dir, Now: time.Now, Stdout: io.Discard, Stderr: io.Discard}
	for n := 0; ; n++ {
		fact := fmt.Sprintf(`"round %s fact %d"`, round, n)
		if call(env, []string{"update", "--json-patch", `{"verified":[` + fact + `]}`}) == 0 {
			fmt.Println(fact + "!")
		}
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(asCLI) == "" {
		os.Exit(m.Run())
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	if round := os.Getenv(writeForever); round != "" {
		forever(dir, round)
	}
	os.Exit(call(thread.Env{Dir: dir, Now: time.Now, Actor: as("test"), Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
}

func call(env thread.Env, args []string) int {
	c := thread.Command(env)
	c.SetArgs(args)
	c.SetOut(env.Stdout)
	c.SetErr(env.Stderr)
	err := c.ExecuteContext(context.Background())
	var exit thread.Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	panic(err)
}

// process is the command line as a process of its own.
func process(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Dir = dir
	c.Env = append(os.Environ(), asCLI+"=1")
	return c
}

// cli calls the door in one directory, a second later at each call.
type cli struct {
	t     testing.TB
	dir   string
	at    time.Time
	stdin string
}

func newCLI(t testing.TB, dir string) *cli {
	return &cli{t: t, dir: dir, at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func (c *cli) run(args ...string) (out, complaints string, status int) {
	c.t.Helper()
	c.at = c.at.Add(time.Second)
	var o, e bytes.Buffer
	at := c.at
	status = call(thread.Env{
		Dir: c.dir, Now: func() time.Time { return at }, Actor: as("tester"), Args: args,
		Stdin: strings.NewReader(c.stdin), Stdout: &o, Stderr: &e,
	}, args)
	return o.String(), e.String(), status
}

// data runs a verb with --json and returns the envelope's data; the exit status must be 0.
func (c *cli) data(args ...string) map[string]any {
	c.t.Helper()
	out, complaints, status := c.run(append(args, "--json")...)
	if status != 0 {
		c.t.Fatalf("vise thread %s: exit %d\n%s%s", strings.Join(args, " "), status, out, complaints)
	}
	return c.envelope(out)["data"].(map[string]any)
}

func (c *cli) envelope(out string) map[string]any {
	c.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || strings.Count(out, "\n") != 1 {
		c.t.Fatalf("not one line of JSON: %v\n%s", err, out)
	}
	return v
}

// refused runs a verb with --json that must fail and returns the error's code.
func (c *cli) refused(want int, args ...string) map[string]any {
	c.t.Helper()
	out, _, status := c.run(append(args, "--json")...)
	if status != want {
		c.t.Fatalf("vise thread %s: exit %d, want %d\n%s", strings.Join(args, " "), status, want, out)
	}
	return c.envelope(out)["error"].(map[string]any)
}

// as is an actor of that name.
func as(name string) func() (string, error) {
	return func() (string, error) { return name, nil }
}
