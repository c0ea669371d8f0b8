package console

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/action"
)

func TestAKeyThatMeansNothingSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 100, 30, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.change("finding 001 p1 src/search.go:3 SQL injection | q := name")
		wd.settle()
		for _, open := range []string{"", "T", "W", "t", "y", "g", "@plan-status"} {
			if open != "" {
				wd.press(open)
				wd.settle()
			}
			wd.press("Z")
			if f := frameOf(wd); !strings.Contains(f, "Z does nothing here.") {
				t.Errorf("after %q, Z does not say that it does nothing:\n%s", open, f)
			}
			wd.press("esc")
			wd.press("esc")
		}
	})
}

func TestSpaceTicksTheTodoInProgressAndCommaGoesBackAmongNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		for _, line := range []string{"create a Add jitter", "create b Choose a cache", "create c Choose a port", "pick a",
			"todos a x none | > first | - second", "ask b Which cache?", "ask c Which port?"} {
			wd.change(line)
		}
		wd.settle()
		wd.press("space")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "Ticked: first") || !strings.Contains(f, "2/3") {
			t.Errorf("the todo in progress is not ticked:\n%s", f)
		}
		for i, step := range []struct{ key, says string }{{".", "1 of 2"}, {".", "2 of 2"}, {",", "1 of 2"}, {",", "2 of 2"}} {
			wd.press(step.key)
			wd.settle()
			if f := frameOf(wd); !strings.Contains(f, step.says) {
				t.Errorf("step %d, %s does not say %s:\n%s", i, step.key, step.says, f)
			}
		}
	})
}

// A key that is written in a sentence is wrong for a user who changed the key.
func TestNoSentenceNamesAFixedKey(t *testing.T) {
	fixed := regexp.MustCompile(`(^|[·,:.] |\. )(esc|enter|tab|y|ctrl\+[a-z]) [a-z]`)
	named := regexp.MustCompile(`\{([a-z-]+)\}`)
	set := token.NewFileSet()
	var names []string
	for _, dir := range []string{".", "widget", "screen"} {
		in, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, in...)
	}
	seen := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				seen++
				if s := strings.Trim(l.Value, "\"`"); fixed.MatchString(s) {
					t.Errorf("%s: %s: name the action, as in %q", set.Position(l.Pos()), l.Value, "{submit} save")
				}
				for _, m := range named.FindAllStringSubmatch(l.Value, -1) {
					if action.Standard().ByID(action.ID(m[1])).Title == "" {
						t.Errorf("%s: %s: there is no action %s", set.Position(l.Pos()), l.Value, m[1])
					}
				}
			}
			return true
		})
	}
	if seen < 500 {
		t.Errorf("only %d texts were read", seen)
	}
}
