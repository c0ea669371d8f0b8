package todos

import (
	"strings"
	"testing"

	"vise/model/todo"

	"pgregory.net/rapid"
)

// odd has what people and programs do to front matter: comments, another order, unknown keys, block lists, quotes of
// both kinds, blank lines.
const odd = `---
# triaged on Monday
priority: "p1"   # urgent
my_own_key: {a: [1, 2], b: "x"}
status: 'ready' # keep me

dependencies:
    - review/002   # the first
    - "review/003"
issue_id: 001
source: review
assigned_to: ~ # nobody yet
notes: |
  status: not this one
  # nor a comment
# before updated
updated: 2026-02-25
---
# Title

text with trailing spaces   

## Status History

| Timestamp | From | To | Actor | Reason |
|-----------|------|----|-------|--------|
| 2026-02-25T12:00:00Z | — | ready | user | x |

after the table
`

func parsed(t testing.TB, raw string) todo.Todo {
	t.Helper()
	got, err := Parse([]byte(raw), "review", "001-ready-p1-x.md")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func company(more ...todo.Todo) *todo.Index {
	done := func(id string) todo.Todo { return todo.Todo{Source: "review", IssueID: id, Status: todo.Complete} }
	return todo.NewIndex(append(more, done("002"), done("003"), todo.Todo{Source: "review", IssueID: "004", Status: todo.Ready}))
}

func moved(t testing.TB, raw string, m todo.Move) string {
	t.Helper()
	before := parsed(t, raw)
	c, err := todo.Judge(before, m, company(before))
	if err != nil {
		t.Fatal(err)
	}
	out, err := edit([]byte(raw), todo.Diff(c.Before, c.After), c.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAChangeTouchesOnlyItsLines(t *testing.T) {
	claim := agent("smith-1")
	claim.To = todo.InProgress
	got := moved(t, odd, claim)
	want := strings.NewReplacer(
		"status: 'ready' # keep me", "status: in_progress # keep me",
		"assigned_to: ~ # nobody yet\n", "assigned_to: \"smith-1\" # nobody yet\n",
		"updated: 2026-02-25\n", "updated: \"2026-03-02\"\nclaimed_at: \"2026-03-02T12:00:00Z\"\n"+
			"lease: {id: \"smith-1-lease\", until: \"2026-03-02T13:00:00Z\"}\n",
		"| user | x |\n", "| user | x |\n| 2026-03-02T12:00:00Z | ready | in_progress | smith-1 | because |\n",
	).Replace(odd)
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	block := agent("smith-1")
	block.To, block.Dependencies = todo.Blocked, []todo.Ref{"review/004"}
	got = moved(t, got, block)
	if want := "    - review/002   # the first\n    - \"review/003\"\n    - \"review/004\"\n"; !strings.Contains(got, want) {
		t.Fatalf("the list did not grow in its own style:\n%s", got)
	}
}

func TestLineBreaksAndByteOrderMarkStay(t *testing.T) {
	raw := bom + strings.ReplaceAll(odd, "\n", "\r\n")
	claim := agent("smith-1")
	claim.To = todo.InProgress
	got := moved(t, raw, claim)
	if !strings.HasPrefix(got, bom) || strings.Count(got, "\n") != strings.Count(got, "\r\n") {
		t.Fatalf("got %q", got)
	}
	if unbroken := strings.TrimPrefix(strings.ReplaceAll(got, "\r\n", "\n"), bom); unbroken != moved(t, odd, claim) {
		t.Fatalf("got\n%s", unbroken)
	}
}

func TestAFileThatEndsAtItsFenceGetsItsHistory(t *testing.T) {
	m := operator()
	m.To, m.Reason = todo.Ready, "Triage approved"
	got := moved(t, "---\nstatus: pending\npriority: p1\n---", m)
	want := "---\nstatus: ready\npriority: p1\nupdated: \"2026-03-02\"\n---\n\n" + strings.Join(historyTable, "\n") +
		"\n| 2026-03-02T12:00:00Z | pending | ready | user | Triage approved |\n"
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALayoutThatLinesCannotChangeIsRefused(t *testing.T) {
	m := operator()
	m.To = todo.Ready
	for _, raw := range []string{
		"---\n{status: pending, priority: p1}\n---\n",
		"---\n? status\n: pending\n---\n",
		"---\n{\nstatus: pending,\npriority: p1 }\n---\n",
	} {
		before := parsed(t, raw)
		c, err := todo.Judge(before, m, company(before))
		if err != nil {
			t.Fatal(err)
		}
		out, err := edit([]byte(raw), todo.Diff(c.Before, c.After), c.Rows, nil)
		if err == nil {
			after := parsed(t, string(out))
			if after.Status != todo.Ready {
				t.Errorf("%q became %q", raw, out)
			}
			continue
		}
		if d, ok := err.(*Damage); !ok || d.Rule != todo.RuleLayout {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestTheWorkLogGrowsBeforeTheHistory(t *testing.T) {
	raw := "---\nstatus: ready\n---\n# T\n\n## Work Log\n\n### 2026-02-25 - Start\n\n**By**: a\n\n```\n## Status History\n```\n\n## Status History\n\n| Timestamp | From | To | Actor | Reason |\n|---|---|---|---|---|\n"
	n := todo.Note{At: noon, Phase: "Fix\n## Status History", By: "smith-1", Actions: nil}
	out, err := edit([]byte(raw), nil, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(raw,
		"```\n\n## Status History\n", "```\n\n### 2026-03-02 - Fix ## Status History\n\n**By**: smith-1\n\n## Status History\n", 1)
	if string(out) != want {
		t.Fatalf("got\n%s\nwant\n%s", out, want)
	}
}

func TestHistoryIsNeverLostWhateverTheBody(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"# T\n", "## Work Log\n", "## Status History\n", "| a | pending | ready | x | y |\n", "```\n", "~~~~\n", "text\n",
			"\n", "| Timestamp | From | To | Actor | Reason |\n", "### 2026-01-01 - x\n", "---\n", "no end", "\r\n",
		})
		body := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(rt, "body"), "")
		raw := "---\nstatus: pending\n---\n" + body
		before := parsed(t, raw)
		row := todo.Row{At: "2026-03-02T12:00:00Z", From: todo.Pending, To: todo.Ready, Actor: "user", Reason: "r"}
		out, err := edit([]byte(raw), nil, []todo.Row{row}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		after := parsed(t, string(out)).History
		if len(after) != len(before.History)+1 || after[len(after)-1] != row {
			rt.Fatalf("%q\nbecame\n%q\nhistory %+v", raw, out, after)
		}
	})
}

// A line break that only YAML knows shifts its numbers of lines: such a file is read, and refused for changes.
func TestOtherLineBreaksAreNotEdited(t *testing.T) {
	for _, mark := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		raw := "---\nwork_session: \"a" + mark + " b\"\nstatus: pending\ntitle: x\n---\n"
		parsed(t, raw)
		out, err := edit([]byte(raw), []todo.Set{{Key: "status", Value: todo.Value{Kind: todo.Plain, Text: "ready"}}}, nil, nil)
		if err == nil {
			t.Errorf("with %q it became %q", mark, out)
		}
	}
}

// FuzzFrontMatter checks the promise for any bytes: without a change everything that was read is kept byte for byte,
// and an allowed change keeps every other key and the whole body.
func FuzzFrontMatter(f *testing.F) {
	f.Add([]byte(odd))
	f.Add([]byte(bom + strings.ReplaceAll(odd, "\n", "\r\n")))
	f.Add([]byte("---\nstatus: pending\n---"))
	f.Add([]byte("---\nstatus: !!str pending\na: &x 1\nb: *x\n---\n"))
	f.Add([]byte("---\n{status: pending, tags: [a,\n b]}\n---\n# T\n```\n"))
	f.Add([]byte("---\n\"status\" : pending\u0085x: 1\n---\n"))
	f.Add([]byte("---\nstatus: pending\rx: 1\n---\n"))
	f.Add([]byte("---\ntitle: a\u2028 b\nstatus: pending\n---\n"))
	f.Add([]byte("---\nstatus: pending\n...\n---\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before, err := Parse(raw, "review", "001-pending-p1-x.md")
		if err != nil {
			return
		}
		same, err := edit(raw, nil, nil, nil)
		if err != nil || string(same) != string(raw) {
			t.Fatalf("not identical though nothing changed: %v", err)
		}
		m := agent("smith-1")
		m.To, m.Approve, m.Actor.Operator, m.Force = todo.InProgress, true, true, true
		c, err := todo.Judge(before, m, todo.NewIndex([]todo.Todo{before}))
		if err != nil {
			return
		}
		out, err := edit(raw, todo.Diff(c.Before, c.After), c.Rows, nil)
		if err != nil {
			return
		}
		after, err := Parse(out, "review", "001-pending-p1-x.md")
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%q", err, out)
		}
		if d := todo.Diff(c.After, after); len(d) > 0 {
			t.Fatalf("wrote %+v otherwise than asked\n%q", d, out)
		}
		if len(after.History) != len(c.After.History) {
			t.Fatalf("history %+v, want %+v\n%q", after.History, c.After.History, out)
		}
	})
}
