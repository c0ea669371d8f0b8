package action

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md anew")

func TestThePageOfKeysIsTheTable(t *testing.T) {
	const path = "../../docs/keys.md"
	want := Page()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is not what the table says: go test ./ui/action -update")
	}
}

// The hint line has room for what is done most, and each of its words is short.
func TestAHintIsAWordOfAnActionWithAKey(t *testing.T) {
	for _, a := range Standard() {
		if a.Hint != "" && (len(a.Keys) == 0 || len(a.Hint) > 12 || a.In != Desk) {
			t.Errorf("%s has the hint %q", a.ID, a.Hint)
		}
	}
}
