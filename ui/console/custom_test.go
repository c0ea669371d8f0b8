package console

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/config"
)

// owning is a console with custom commands; the test answers their runs.
func owning(t *testing.T, set func(*Options), commands ...config.Command) (*world, *[]CustomRun) {
	var runs []CustomRun
	wd := newWorld(t, 100, 30, func(o *Options) {
		o.Settings = config.Defaults()
		o.Settings.Commands = commands
		o.Settings.Filters = map[string]string{"stuck": "class:blocked"}
		o.RunCustom = func(_ context.Context, r CustomRun) (string, error) {
			runs = append(runs, r)
			if r.Argv[0] == "fail" {
				return "no such branch\x1b[31m\n", errors.New("ended with exit status 1")
			}
			return "first\nsecond\x1b]0;owned\a\n", nil
		}
		if set != nil {
			set(o)
		}
	})
	wd.change("create a Add jitter")
	wd.settle()
	return wd, &runs
}

func frameOf(wd *world) string { return strings.Join(wd.frame(), "\n") }

func TestACommandOfOnesOwnGetsTheItemAndShowsItsOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, runs := owning(t, nil,
			config.Command{Name: "Deploy", Key: "f6", Run: []string{"deploy", "{id}", "{agent}", "--x={id}"}},
			config.Command{Name: "Log", Key: "f7", Run: []string{"log"}, Output: config.ToPopup, Context: config.OfAgent},
			config.Command{Name: "Break", Key: "f8", Run: []string{"fail"}})
		defer wd.end()
		wd.press("f6")
		wd.settle()
		if len(*runs) != 1 {
			t.Fatalf("%d runs:\n%s", len(*runs), frameOf(wd))
		}
		r := (*runs)[0]
		if !strings.HasPrefix(r.Argv[1], "wi-") || r.Argv[2] != string(testAgent) || r.Argv[3] != "--x={id}" || !strings.Contains(string(r.Stdin), `"objective":"Add jitter"`) {
			t.Errorf("it was run as %q with %s", r.Argv, r.Stdin)
		}
		if f := frameOf(wd); !strings.Contains(f, "Deploy: second·") {
			t.Errorf("its last line is not shown:\n%s", f)
		}
		wd.press("f7")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "┏━ Log ━") || !strings.Contains(f, "┃ first") {
			t.Errorf("its output is not in a popup:\n%s", f)
		}
		if got := string((*runs)[1].Stdin); got != `{"agent_id":"claude-main"}` {
			t.Errorf("a command about the agent got %s", got)
		}
		wd.press("q")
		wd.press("f8")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "Break: ended with exit status 1. no such branch·") {
			t.Errorf("what went wrong is not said:\n%s", f)
		}
		if strings.Contains(wd.console.View().Content, "owned") {
			t.Error("the output drives the terminal")
		}
	})
}

func TestADangerousCommandAsksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, runs := owning(t, nil, config.Command{Name: "Reset", Key: "f6", Run: []string{"git", "reset", "--hard"}, Dangerous: true})
		defer wd.end()
		wd.press("f6")
		wd.settle()
		if f := frameOf(wd); len(*runs) > 0 || !strings.Contains(f, "git reset --hard") || !strings.Contains(f, "dangerous") {
			t.Fatalf("%d runs before the answer:\n%s", len(*runs), f)
		}
		wd.press("enter")
		wd.press("esc")
		wd.settle()
		if len(*runs) > 0 {
			t.Fatal("it ran although the question was closed")
		}
		wd.press("f6")
		wd.press("ctrl+s")
		wd.settle()
		if len(*runs) != 1 {
			t.Errorf("%d runs after the answer:\n%s", len(*runs), frameOf(wd))
		}
	})
}

func TestNoCommandOfOnesOwnRunsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, runs := owning(t, func(o *Options) { o.Session.ReadOnly = "opened read-only" }, config.Command{Name: "Deploy", Key: "f6", Run: []string{"deploy"}})
		defer wd.end()
		wd.press("f6")
		wd.settle()
		if f := frameOf(wd); len(*runs) > 0 || !strings.Contains(f, "Opened read-only") {
			t.Errorf("%d runs:\n%s", len(*runs), f)
		}
	})
}

func TestFiltersAreSavedAndChosenByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var name, words string
		wd, _ := owning(t, func(o *Options) {
			o.SaveFilter = func(_ context.Context, n, w string) error {
				if n == "bad" {
					return errors.New("config.yaml: it cannot be added")
				}
				name, words = n, w
				return nil
			}
		})
		defer wd.end()
		wd.press("@save-filter")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "queue is not filtered") {
			t.Errorf("without a filter S says nothing:\n%s", f)
		}
		wd.press("esc", "/")
		wd.write("jit")
		wd.press("enter")
		wd.press("@save-filter")
		wd.write("mine")
		wd.press("enter")
		wd.settle()
		if f := frameOf(wd); name != "mine" || words != "jit" || !strings.Contains(f, "Filter mine is saved.") {
			t.Errorf("saved %q as %q:\n%s", words, name, f)
		}
		wd.press("@save-filter")
		wd.write("bad")
		wd.press("enter")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "it cannot be added") {
			t.Errorf("what went wrong is not said:\n%s", f)
		}
		wd.press("esc")
		wd.press(":")
		wd.write("stuck")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "Filter: stuck") {
			t.Errorf("the saved filter is not in the palette:\n%s", f)
		}
		wd.press("enter")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "/ class:blocked") {
			t.Errorf("the saved filter does not hold:\n%s", f)
		}
	})
}
