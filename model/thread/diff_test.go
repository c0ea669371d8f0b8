package thread_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"vise/model/thread"
)

// TestDiffs reads patches; differences are in brackets.
func TestDiffs(t *testing.T) {
	datadriven.Walk(t, "testdata/diff", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "added" {
				return hunks(thread.AddedHunks([]byte(d.Input)))
			}
			return hunks(thread.ParseHunks([]byte(strings.ReplaceAll(d.Input, "␣", " "))))
		})
	})
}

func hunks(x thread.Hunks) string {
	var b strings.Builder
	for _, h := range x.List {
		fmt.Fprintf(&b, "hunk %d %d %q\n", h.Old, h.New, h.Heading.Raw())
		for _, l := range h.Lines {
			s := l.Text.Raw()
			if l.To > 0 {
				s = s[:l.From] + "[" + s[l.From:l.To] + "]" + s[l.To:]
			}
			fmt.Fprintf(&b, "%3d %3d %c %q\n", l.Old, l.New, l.Sign, s)
		}
	}
	if x.Cut {
		b.WriteString("cut\n")
	}
	return b.String()
}

// For any input reading ends, line numbers increase, and marks are within their lines.
func TestAnyPatchIsRead(t *testing.T) {
	line := rapid.OneOf(rapid.StringMatching(`@@ -\d{1,3}(,\d{1,2})? \+\d{1,3}(,\d{1,2})? @@ ?[a-zé ]{0,8}`), rapid.StringMatching(`[-+ \\][a-zé (),]{0,20}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		for _, h := range thread.ParseHunks([]byte(strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n"))).List {
			old, next := 0, 0
			for _, l := range h.Lines {
				if l.Old != 0 && l.Old < old || l.New != 0 && l.New < next {
					t.Fatalf("%+v after %d and %d", l, old, next)
				}
				old, next = max(old, l.Old), max(next, l.New)
				if l.From < 0 || l.From > l.To || l.To > len(l.Text) {
					t.Fatalf("%+v", l)
				}
			}
		}
	})
}
