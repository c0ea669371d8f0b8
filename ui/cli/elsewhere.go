package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/build"
)

// vise is installed as programs of one build. vise itself links little, so that it starts at
// once, and carries out most verbs; the rest it hands to vise-workbench beside it, which has
// everything and works by itself too. Only Markdown's libraries are in a third, which the
// console starts when it has Markdown to show.
const (
	frontName = "vise"
	wholeName = "vise-workbench"
	pagesName = "vise-markdown"
	// builtVar tells the whole program which build the front is of.
	builtVar = "VISE_FRONT_BUILD"
)

// installBoth is how all come to be of one build.
const installBoth = "install all of them, in vise's source: CGO_ENABLED=0 go install ./ui/..."

// ofWhole marks a command that needs the tree of all verbs.
const ofWhole = "whole"

func whole(c *cobra.Command) *cobra.Command {
	c.Annotations = map[string]string{ofWhole: "yes"}
	return c
}

// isElsewhere reports whether the arguments are for the program that has all parts: those
// that name no verb of this one, and the shell's questions.
func (a *app) isElsewhere(root *cobra.Command) bool {
	if a.parts.Elsewhere == nil {
		return false
	}
	if len(a.args) > 0 && strings.HasPrefix(a.args[0], cobra.ShellCompRequestCmd) {
		return true
	}
	c, rest, err := root.Find(a.args)
	return err != nil || c == root && slices.ContainsFunc(rest, isWord) || c.Annotations[ofWhole] != ""
}

func isWord(arg string) bool { return !strings.HasPrefix(arg, "-") }

// goElsewhere carries out the arguments in the program that has all parts, and returns the
// exit code. It returns at all only where that failed, or where a process cannot become
// another program.
func (a *app) goElsewhere(c *cobra.Command) int {
	if a.home != nil {
		a.home.Close()
		a.home = nil
	}
	err := a.parts.Elsewhere()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ended):
		return ended.ExitCode()
	}
	return a.fail(c, err)
}

// Whole is the Parts.Elsewhere of the front: it becomes the whole program beside it.
func Whole() error {
	program, err := beside(wholeName)
	if err != nil {
		return model.Refuse(model.CodeInternal, "this needs the program %s, which is not there", wholeName).
			Because(err).WithHint("%s", installBoth)
	}
	env := append(os.Environ(), builtVar+"="+build.Name())
	return become(program, append([]string{program}, os.Args[1:]...), env)
}

// SameBuild refuses to be the whole of a front of another build: they would not agree on
// what the home holds. Called by a front or not, it clears what the front told.
func SameBuild() error {
	front, called := os.LookupEnv(builtVar)
	os.Unsetenv(builtVar)
	if !called || front == build.Name() {
		return nil
	}
	return model.Refuse(model.CodeInternal, "%s is built from %s, and %s from %s", frontName, model.Text(front), wholeName, build.Name()).
		WithHint("%s", installBoth)
}

// Pages is where the program is that lays out Markdown.
func Pages() (string, error) { return beside(pagesName) }

// beside is the program of that name in this program's directory, else on the path.
func beside(name string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return exec.LookPath(name)
}

// frontProgram is the program that others are told to start: the front, where this is the
// whole with a front beside it.
func frontProgram() (string, error) {
	self, err := os.Executable()
	if err != nil || !isNamed(wholeName) {
		return self, err
	}
	if front, err := beside(frontName); err == nil && filepath.Dir(front) == filepath.Dir(self) {
		return front, nil
	}
	return self, nil
}

// isNamed reports whether this program's file has a name.
func isNamed(name string) bool {
	self, err := os.Executable()
	return err == nil && strings.TrimSuffix(filepath.Base(self), ".exe") == name
}
