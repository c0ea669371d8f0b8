package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A frontend's code must not take the raw letters out of a model.Text, because it shows them. A line that must (it
// compares, it writes a file) gives the reason in a comment on it or above it: "// raw: compared, not shown".
func TestNoFrontendShowsRawText(t *testing.T) {
	// Go keeps a test's result until a file changes that the test itself opened.
	if err := filepath.WalkDir("..", func(string, fs.DirEntry, error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, p := range load(t, "vise/ui/...") {
		for _, leak := range p.leaks() {
			t.Error(leak)
		}
	}
}

func TestThePlantedLeaksAreFound(t *testing.T) {
	p := load(t, "./testdata/leaky")[0]
	source, err := os.ReadFile("testdata/leaky/leaky.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, line := range strings.Split(string(source), "\n") {
		if strings.HasSuffix(line, " want") {
			want = append(want, fmt.Sprintf("leaky.go:%d", i+1))
		}
	}
	var got []string
	for _, leak := range p.leaks() {
		got = append(got, leak[:strings.Index(leak, ": ")])
	}
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("found %v, want %v", got, want)
	}
}

// listed is one package in the output of go list.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// checked is one package of ours with its types.
type checked struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// load checks the types of our packages against the compiled form of all they import.
func load(t *testing.T, pattern string) []checked {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", pattern).Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", pattern, err, stderrOf(err))
	}
	exports := map[string]string{}
	var ours []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if exports[p.ImportPath] = p.Export; !p.DepOnly {
			ours = append(ours, p)
		}
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []checked
	for _, p := range ours {
		c := checked{fset: fset, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			c.files = append(c.files, f)
		}
		if _, err := (&types.Config{Importer: imp}).Check(p.ImportPath, fset, c.files, c.info); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func stderrOf(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}

// leaks are the places where raw text is taken without a reason, and the reasons without raw text, each as "file:line:
// what".
func (c checked) leaks() []string {
	var leaks []string
	for _, f := range c.files {
		name := filepath.Base(c.fset.Position(f.Pos()).Filename)
		reasons := c.reasons(f)
		found := map[int]string{}
		ast.Inspect(f, func(n ast.Node) bool {
			if what := c.takesRaw(n); what != "" {
				found[c.fset.Position(n.Pos()).Line] = what
			}
			return true
		})
		for _, line := range slices.Sorted(maps.Keys(found)) {
			for _, at := range []int{line, line - 1} {
				if _, ok := reasons[at]; ok {
					delete(reasons, at)
					delete(found, line)
					break
				}
			}
		}
		for line := range reasons {
			found[line] = "a reason for raw text, but none is taken"
		}
		for _, line := range slices.Sorted(maps.Keys(found)) {
			leaks = append(leaks, fmt.Sprintf("%s:%d: %s", name, line, found[line]))
		}
	}
	return leaks
}

// reasons are the lines of f with a "raw:" comment and words after it.
func (c checked) reasons(f *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.Comments {
		for _, comment := range group.List {
			if reason, ok := strings.CutPrefix(comment.Text, "// raw:"); ok && len(strings.Fields(reason)) > 1 {
				lines[c.fset.Position(comment.Pos()).Line] = true
			}
		}
	}
	return lines
}

// takesRaw returns how n takes the letters out of a model.Text, if it does.
func (c checked) takesRaw(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if s := c.info.Selections[n]; s != nil && s.Obj().Name() == "Raw" && isText(s.Recv()) {
			return "Raw of a model.Text"
		}
	case *ast.CallExpr:
		if to := c.info.Types[n.Fun]; to.IsType() && len(n.Args) == 1 && !isText(to.Type) && isText(c.info.Types[n.Args[0]].Type) {
			return "a model.Text converted to " + to.Type.String()
		}
	case *ast.RangeStmt:
		if n.Value != nil && isText(c.info.Types[n.X].Type) {
			return "a loop over the letters of a model.Text"
		}
	}
	return ""
}

func isText(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Text" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "vise/model"
}
