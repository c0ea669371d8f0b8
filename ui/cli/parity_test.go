package cli

import (
	"strings"
	"testing"

	"vise/ui/action"
)

// The commands that the table of actions names for the command line exist.
func TestEveryActionsVerbExists(t *testing.T) {
	a := &Env{getenv: func(string) string { return "" }}
	for _, x := range action.Standard() {
		if x.Verb == "" {
			continue
		}
		c, _, err := commandTree(a).Find(strings.Fields(x.Verb))
		if err != nil || c.Name() != lastWord(x.Verb) {
			t.Errorf("%s: there is no vise %s (found %q, %v)", x.ID, x.Verb, c.Name(), err)
			continue
		}
		for _, w := range strings.Fields(x.Verb) {
			if name, ok := strings.CutPrefix(w, "--"); ok && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%s: vise %s has no flag %s", x.ID, c.CommandPath(), w)
			}
		}
	}
}

// lastWord returns the last word of a verb before its flags.
func lastWord(verb string) string {
	last := ""
	for _, w := range strings.Fields(verb) {
		if strings.HasPrefix(w, "-") {
			break
		}
		last = w
	}
	return last
}

// A script can make every change of the ledger that the console can make, except undo, whose list is only in the
// console's memory.
func TestEveryActThatWritesHasAVerb(t *testing.T) {
	for _, x := range action.Standard() {
		if x.Writes && x.Verb == "" && x.ID != action.Undo && x.ID != action.Redo {
			t.Errorf("%s writes and has no verb", x.ID)
		}
	}
}
