package cli

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/ui/text"
)

func testApp() *Env { return &Env{getenv: os.Getenv} }

// Every verb of the program has a short help.
func TestEveryVerbHasHelp(t *testing.T) {
	for _, c := range commandTree(testApp()).Commands() {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: help is %q", c.Name(), c.Short)
		}
	}
}

// The help of each command has an example that the command accepts.
func TestEveryCommandHasAnExampleThatItTakes(t *testing.T) {
	tree := commandTree(testApp())
	eachCommand(tree, func(c *cobra.Command) {
		if c.Hidden || !c.Runnable() || strings.HasSuffix(c.Use, " COMMAND") || c.Name() == "help" {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			if _, after, ok := strings.Cut(line, "vise "); ok {
				taken(t, tree, c, after)
			}
		}
	})
}

// taken tries the arguments of an example on its command.
func taken(t *testing.T, tree, c *cobra.Command, line string) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(line, ")"), ")'"), " | ")
	line, _, _ = strings.Cut(line, " && ")
	line, _, _ = strings.Cut(line, " <")
	line, _, _ = strings.Cut(line, " > ")
	words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
	found, args, err := tree.Find(words)
	if err != nil || found != c && c.HasParent() {
		t.Errorf("%s: %q is of %s, %v", c.CommandPath(), line, found.CommandPath(), err)
		return
	}
	if err := found.ParseFlags(args); err != nil {
		t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
	}
	if err := found.ValidateArgs(found.Flags().Args()); err != nil {
		t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
	}
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, x := range c.Commands() {
		eachCommand(x, visit)
	}
}

// No line of help or of the manual is wider than the given width, however narrow the terminal is.
func TestHelpIsWithinItsColumns(t *testing.T) {
	for _, width := range []int{leastHelp, helpColumns, mostHelp, mostColumns} {
		eachCommand(commandTree(testApp()), func(c *cobra.Command) {
			for line := range strings.SplitSeq(helpText(c, width), "\n") {
				if text.Width(line) > width && !strings.HasPrefix(line, "  vise ") && !strings.HasPrefix(line, "  set ") {
					t.Errorf("%s at %d columns: %q", c.CommandPath(), width, line)
				}
			}
		})
	}
}

// Without a terminal, COLUMNS sets the width of help.
func TestHelpFollowsCOLUMNSWithoutATerminal(t *testing.T) {
	for columns, want := range map[string]int{
		"": helpColumns, "wide": helpColumns, "-1": helpColumns, "20": leastHelp, "132": 132, "1000": mostColumns,
	} {
		a := &Env{getenv: func(string) string { return columns }, now: time.Now}
		if got := helpWidth(a); got != want {
			t.Errorf("COLUMNS=%s: help is %d columns wide, want %d", columns, got, want)
		}
	}
}

// A flag or an argument is completed by its possible values: by names of files only if it is a file.
func TestWordsThatAreCompletedAreTaken(t *testing.T) {
	tree := commandTree(testApp())
	known := map[string]bool{}
	eachCommand(tree, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	})
	names := slices.Concat(slices.Collect(maps.Keys(flagWords)), slices.Collect(maps.Keys(flagKinds)))
	for _, name := range names {
		if _, flag, ok := strings.Cut(name, " "); ok {
			name = flag
		}
		if !known[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}

// A verb that is made alone is the same as in the whole tree.
func TestAVerbIsMadeAlone(t *testing.T) {
	a := testApp()
	for _, v := range verbs() {
		whole, _, err := commandTree(a).Find([]string{v.name()})
		if err != nil || whole.Name() != v.name() {
			t.Fatalf("%s: %v %v", v.name(), whole, err)
		}
		made := treeFor(a, []string{"--home", "list", "--json", v.name()}).Commands()
		if len(made) != 1 || made[0].Use != whole.Use || made[0].Short != whole.Short {
			t.Errorf("%s: made are %v", v.name(), made)
		}
	}
	a.args = []string{"version"}
	a.rename()
	if made := treeFor(a, a.args).Commands(); len(made) != 1 || made[0].Name() != "admin" {
		t.Errorf("for a former name that is below admin are made %v", made)
	}
	if n := len(treeFor(a, []string{"help", "next"}).Commands()); n != len(verbs()) {
		t.Errorf("for help %d are made", n)
	}
}

func TestDeliveriesAreCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 deliveries", 1: "1 delivery", 2: "2 deliveries"} {
		if got := model.Counted(n, "delivery"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
