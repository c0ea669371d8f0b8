package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	file "vise/model/todo"
)

// triageTen is how many findings are shown to a person at a time.
const triageTen = 10

func (v *todoVerbs) triage() verb {
	var f closings
	var m file.Move
	var approve, deferred, undo, allP3 bool
	return verb{
		use: "triage [ID]…", short: "Decide on pending todos; without an id: the next ten of all sessions",
		example: "vise todo triage",
		flags: slices.Concat(flags{
			{"approve", &approve, "it is to be worked on"},
			{"defer", &deferred, "not now: it stays pending"},
			{"undo", &undo, "only you, no agent: take the decision back, an approval as well as a rejection"},
			{"all-p3", &allP3, "decide on every pending p3 at once"},
			{"priority", &m.Priority, "give it another priority: p1, p2, p3"},
			{"reason", &m.Reason, "why; needed to reject"},
		}, f.flags()),
		excludes: "approve defer undo priority " + closingFlags,
		run: func(e *Env) (answer, error) {
			args := e.words
			var judge file.Judgement
			var err error
			switch {
			case f.closes(&m):
				judge = file.Judge
			case approve:
				m.To, m.Reason, judge = file.Ready, cmp.Or(m.Reason, "Triage approved"), file.Judge
			case deferred:
				judge = file.Defer
			case undo:
				judge = file.TakeBack
			case m.Priority != "":
				_, err = file.ParsePriority(string(m.Priority))
				judge = file.Reprioritise
			case len(args) > 0:
				err = todoMisuse("triage needs a decision on %s", strings.Join(args, ", "))
			default:
				return v.inbox()
			}
			if err == nil && allP3 {
				args, err = v.pendingP3(args)
			} else if err == nil && len(args) == 0 {
				err = todoMisuse("triage needs the ids that the decision is about")
			}
			if err != nil {
				return nil, err
			}
			return v.each(args, "no p3 is pending", m, judge)
		},
	}
}

// pendingP3 returns the pending p3 todos of the selected sessions. They can be decided together, unlike p1 and p2.
func (v *todoVerbs) pendingP3(args []string) (ids []string, err error) {
	if len(args) > 0 {
		return nil, todoMisuse("--all-p3 takes no ids")
	}
	p3 := file.Filter{Status: []file.Status{file.Pending}, Priority: []file.Priority{file.P3}}
	return ids, v.eachSession(func(at *todoSession) error {
		snap, err := at.Load(false)
		for _, t := range p3.Select(snap.Todos) {
			ids = append(ids, string(t.Full()))
		}
		return err
	})
}

// found is a pending finding as triage shows it: with its place, and the current code there.
type found struct {
	row
	Place string     `json:"place,omitempty"`
	Code  model.Text `json:"code,omitempty"`
}

// inbox answers with the next ten pending todos, p1 first, and their total number.
func (v *todoVerbs) inbox() (answer, error) {
	at, err := v.look(false, nil)
	if err != nil {
		return nil, err
	}
	defer at.close()
	at.filter.Status = []file.Status{file.Pending}
	pending := at.todos()
	rows, lines := []found{}, []string{}
	for _, t := range pending[:min(triageTen, len(pending))] {
		s := at.of(t)
		x := found{row: s.row(*t, s.snap.Index).brief()}
		x.Place, x.Code = s.codeAt(*t)
		x.Dismissed = at.dismissed(*t)
		rows, lines = append(rows, x), append(lines, x.line())
		if x.Place != "" {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%18s%s  %s", "", safe(x.Place), x.Code), " "))
		}
	}
	lines = append(lines, fmt.Sprintf("%d of %d pending", len(rows), len(pending)))
	data := map[string]any{"session": at.rel(), "todos": rows, "pending": len(pending)}
	return &reply{data: data, lines: lines, warnings: at.warnings()}, nil
}

// codeAt returns the place that a finding names in the current code, and the line there.
func (at *todoSession) codeAt(t file.Todo) (place string, line model.Text) {
	body, err := at.Body(t)
	x := file.PartsOf(t, body)
	if err != nil || x.File == "" {
		return "", ""
	}
	code, err := at.Code(x.File.Raw()) // raw: a path to open, not shown
	if err != nil {
		return x.File.String(), "(not there)"
	}
	e := file.ExcerptOf(x, code)
	n := cmp.Or(e.Place.Line, x.Line)
	if i := n - e.First; n > 0 && i >= 0 && i < len(e.Lines) {
		return fmt.Sprintf("%s:%d", x.File, n), model.Text(strings.TrimSpace(e.Lines[i].Raw())) // raw: a Text again
	}
	return x.File.String(), ""
}
