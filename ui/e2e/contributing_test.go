package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vise/store/storetest"
)

// The worked examples of docs/contributing.md are short, apply to the source, leave its files readable, and compile.
func TestWorkedExamples(t *testing.T) {
	storetest.Slow(t)
	storetest.Needs(t, "git")
	page, err := os.ReadFile("../../docs/contributing.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```diff\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) < 6 {
		t.Fatalf("%d examples", len(examples))
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, replace, packages := t.TempDir(), map[string]string{}, []string{}
	for _, x := range examples {
		if n := len(regexp.MustCompile(`(?m)^[-+]`).FindAll(x[1], -1)) - 2*len(regexp.MustCompile(`(?m)^---`).FindAll(x[1], -1)); n >= 20 {
			t.Errorf("an example changes %d lines, want fewer than 20:\n%s", n, x[1])
		}
		for _, m := range regexp.MustCompile(`(?m)^\+\+\+ b/(.*)$`).FindAllSubmatch(x[1], -1) {
			name := string(m[1])
			if replace[filepath.Join(root, name)] != "" {
				continue // an earlier example changed it
			}
			raw, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			changed := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(changed), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(changed, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			replace[filepath.Join(root, name)] = changed
			if p := "./" + filepath.Dir(name); p != "./docs" && !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
		apply := exec.Command("git", "apply", "--whitespace=nowarn")
		apply.Dir, apply.Stdin = dir, strings.NewReader(string(x[1]))
		apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, x[1])
		}
	}
	for _, changed := range replace {
		if raw, err := os.ReadFile(changed); err != nil {
			t.Error(err)
		} else if strings.HasSuffix(changed, ".go") && !strings.HasSuffix(changed, "_test.go") {
			measureFile(t, changed, string(raw))
		}
	}
	vet := exec.Command("go", append([]string{"vet", "-overlay", overlayOf(t, dir, replace)}, packages...)...)
	vet.Dir = root
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
