package agents

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram is the variable that makes this test binary a program that asks its model once, without a work context.
const asProgram = "VISE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		in, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "application/json",
			strings.NewReader(`{"messages": [{"role": "user"}], "tools": [{"name": "mcp__vise__CompleteWorkItem"}]}`))
		if err != nil {
			os.Exit(1)
		}
		in.Body.Close()
		fmt.Println("I did nothing else.")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestWhatDidNotArriveIsNoProof: a program that is missing, that asks nothing, or that asks without the context and
// calls no tool. The user's home directory does not change.
func TestWhatDidNotArriveIsNoProof(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ script, want string }{
		{"", "cannot be run"},
		{"#!/bin/sh\necho broken; exit 3\n", "asked its model nothing: exit status 3|claude said: broken"},
		{"#!/bin/sh\n" + asProgram + "=1 exec '" + self + "'\n",
			"first request had no work context|CompleteWorkItem was not carried out|no report was kept|claude said: I did nothing else."},
	} {
		b := newInstallBench(t)
		bin := t.TempDir()
		if x.script != "" {
			if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(x.script), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		said := ""
		for _, c := range Prove(t.Context(), b.options("claude")) {
			if c.OK && c.Name != "proof" {
				t.Errorf("%q proves %s: %s", x.script, c.Name, c.Message)
			}
			said += c.Message + "; " + c.Hint + "\n"
		}
		for _, want := range strings.Split(x.want, "|") {
			if !strings.Contains(said, want) {
				t.Errorf("said\n%swant %q", said, want)
			}
		}
		equal(t, "the user's", b.files(), map[string]string{})
	}
}
