package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func readme(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// fenced are the contents of the README's code blocks of a language.
func fenced(text, language string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "```"+language+"\n")
		if !ok {
			return out
		}
		block, after, _ := strings.Cut(rest, "```")
		out, text = append(out, block), after
	}
}

// What the README shows on the command line is run, line by line, in one shell.
func TestTheReadmesCommandsWork(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString("set -eu\nset -o pipefail\n")
	commands := 0
	for _, block := range fenced(readme(t), "console") {
		for _, line := range strings.Split(block, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString(command + "\n")
				commands++
			}
		}
	}
	if commands < 10 {
		t.Fatalf("only %d commands", commands)
	}
	bin := t.TempDir()
	shell := program(t, filepath.Join(t.TempDir(), "home"))
	if err := os.Symlink(shell.Path, filepath.Join(bin, "vise")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("bash", "-c", script.String())
	c.Env = append(shell.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheReadmesExitCodesAreTheProgramsOwn(t *testing.T) {
	if !strings.Contains(readme(t), "```text\n"+exitTable()+"```") {
		t.Errorf("the README does not hold this table:\n%s", exitTable())
	}
}
