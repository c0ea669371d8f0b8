package model

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each kind of warning, error and event is a constant in one file. Its comment says what it means, and is a row of docs/codes.md. The page
// also has who may do what, and both words where people read another than the ledger's.
func TestKindsStandInOnePlaceAndInTheManual(t *testing.T) {
	page := "# Codes, rights, words\n\n<!-- Made from the source; go test ./model -run Kinds -rewrite writes it anew. -->\n\n" +
		"## Who may do what\n\n[lifecycle.md](lifecycle.md#20-authority) says who these are.\n\n" + rightsTable() +
		"\n## Words on screen\n\n| on screen | in code and JSON |\n|---|---|\n"
	var words []string
	for code, word := range OnScreen {
		words = append(words, "| "+word+" | `"+code+"` |\n")
	}
	slices.Sort(words)
	page += strings.Join(words, "")
	for _, c := range []struct{ files, kind, section string }{
		{"errors.go", "WarningKind", "Warnings"}, {"errors.go", "Code", "Errors"}, {"events.go", "EventKind", "Events"},
		{"todo/*.go", "Rule", "Rules of file todos"}, {"thread/*.go", "eventKind", "The log of a thread"},
	} {
		page += "\n## " + c.section + "\n\n| | means |\n|---|---|\n"
		rows := constantsOf(t, c.files, c.kind)
		for _, kind := range slices.Sorted(maps.Keys(rows)) {
			if page += "| `" + kind + "` | " + rows[kind] + " |\n"; rows[kind] == "" {
				t.Errorf("%s: %s has no comment that says what it means", c.files, kind)
			}
		}
	}
	const path = "../docs/codes.md"
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(path); err != nil || string(is) != page {
		t.Errorf("docs/codes.md is not what the source says: go test ./model -run Kinds -rewrite (%v)", err)
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

// constantsOf returns the constants of a type in the one file that has them, with their comments.
func constantsOf(t *testing.T, names, typ string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(names)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range files {
		found := constantsIn(t, name, typ)
		if len(found) > 0 && len(out) > 0 {
			t.Errorf("%s has some more of %s", name, typ)
		}
		maps.Copy(out, found)
	}
	return out
}

func constantsIn(t *testing.T, name, typ string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
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
			out[word] = strings.Join(strings.Fields(spec.Doc.Text()+" "+spec.Comment.Text()), " ")
		}
		return true
	})
	return out
}
