package storetest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
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

// Hear is the child's side of Say: it waits for a line.
func Hear() string {
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.TrimSpace(line)
}
