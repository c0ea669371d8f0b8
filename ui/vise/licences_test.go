package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var licences = flag.String("licences", "", "a file for the licences of all modules: a release has it in its archives")

// kinds are the known licences, each with words that only it has.
var kinds = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"BSD", "Redistributions of source code must retain"},
	{"ISC", "Permission to use, copy, modify, and/or distribute"},
	{"MIT", "Permission is hereby granted, free of charge"},
}

// Go and every module that a program of any system links have a licence that is known. .ci/goreleaser.yaml writes them all into
// the archives: go test ./ui/vise -run Licences -licences FILE.
func TestTheLicencesAreKnown(t *testing.T) {
	page := licencesPage(t)
	if *licences == "" {
		return
	}
	if err := os.WriteFile(*licences, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

// licencesPage has the licences of Go and of each module, with those of linked packages that come from elsewhere, and their notices.
func licencesPage(t *testing.T) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]map[string]bool{"Go " + runtime.Version(): licencesIn(strings.TrimSpace(string(root)))}
	for _, system := range []string{"linux", "darwin", "freebsd"} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{$dir := .Dir}}{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$dir}}{{end}}{{end}}", "vise", "vise/ui/vise-fleet")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 3 {
				continue
			}
			if modules[f[0]] == nil {
				modules[f[0]] = licencesIn(f[1])
			}
			for dir := f[2]; dir != f[1]; dir = filepath.Dir(dir) {
				maps.Copy(modules[f[0]], licencesIn(dir))
			}
		}
	}
	var table, texts strings.Builder
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		name, version, _ := strings.Cut(m, " ")
		fmt.Fprintf(&table, "| %s | %s | %s |\n", name, version, strings.Join(kindsOf(t, modules[m]), ", "))
		for _, path := range slices.Sorted(maps.Keys(modules[m])) {
			fmt.Fprintf(&texts, "\n## %s, %s\n\n````text\n%s\n````\n", name, filepath.Base(path), textOf(t, path))
		}
	}
	return "# Licences\n\nvise is under the MIT licence. Its programs contain Go's standard library and these modules.\n\n" +
		"| module | version | licence |\n|---|---|---|\n" + table.String() + texts.String()
}

// licencesIn returns the files of a directory that have licences or notices.
func licencesIn(dir string) map[string]bool {
	found := map[string]bool{}
	for _, name := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*"} {
		paths, _ := filepath.Glob(filepath.Join(dir, name))
		for _, p := range paths {
			found[p] = true
		}
	}
	return found
}

// kindsOf returns the kinds of these licences. Each is known; a notice is none.
func kindsOf(t *testing.T, paths map[string]bool) (names []string) {
	for path := range paths {
		known := strings.HasPrefix(filepath.Base(path), "NOTICE")
		text := textOf(t, path)
		for _, k := range kinds {
			if strings.Contains(text, k.words) {
				names, known = append(names, k.name), true
			}
		}
		if !known {
			t.Errorf("%s: no licence that is known", path)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); names == nil {
		t.Errorf("%v: no licence", paths)
	}
	return names
}

// textOf returns the text of a file without spaces at the ends of its lines.
func textOf(t *testing.T, path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r\t")
	}
	return strings.Join(lines, "\n")
}
