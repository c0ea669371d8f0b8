package cli

import (
	"os"
	"strings"
	"testing"
)

func testApp() *app { return &app{getenv: os.Getenv} }

// Every verb of the program is worth a word where people look first.
func TestEveryVerbHasHelp(t *testing.T) {
	for _, c := range testApp().tree().Commands() {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: help is %q", c.Name(), c.Short)
		}
	}
}

// A verb that is made alone is the one of the whole tree.
func TestAVerbIsMadeAlone(t *testing.T) {
	a := testApp()
	for _, v := range verbs() {
		whole, _, err := a.tree().Find([]string{v.name})
		if err != nil || whole.Name() != v.name {
			t.Fatalf("%s: %v %v", v.name, whole, err)
		}
		made := a.treeFor([]string{"--home", "list", "--json", v.name}).Commands()
		if needsTree(v.name) {
			if len(made) != len(verbs()) {
				t.Errorf("%s knows %d verbs", v.name, len(made))
			}
			continue
		}
		if len(made) != 1 || made[0].Use != whole.Use || made[0].Short != whole.Short {
			t.Errorf("%s: made are %v", v.name, made)
		}
	}
	if n := len(a.treeFor([]string{"help", "next"}).Commands()); n != len(verbs()) {
		t.Errorf("for help %d are made", n)
	}
}
