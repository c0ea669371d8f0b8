package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vise/store/storetest"
	"vise/ui/config"
)

// fence is a code block of a page. docs/contributing.md says how each language is checked.
type fence struct {
	language string
	// unrun is why its commands are not run; empty if they are.
	unrun string
	text  string
}

// pagesOf returns the pages that people wrote, by path, with their code blocks.
func pagesOf(t *testing.T) map[string][]fence {
	t.Helper()
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]fence{}
	for _, path := range append(paths, "../../README.md", "../../SECURITY.md", "../../CHANGELOG.md") {
		out[filepath.Base(path)] = fencesOf(t, path)
	}
	return out
}

func fencesOf(t *testing.T, path string) []fence {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []fence
	inside := false
	for line := range strings.Lines(string(raw)) {
		info, edge := strings.CutPrefix(line, "```")
		switch {
		case edge && !inside:
			language, unrun, marked := strings.Cut(strings.TrimSpace(info), " not run:")
			if marked && strings.TrimSpace(unrun) == "" {
				t.Errorf("%s: a block that is not run says why", path)
			}
			out = append(out, fence{language: language, unrun: strings.TrimSpace(unrun)})
			inside = true
		case edge:
			inside = false
		case inside:
			out[len(out)-1].text += line
		}
	}
	if inside {
		t.Errorf("%s: a block does not end", path)
	}
	return out
}

// exampleItem is the work item that the pages use as an example.
const exampleItem = "wi-7f3k"

// The sh blocks on the pages are run: the blocks of a page in one shell, in an empty home and in a git repository. If a
// page names exampleItem, the home holds that item, of agent ann. Commands of go are left out: .ci/run runs them.
func TestTheCommandsOfThePagesWork(t *testing.T) {
	t.Parallel()
	storetest.Needs(t, "bash")
	storetest.Needs(t, "git")
	for page, fences := range pagesOf(t) {
		script := ""
		for _, f := range fences {
			if f.language == "sh" && f.unrun == "" {
				script += f.text
			}
		}
		if script == "" {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runPage(t, script)
		})
	}
}

var goCommand = regexp.MustCompile(`(?m)^(CGO_ENABLED=0 )?go (run|test|build|install) .*$`)

func runPage(t *testing.T, script string) {
	dir := t.TempDir()
	shell := program(t, filepath.Join(dir, "data", "vise"))
	bin := filepath.Join(dir, "bin")
	for _, d := range []string{bin, filepath.Join(dir, "repo")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	linkProgram(t, shell.Path, filepath.Join(bin, "vise"))
	script = goCommand.ReplaceAllString(script, "")
	before := "set -eu -o pipefail\ngit init -q\ngit -c user.name=n -c user.email=n@example.invalid commit -q --allow-empty -m first\n"
	if strings.Contains(script, exampleItem) {
		before += "vise init --agent ann\nITEM=$(vise new 'Pick the cache policy' | grep -o 'wi-[0-9a-z]*')\n"
		script = strings.ReplaceAll(script, exampleItem, "$ITEM")
	}
	c := exec.Command("bash", "-c", before+"set -v\n"+script)
	c.Dir = filepath.Join(dir, "repo")
	c.Env = append(shell.Env, "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "TMPDIR="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// linkProgram gives the program a name of its own. It also starts itself under this name.
func linkProgram(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	raw, err := os.ReadFile(from) // on another file system
	if err == nil {
		err = os.WriteFile(to, raw, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The blocks of JSON and YAML can be parsed; every other block has a language with a rule.
func TestTheBlocksOfThePagesRead(t *testing.T) {
	for page, fences := range pagesOf(t) {
		for _, f := range fences {
			switch f.language {
			case "json":
				if !strings.Contains(f.text, "…") && !json.Valid([]byte(f.text)) {
					t.Errorf("%s: not JSON:\n%s", page, f.text)
				}
			case "yaml":
				for _, p := range problemsOf(t, f.text) {
					t.Errorf("%s: %s in\n%s", page, p, f.text)
				}
			case "sh", "text", "diff":
			default:
				t.Errorf("%s: a block in %q; there are sh, json, yaml, text and diff", page, f.language)
			}
			if f.unrun != "" && f.language != "sh" {
				t.Errorf("%s: only sh is run", page)
			}
		}
	}
}

// problemsOf returns the problems of a block of settings, or of a theme, which begins with extends.
func problemsOf(t *testing.T, text string) (found []string) {
	dir := t.TempDir()
	at := config.Place{File: filepath.Join(dir, "config.yaml"), Themes: filepath.Join(dir, "themes")}
	files := map[string]string{at.File: text}
	if strings.HasPrefix(text, "extends:") {
		files = map[string]string{at.File: "theme: mine\n", filepath.Join(at.Themes, "mine.yaml"): text}
	}
	if err := os.Mkdir(at.Themes, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range config.Load(at, func(string) string { return "" }).Problems {
		found = append(found, p.String())
	}
	return found
}

// Every command in the text of a page exists, with its flags.
func TestTheCommandsThatPagesNameExist(t *testing.T) {
	inline := regexp.MustCompile("`vise ([a-z][^`]*)`")
	flag, tree := regexp.MustCompile(`^--([a-z-]+)`), testTree()
	for page := range pagesOf(t) {
		raw, err := os.ReadFile(pagePath(page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(raw), -1) {
			words := strings.Fields(m[1])
			about, _, err := tree.Find(commandWords(words))
			if err != nil || !about.HasParent() && words[0] != "help" {
				t.Errorf("%s: there is no command `vise %s`", page, m[1])
				continue
			}
			for _, w := range words {
				if w == "--" {
					break
				}
				if f := flag.FindStringSubmatch(strings.TrimLeft(w, "[(")); f != nil && !hasFlag(about, f[1]) {
					t.Errorf("%s: `vise %s` has no flag --%s", page, m[1], f[1])
				}
			}
		}
	}
}

func pagePath(page string) string {
	if slices.Contains([]string{"README.md", "SECURITY.md", "CHANGELOG.md"}, page) {
		return "../../" + page
	}
	return "../../docs/" + page
}

func testTree() *cobra.Command {
	a := &Env{getenv: func(string) string { return "" }}
	return commandTree(a)
}

// commandWords returns the words of a command before its arguments and flags.
func commandWords(words []string) []string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "[(…|") {
			return words[:i]
		}
	}
	return words
}

func hasFlag(c *cobra.Command, name string) bool {
	own, shared := flagsOf(c)
	for _, f := range append(own, shared...) {
		if f.Name == name {
			return true
		}
	}
	return false
}
