package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each kind of warning, error and event is a constant in one file, and listed in docs.
func TestKindsStandInOnePlaceAndInTheManual(t *testing.T) {
	for _, c := range []struct{ files, kind, page, section string }{
		{"errors.go", "WarningKind", "json.md", "## Warnings"}, {"errors.go", "Code", "json.md", "## Errors"},
		{"events.go", "EventKind", "json.md", "## Events"}, {"thread/*.go", "eventKind", "threads.md", "## 9 The log"},
		{"todo/*.go", "Rule", "todos.md", "## 8 Rules"},
	} {
		kinds := constantsOf(t, c.files, c.kind)
		listed := listedIn(t, "../docs/"+c.page, c.section)
		slices.Sort(kinds)
		slices.Sort(listed)
		if !slices.Equal(kinds, listed) {
			t.Errorf("%s has\n%v\n%s of docs/%s has\n%v", c.files, kinds, c.section, c.page, listed)
		}
	}
}

func TestNoOtherFileMakesAKind(t *testing.T) {
	literal := regexp.MustCompile(`WarningKind(\(| = )"|model\.EventKind(\(| = )"|model\.Code(\(| = )"|\bRule(\(| = )"|model\.Warning\{Kind: +"`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			slices.Contains([]string{"errors.go", "events.go", "refusal.go"}, name) {
			return err
		}
		raw, err := os.ReadFile(path)
		if found := literal.Find(raw); found != nil {
			t.Errorf("%s: %s…", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// constantsOf returns the values of the constants of a type in the one file that has them.
func constantsOf(t *testing.T, names, typ string) []string {
	t.Helper()
	files, err := filepath.Glob(names)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		found := constantsIn(t, name, typ)
		if len(found) > 0 && len(out) > 0 {
			t.Errorf("%s has some more of %s", name, typ)
		}
		out = append(out, found...)
	}
	return out
}

func constantsIn(t *testing.T, name, typ string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		name, _ := spec.Type.(*ast.Ident)
		lit, isLit := spec.Values[0].(*ast.BasicLit)
		if name != nil && name.Name == typ && isLit {
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, word)
		}
		return true
	})
	return out
}

// listedIn returns the names in the first column of a section's table.
func listedIn(t *testing.T, page, section string) []string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "\n"+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	name := regexp.MustCompile("`([a-z_0-9]+)`")
	var out []string
	for line := range strings.Lines(rest) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
				out = append(out, m[1])
			}
		}
	}
	return out
}
