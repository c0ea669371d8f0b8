package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// pages returns the pages of the project, by path below its root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob("../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[strings.TrimPrefix(path, "../../")] = string(raw)
		}
	}
	return out
}

var (
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	codeSpan = regexp.MustCompile("(?s)(```.*?\n```|`[^`\n]*`)")
)

// The targets of all links on pages exist: the file, and the heading in it.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, m := range linked.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
			if anchor != "" && !anchors(all[path])[anchor] {
				t.Errorf("%s links to %s: there is no such heading", page, m[1])
			}
		}
	}
}

// anchors returns the headings of a page in the form that links use.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])] = true
	}
	return out
}

// Links lead from the start page to every page of docs.
func TestTheStartPageListsAllPages(t *testing.T) {
	all := pages(t)
	for page := range all {
		if name := filepath.Base(page); strings.HasPrefix(page, "docs/") && name != "index.md" && !strings.Contains(all["docs/index.md"], "("+name+")") {
			t.Errorf("docs/index.md does not list %s", page)
		}
	}
}

// The tests that pages name exist: of "PACKAGES -run NAMES", each name is part of a test's name in one of the packages.
func TestTheTestsThatPagesNameExist(t *testing.T) {
	named := regexp.MustCompile(`((?:\./[a-z/0-9-]+ )+)(?:-tags soak )?-run '?([A-Za-z_|\\/]+)`)
	sources := map[string]string{}
	for page, text := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			tests := ""
			for _, dir := range strings.Fields(m[1]) {
				if sources[dir] == "" {
					sources[dir] = testsOf(t, filepath.Join("../..", dir))
				}
				tests += sources[dir]
			}
			for name := range strings.SplitSeq(strings.ReplaceAll(m[2], `\|`, "|"), "|") {
				name, _, _ = strings.Cut(name, "/")
				if !strings.Contains(tests, name) && name != "NAME" && name != "TEST" && name != "xxx" {
					t.Errorf("%s names %s of %s: there is no such test", page, name, m[1])
				}
			}
		}
	}
}

// testsOf returns the names of the tests in a directory, each on its own line.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(paths) == 0 {
		t.Errorf("no tests in %s", dir)
	}
	names := "-"
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func ((Test|Fuzz|Benchmark)\w+)`).FindAllStringSubmatch(string(raw), -1) {
			names += "\n" + m[1]
		}
	}
	return names
}
