package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vise/ui/action"
	"vise/ui/cli"
	"vise/ui/workbench"
)

// The tests of this package run the program as it is installed: what they ask of vise, the
// front carries out or hands over.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"vise":           func() { os.Exit(cli.Main(cli.Parts{Elsewhere: cli.Whole})) },
		"vise-workbench": func() { os.Exit(workbench.Main(nil)) },
	})
}

// run runs one of the two programs, and returns all that it said.
func run(t *testing.T, name string, env []string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = name
	c.Env = append(append(os.Environ(), "VISE_HOME="+t.TempDir(), "VISE_ACTOR=operator", "TERM=dumb"), env...)
	out, _ := c.CombinedOutput() // what it said tells
	return string(out)
}

// Every verb of the program is worth a word where people look first.
func TestEveryVerbHasHelp(t *testing.T) {
	for _, c := range cli.Tree(workbench.Parts(nil)).Commands() {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: help is %q", c.Name(), c.Short)
		}
	}
}

func TestEveryVerbsJSONIsDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cli.Tree(workbench.Parts(nil)).Commands() {
		if c.GroupID != "" && !strings.Contains(string(raw), "`"+c.Name()+"`") {
			t.Errorf("docs/json.md does not tell of %s", c.Name())
		}
	}
}

func TestTheFrontKnowsEveryVerbOfTheWhole(t *testing.T) {
	var verbs []string
	for _, c := range cli.Tree(workbench.Parts(nil)).Commands() {
		verbs = append(verbs, c.Name())
	}
	for _, a := range action.Table {
		if a.Verb != "" {
			verbs = append(verbs, a.Verb)
		}
	}
	if len(verbs) < 40 {
		t.Fatalf("only %d verbs", len(verbs))
	}
	for _, verb := range append(verbs, "", "help", "help next") {
		both := [2]string{}
		for i, name := range []string{"vise", "vise-workbench"} {
			both[i] = run(t, name, nil, append(strings.Fields(verb), "--no-such-flag")...)
		}
		if both[0] == "" || both[0] != both[1] || strings.Contains(both[0], "unknown verb") {
			t.Errorf("vise %s: the front says %q, the whole %q", verb, both[0], both[1])
		}
	}
}

// A verb that is made alone is the one of the whole tree.
func TestTheFrontMakesAHotVerbAlone(t *testing.T) {
	for _, name := range cli.Hot() {
		tree := cli.HotTree("--home", "list", "--json", name)
		made := tree.Commands()
		if len(made) != 1 || made[0].Name() != name {
			t.Fatalf("%s: made are %v", name, made)
		}
		whole, _, err := cli.Tree(workbench.Parts(nil)).Find([]string{name})
		if err != nil || whole.Short != made[0].Short || whole.Use != made[0].Use {
			t.Errorf("%s: %v, the whole has %q, made is %q", name, err, whole.Use, made[0].Use)
		}
	}
	if n := len(cli.HotTree("--home", "next", "thread").Commands()); n < 30 {
		t.Errorf("for another verb %d are made", n)
	}
}

func TestAFrontOfAnotherBuildIsRefused(t *testing.T) {
	got := run(t, "vise-workbench", []string{"VISE_FRONT_BUILD=v0.0.1 go1.0"}, "status")
	if !strings.Contains(got, "vise is built from v0.0.1 go1.0") || !strings.Contains(got, "go install") {
		t.Errorf("got %q", got)
	}
}

func TestAFrontWithoutTheWholeSaysWhatIsMissing(t *testing.T) {
	got := run(t, "vise", []string{"PATH=/nowhere"}, "demo")
	if !strings.Contains(got, "vise-workbench, which is not there") || !strings.Contains(got, "go install") {
		t.Errorf("got %q", got)
	}
}
