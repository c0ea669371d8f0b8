package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// writeForever makes this test binary update its thread until it is killed. It prints each fact, with an exclamation
// mark, after it is written.
const writeForever = "VISE_TEST_FOREVER"

func forever(round string) {
	c := &threadCLI{dir: workingDir(), at: time.Now()}
	for n := 0; ; n++ {
		fact := fmt.Sprintf(`"round %s fact %d"`, round, n)
		if _, _, status := c.run("update", "--json-patch", `{"verified":[`+fact+`]}`); status == 0 {
			fmt.Println(fact + "!")
		}
	}
}

// process is a verb of vise thread as a process of its own.
func process(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{"thread"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), asVise+"=1", "VISE_HOME="+dir+"/no-home")
	return c
}

// threadCLI runs verbs of vise thread in one directory; at each call its clock is a second later.
type threadCLI struct {
	t     testing.TB
	dir   string
	at    time.Time
	stdin string
}

func newThreadCLI(t testing.TB, dir string) *threadCLI {
	return &threadCLI{t: t, dir: dir, at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func (c *threadCLI) run(args ...string) (out, complaints string, status int) {
	c.at = c.at.Add(time.Second)
	return runIn(c.dir, c.at, c.stdin, append([]string{"thread"}, args...)...)
}

// runIn runs a verb in this process, in a directory, without a home.
func runIn(dir string, at time.Time, stdin string, args ...string) (out, complaints string, status int) {
	var o, e bytes.Buffer
	a := &Env{
		args: args, dir: dir, in: strings.NewReader(stdin), out: &o, err: &e, now: func() time.Time { return at },
		getenv: func(name string) string {
			return map[string]string{"VISE_HOME": dir + "/no-home", "VISE_ACTOR": "operator", "HOME": dir}[name]
		},
	}
	status = execute(a, context.Background())
	return o.String(), e.String(), status
}

// data runs a verb with --json and returns the envelope's data; the exit status must be 0.
func (c *threadCLI) data(args ...string) map[string]any {
	c.t.Helper()
	out, complaints, status := c.run(append(args, "--json")...)
	if status != 0 {
		c.t.Fatalf("vise thread %s: exit %d\n%s%s", strings.Join(args, " "), status, out, complaints)
	}
	return c.envelope(out)["data"].(map[string]any)
}

func (c *threadCLI) envelope(out string) map[string]any {
	c.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || strings.Count(out, "\n") != 1 {
		c.t.Fatalf("not one line of JSON: %v\n%s", err, out)
	}
	return v
}

// refused runs a verb with --json that must fail and returns the error's code.
func (c *threadCLI) refused(want int, args ...string) map[string]any {
	c.t.Helper()
	out, _, status := c.run(append(args, "--json")...)
	if status != want {
		c.t.Fatalf("vise thread %s: exit %d, want %d\n%s", strings.Join(args, " "), status, want, out)
	}
	return c.envelope(out)["error"].(map[string]any)
}
