package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure are the packages that the core can import. fmt is for messages, time for the type, sync for a value made at its first use.
var pure = []string{
	"bytes", "cmp", "crypto/sha256", "encoding/binary", "encoding/hex", "encoding/json", "errors", "fmt", "hash/fnv", "io",
	"iter", "maps", "math", "math/bits", "reflect", "regexp",
	"slices", "sort", "strconv", "strings", "sync", "time", "unicode", "unicode/utf8",
	"vise/model",
}

// impure are the functions of allowed packages that reach outside.
var impure = []string{
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.AfterFunc",
	"fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Scan", "fmt.Scanln", "fmt.Scanf",
}

// TestTheCoreIsPure reads the core's source: no package, function or statement in it reaches a clock, a disk, a
// network, random numbers or another goroutine.
func TestTheCoreIsPure(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		for _, found := range impurities(t, path, nil) {
			t.Error(found)
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Fatalf("read %d files: %v", files, err)
	}
}

func TestTheCheckForPurityHasTeeth(t *testing.T) {
	for _, src := range []string{
		`package x; import "os"`, `package x; import "vise/store"`, `package x; import "time"; var t = time.Now()`,
		`package x; func f() { go f() }`, `package x; import r "math/rand"`,
	} {
		if len(impurities(t, "x.go", src)) == 0 {
			t.Errorf("nothing found in %s", src)
		}
	}
}

func impurities(t *testing.T, path string, src any) []string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, imp := range f.Imports {
		name, _ := strconv.Unquote(imp.Path.Value)
		if !slices.Contains(pure, name) && !strings.HasPrefix(name, "vise/model/") {
			found = append(found, path+" imports "+name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, path+" starts a goroutine")
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(impure, x.Name+"."+n.Sel.Name) {
				found = append(found, path+" calls "+x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return found
}
