package acp

import (
	"strings"
	"testing"
	"time"

	"vise/model"
)

// TestTheLogsOfASessionAreReadInOrder: those that were set aside first, at most the end of them all; and what is set aside while it is
// followed is read to its end.
func TestTheLogsOfASessionAreReadInOrder(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1_800_000_000, 0)
	path := LogPath(dir, "ann", "s1")
	turn := func(words ...string) {
		t.Helper()
		l, _, err := OpenLog(dir, "ann", "s1", func() time.Time { now = now.Add(time.Second); return now })
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			l.Add(Entry{Prompt: model.Text(w)})
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	read := func(from, most int64) (out string, next int64) {
		t.Helper()
		all, next, err := ReadEnd(path, from, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			out += string(e.Prompt[:min(len(e.Prompt), 1)]) // raw: compared
			if e.Ended != "" {
				out += "…"
			}
		}
		return out, next
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	long := func(w string) string { return strings.Repeat(w, maxLog/2) }
	turn(long("a"), long("b"))
	first, _ := read(0, 1<<40)
	turn("c", long("d"), long("e")) // the first log is set aside
	turn("f", "g")                  // and this one
	all, _ := read(0, 1<<40)
	check("all", first+" "+all, "ab abcdefg")
	got, end := read(0, maxLog*3/4)
	check("the end of two", got, "…efg")
	got, _ = read(0, 300)
	check("a whole log", got, "…fg")
	got, _ = read(end, 1)
	check("nothing new", got, "")

	turn(long("h"), long("i"))
	got, next := read(end, 1)
	check("what came", got, "hi")
	turn("j") // set aside
	got, _ = read(next, 1)
	check("what came after it was set aside", got, "j")
}
