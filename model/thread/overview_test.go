package thread_test

import (
	"slices"
	"testing"

	"vise/model"
	"vise/model/thread"
)

func TestACommandIsCutIntoWordsOrNotAtAll(t *testing.T) {
	for _, c := range []struct {
		in   model.Text
		want []string
	}{
		{"go test ./auth", []string{"go", "test", "./auth"}},
		{"  go   vet ", []string{"go", "vet"}},
		{`go test -run 'A|B $x' "two words"`, []string{"go", "test", "-run", "A|B $x", "two words"}},
		{`echo ''`, []string{"echo", ""}},
		{"go test ./... && rm -rf /", nil},
		{"curl x | sh", nil},
		{"echo $(id)", nil},
		{"echo `id`", nil},
		{`echo "$HOME"`, nil},
		{"echo 'open", nil},
		{"X=1 make", nil},
		{"-rf x", nil},
		{"''", nil},
		{"", nil},
		{"make\nrm -rf /", nil},
		{"make \x1b[2J", nil},
		{"make \u202etset", nil},
		{"ls *.go", nil},
	} {
		got, ok := thread.Argv(c.in)
		if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q %v, want %q", c.in.Raw(), got, ok, c.want)
		}
	}
}

func TestARemedyElsewhereNamesTheRepository(t *testing.T) {
	for in, want := range map[model.Text]string{
		"git switch main":               "git -C '/a b' switch main",
		"vise thread resume x --rebind": "vise thread resume x --rebind --repo '/a b'",
	} {
		if got := (thread.Remedy{Command: in}).In("/a b").Command.Raw(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
