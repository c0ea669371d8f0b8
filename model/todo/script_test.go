package todo

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"vise/model"
)

const tableScript = "testdata/transitions.txt"

// The whole table is one script. Its questions are generated from the table, so a new row needs new answers: every pair
// of the seven statuses, and for every allowed pair every needed field left out.
func TestTheTransitionTable(t *testing.T) {
	questions := tableQuestions()
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(tableScript, []byte(strings.Join(questions, "\n----\n\n")+"\n----\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	datadriven.RunTest(t, tableScript, func(t *testing.T, d *datadriven.TestData) string {
		line := d.Cmd
		for _, arg := range d.CmdArgs {
			line += " " + arg.String()
		}
		if asked >= len(questions) || !strings.HasSuffix(questions[asked], line) {
			t.Fatalf("%s: the script asks what the table does not: run with -rewrite and read the diff", d.Pos)
		}
		asked++
		var from, to, without string
		d.ScanArgs(t, "from", &from)
		d.ScanArgs(t, "to", &to)
		if d.HasArg("without") {
			d.ScanArgs(t, "without", &without)
		}
		before := lacking(standing(Status(from)), without)
		return answer(Judge(before, fullMove(Status(from), Status(to), without), company()))
	})
	if asked != len(questions) {
		t.Fatalf("the script answers %d of %d questions: run with -rewrite and read the diff", asked, len(questions))
	}
}

func tableQuestions() []string {
	var out []string
	for _, from := range Statuses() {
		for _, to := range Statuses() {
			out = append(out, fmt.Sprintf("move from=%s to=%s", from, to))
			for _, row := range table {
				if row.From != from || row.To != to {
					continue
				}
				for _, field := range row.Needs {
					out = append(out, fmt.Sprintf("move from=%s to=%s without=%s", from, to, field))
				}
			}
		}
	}
	out[0] = "# Generated from the table: every pair of statuses, and every allowed pair with each\n# needed field left out. Lines with a key are the only ones that a file would change.\n\n" + out[0]
	return out
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// standing is a todo that keeps the contract of its status.
func standing(s Status) Todo {
	t := Todo{Source: "review", IssueID: "001", Schema: 2, Status: s, Priority: P1, Created: "2026-02-25", Updated: "2026-02-25"}
	if s == InProgress || s == Blocked || s == Interrupted {
		t.AssignedTo, t.ClaimedAt = "smith-1", "2026-03-01T09:00:00Z"
	}
	switch s {
	case InProgress:
		t.Lease = Lease{ID: "first", Until: "2026-03-01T10:00:00Z"}
	case Blocked:
		t.Dependencies = []Ref{"review/003"}
	case Interrupted:
		t.Reason = SessionEnded
	case Complete:
		t.Outcome = Outcome{Fixed, "done", "smith-1", "2026-03-01T09:00:00Z", "smith-1", "2026-03-01T09:00:00Z", ""}
	case WontFix:
		t.Outcome = Outcome{Resolution: FalsePositive, Reason: "constant", ResolvedBy: "user", ResolvedAt: "2026-03-01T09:00:00Z"}
	}
	return t
}

// lacking is t in an invalid form: without a claim that a move would keep.
func lacking(t Todo, without string) Todo {
	switch {
	case t.Status == Blocked && without == "assigned_to":
		t.AssignedTo = ""
	case t.Status == Blocked && without == "claimed_at":
		t.ClaimedAt = ""
	}
	return t
}

// company is two more todos: one open, one complete.
func company() *Index {
	open, done := standing(Pending), standing(Complete)
	open.IssueID, done.IssueID = "002", "003"
	return NewIndex([]Todo{standing(Pending), open, done})
}

// fullMove has every fact that a move can need, except the one that a field gives.
func fullMove(from, to Status, without string) Move {
	m := Move{To: to, Actor: Actor{Name: "smith-1"}, At: noon, Reason: "because",
		Owner: "smith-1", Lease: Lease{ID: "second", PID: 7, Host: "box", Until: "2026-03-02T13:00:00Z"}}
	switch to {
	case Complete:
		m.Resolution = Fixed
	case WontFix:
		m.Resolution = FalsePositive
	case Blocked:
		m.Dependencies = []Ref{"review/002"}
	}
	switch without {
	case "assigned_to":
		m.Owner = ""
	case "claimed_at", "resolved_at", "completed_at":
		m.At = time.Time{}
	case "resolution":
		m.Resolution = ""
	case "resolution_reason":
		m.Reason = ""
	case "resolved_by", "completed_by":
		m.Actor.Name, m.Actor.Operator = "", true
	case "dependencies":
		m.Dependencies = nil
	}
	return m
}

func answer(c Change, err error) string {
	if r := model.AsError(err); r != nil {
		s := fmt.Sprintf("refused: %s %s\n%s\n", r.Rule, r.Field, strings.TrimSuffix(r.Message, " ("+r.Rule+")"))
		if r.Hint != "" {
			s += r.Hint + "\n"
		}
		return s
	}
	if err != nil {
		return "error: " + err.Error()
	}
	s := "allowed\n"
	for _, set := range Diff(c.Before, c.After) {
		s += fmt.Sprintf("%s: %s\n", set.Key, shown(set.Value))
	}
	for _, row := range c.Rows {
		s += row.Line() + "\n"
	}
	return s
}

func shown(v Value) string {
	switch v.Kind {
	case Absent:
		return "(no such line)"
	case Null:
		return "null"
	case Quoted:
		return fmt.Sprintf("%q", v.Text)
	case Sequence:
		return fmt.Sprintf("%q", v.List)
	case Mapping:
		return strings.Join(v.Pairs, " ")
	}
	return v.Text
}
