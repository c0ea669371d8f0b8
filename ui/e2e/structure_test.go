package e2e

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// floors are the packages with code, lowest first: a package imports only packages on a lower floor. Add a new package
// here on purpose. docs/architecture.md shows the same packages.
var floors = [][]string{
	{"model", "themes", "ui/text"},
	{"model/thread", "model/todo", "store/files", "ui/transcript"},
	{"model/prompt", "store/lock", "store/threads", "store/todos", "ui/acp", "ui/action", "ui/markdown"},
	{"store/kv"},
	{"store/journal"},
	{"store", "watcher", "ui/config", "ui/markdown/glamour"},
	{"store/transfer"},
	{"store/recovery"},
	{"store/home", "store/etcd"},
	{"ui/console/screen"},
	{"ui/runner", "ui/mcp", "ui/console", "ui/accessible"},
	{"ui/agents"},
	{"ui/cli"},
	{".", "ui/vise", "ui/vise-fleet", "ui/vise-markdown"},
}

// testOnly is the package that only tests import.
const testOnly = "store/storetest"

// onlyFleet is the package that only the program for ledgers on clusters imports: the client of a cluster would make vise large and slow to
// start.
const onlyFleet = "store/etcd"

// boundaries are the packages that may have fewer than three files: the programs.
var boundaries = []string{".", "ui/vise", "ui/vise-fleet", "ui/vise-markdown"}

const (
	mostPackages = 36
	// widest is in columns, a tab counted as four; longest in lines.
	widest, longest = 140, 600
	// heaviest is how many tokens all code may have that is not for tests. It only goes down: a feature is paid for by what it replaces.
	heaviest = 726_314
)

func TestImportsPointDownward(t *testing.T) {
	floor := map[string]int{}
	for i, names := range floors {
		for _, n := range names {
			floor[n] = i
		}
	}
	if n := len(floor) + 1; n > mostPackages { // testOnly too
		t.Errorf("%d packages with code, want at most %d", n, mostPackages)
	}
	list := exec.Command("go", "list", "-f", "{{if .GoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}", "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := folder(words[0])
		if from == testOnly {
			continue
		}
		at, ok := floor[from]
		if !ok {
			t.Errorf("package %s stands on no floor", from)
		}
		seen[from] = true
		for _, path := range words[1:] {
			to := folder(path)
			below, ours := floor[to]
			switch {
			case path == "unsafe":
				t.Errorf("%s imports unsafe", from)
			case to == testOnly:
				t.Errorf("%s imports %s, which is for tests", from, to)
			case to == onlyFleet && from != "ui/vise-fleet":
				t.Errorf("%s imports %s", from, to)
			case ours && below >= at:
				t.Errorf("%s imports %s, which is not below it", from, to)
			}
		}
	}
	for n := range floor {
		if !seen[n] {
			t.Errorf("there is no package %s", n)
		}
	}
}

// folder returns the folder of one of our packages; another import path stays as it is.
func folder(path string) string {
	if path == "vise" {
		return "."
	}
	return strings.TrimPrefix(path, "vise/")
}

func TestFilesStayReadable(t *testing.T) {
	files := map[string]int{}
	described := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, raw, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		files[filepath.Dir(rel)]++
		if documented(file) {
			described[filepath.Dir(rel)]++
		}
		measureFile(t, rel, string(raw))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range files {
		if n < 3 && !slices.Contains(boundaries, dir) {
			t.Errorf("package %s has %d files: it is part of another, or a boundary", dir, n)
		}
		if described[dir] != 1 {
			t.Errorf("package %s has %d comments that say what it is, want 1", dir, described[dir])
		}
	}
}

// TestWeight counts what a stranger has to read: the tokens of all code, without comments and tests.
func TestWeight(t *testing.T) {
	weights := map[string]int{}
	all := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if n := d.Name(); n == "testdata" || n == filepath.Base(testOnly) || strings.HasPrefix(n, ".") && n != ".." {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../..", filepath.Dir(path))
		n := tokens(text)
		weights[rel] += n
		all += n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range slices.SortedFunc(maps.Keys(weights), func(a, b string) int { return weights[b] - weights[a] }) {
		t.Logf("%7d %s", weights[dir], dir)
	}
	t.Logf("%7d tokens of at most %d", all, heaviest)
	if all > heaviest {
		t.Errorf("the code has %d tokens, want at most %d", all, heaviest)
	}
}

// mostMethods bounds the methods of the console's state, the one type that every feature of the screen could enlarge: a function takes what
// it needs, or a part of the state has the method.
const mostMethods = 120

var methodOfConsole = regexp.MustCompile(`(?m)^func \([a-z]+ \*?console\) \w+`)

func TestTheConsoleStaysSmall(t *testing.T) {
	files, err := filepath.Glob("../console/*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += len(methodOfConsole.FindAll(text, -1))
	}
	if n == 0 || n > mostMethods {
		t.Errorf("the console has %d methods, want at most %d", n, mostMethods)
	}
}

// backendAsserted is an assertion of what type a backend or its transaction has; bbolt's own transaction is asserted where it was made.
var backendAsserted = regexp.MustCompile(`\b(backend|txn|Txn|b|t|from|to|To)\.\((\*?(kv|etcd|store)\.)?(interface|\*?[A-Z])`)

// asksWhatItCan is the question what a backend can do and others cannot.
var asksWhatItCan = regexp.MustCompile(`\.Can\(\)`)

// What every backend can do is in its contract, and what only some can is one value: a reader of the ledger's code knows what holds.
func TestABackendIsAskedOnce(t *testing.T) {
	asked := []string{}
	for _, root := range []string{"../../store", "../../watcher", "../../ui"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if found := backendAsserted.Find(text); found != nil {
				t.Errorf("%s asserts the type of a backend: %s", path, found)
			}
			for range asksWhatItCan.FindAll(text, -1) {
				asked = append(asked, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("what a backend can do is asked in %v, want one place", asked)
	}
}

// belowTheLedger is what store exports for its rooms alone: it reads and writes keys without the rules of a ledger.
var belowTheLedger = regexp.MustCompile(`store\.(NewFacts|ReadFacts|WriteFacts|LedgerOn|ViewFile|Reopen|Redo)\b|\.ViewFacts\(|\.Backend\(\)|\bLedger\.Update\(`)

// A frontend changes a ledger by commands, and reads it by views. Only the packages of store go below that.
func TestOnlyStoreGoesBelowTheLedger(t *testing.T) {
	if !belowTheLedger.MatchString("h.Ledger.Backend()") || !belowTheLedger.MatchString("store.NewFacts(t)") {
		t.Error("the expression finds nothing")
	}
	for _, root := range []string{"../../ui", "../../watcher"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if found := belowTheLedger.Find(text); found != nil {
				t.Errorf("%s goes below the ledger: %s", path, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tokens counts Go tokens: without comments, and without the semicolons that a line's end stands for.
func tokens(text []byte) int {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for n := 0; ; n++ {
		switch _, tok, lit := s.Scan(); {
		case tok == token.EOF:
			return n
		case tok == token.SEMICOLON && lit == "\n":
			n--
		}
	}
}

func documented(f *ast.File) bool { return f.Doc != nil && strings.Contains(f.Doc.Text(), " ") }

func measureFile(t *testing.T, name, text string) {
	lines := strings.Split(text, "\n")
	if len(lines) > longest {
		t.Errorf("%s has %d lines, want at most %d", name, len(lines), longest)
	}
	for i, l := range lines {
		if n := utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")); n > widest {
			t.Errorf("%s:%d has %d columns, want at most %d", name, i+1, n, widest)
		}
	}
}
