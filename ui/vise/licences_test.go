package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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

// Every module that a program of any system links has a licence that is known. .ci/goreleaser.yaml writes them all into
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

func licencesPage(t *testing.T) string {
	modules := map[string]string{}
	for _, system := range []string{"linux", "darwin", "freebsd"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}",
			"vise", "vise/ui/vise-fleet")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) == 3 {
				modules[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	var table, texts strings.Builder
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		name, version, _ := strings.Cut(m, " ")
		kind, text := licenceIn(t, modules[m])
		fmt.Fprintf(&table, "| %s | %s | %s |\n", name, version, kind)
		fmt.Fprintf(&texts, "\n## %s\n\n````text\n%s\n````\n", name, text)
	}
	return "# Licences\n\nvise is under the MIT licence. Its programs contain Go's standard library (BSD) and these modules.\n\n| module | version | licence |\n|---|---|---|\n" +
		table.String() + texts.String()
}

// licenceIn returns the licence in a module's directory; kind names several if its text has several.
func licenceIn(t *testing.T, dir string) (kind, text string) {
	found, _ := filepath.Glob(filepath.Join(dir, "LICEN[CS]E*"))
	copying, _ := filepath.Glob(filepath.Join(dir, "COPYING*"))
	for _, path := range append(found, copying...) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, k := range kinds {
			if strings.Contains(string(raw), k.words) {
				names = append(names, k.name)
			}
		}
		if len(names) == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		for i, l := range lines {
			lines[i] = strings.TrimRight(l, " \r\t")
		}
		return strings.Join(names, ", "), strings.Join(lines, "\n")
	}
	t.Errorf("%s: no licence that is known", dir)
	return "", ""
}
