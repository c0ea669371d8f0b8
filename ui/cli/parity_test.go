package cli

import (
	"strings"
	"testing"

	"vise/ui/action"
)

// What the table says is done on the command line can be done there.
func TestEveryActionsVerbExists(t *testing.T) {
	a := &app{getenv: func(string) string { return "" }}
	for _, x := range action.Standard() {
		if x.Verb == "" {
			continue
		}
		c, _, err := a.tree().Find(strings.Fields(x.Verb))
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

// lastWord is the last word of a verb before its flags.
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

// Whatever changes the ledger from the console can be done by a script; what undo takes
// back is in the console's memory alone.
func TestEveryActThatWritesHasAVerb(t *testing.T) {
	for _, x := range action.Standard() {
		if x.Writes && x.Verb == "" && x.ID != action.Undo && x.ID != action.Redo {
			t.Errorf("%s writes and has no verb", x.ID)
		}
	}
}
