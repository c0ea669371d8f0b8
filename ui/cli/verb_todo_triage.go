package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// triageTen is how many findings are shown to a person at a time.
const triageTen = 10

// triageFlags are the decisions of triage.
type triageFlags struct {
	closeFlags
	approve, deferred, allP3 bool
	undo                     bool
	priority, reason         string
}

func (v *todoVerbs) triage() *cobra.Command {
	var f triageFlags
	c := v.bare("triage [ID]…", "Decide on pending todos; without an id: the next ten of all sessions",
		func(_ context.Context, args []string) (answer, error) {
			decide, err := f.decision()
			switch {
			case err != nil:
				return answer{}, err
			case decide == nil && len(args) > 0:
				return answer{}, todoMisuse("triage needs a decision on %s", strings.Join(args, ", "))
			case decide == nil:
				return v.inbox()
			case f.allP3:
				if args, err = v.pendingP3(args); err != nil {
					return answer{}, err
				}
			case len(args) == 0:
				return answer{}, todoMisuse("triage needs the ids that the decision is about")
			}
			return v.each(args, "no p3 is pending", decide)
		})
	flags := c.Flags()
	flags.BoolVar(&f.approve, "approve", false, "it is to be worked on")
	flags.BoolVar(&f.deferred, "defer", false, "not now: it stays pending")
	flags.BoolVar(&f.undo, "undo", false, "as the operator: take the decision back, an approval as well as a rejection")
	flags.BoolVar(&f.allP3, "all-p3", false, "decide on every pending p3 at once")
	flags.StringVar(&f.priority, "priority", "", "give it another priority: p1, p2, p3")
	flags.StringVar(&f.reason, "reason", "", "why; needed to reject")
	f.add(c, "approve", "defer", "undo", "priority")
	return c
}

// decision returns the function that decides on each todo. It is nil if no decision was given.
func (f triageFlags) decision() (func(at *todoSession, id string) (file.Todo, error), error) {
	switch {
	case f.resolution() != file.Unresolved:
		return func(at *todoSession, id string) (file.Todo, error) { return at.Move(id, f.move(at, f.reason)) }, nil
	case f.approve:
		reason := cmp.Or(f.reason, "Triage approved")
		return func(at *todoSession, id string) (file.Todo, error) { return at.Move(id, at.move(file.Ready, reason)) }, nil
	case f.deferred:
		return func(at *todoSession, id string) (file.Todo, error) {
			t, err := at.find(id)
			if err == nil {
				err = file.Defer(t)
			}
			return t, err
		}, nil
	case f.undo:
		return func(at *todoSession, id string) (file.Todo, error) { return at.takeBack(id, f.reason) }, nil
	case f.priority != "":
		p, err := file.ParsePriority(f.priority)
		return func(at *todoSession, id string) (file.Todo, error) {
			return at.Reprioritise(id, p, at.move("", f.reason))
		}, err
	}
	return nil, nil
}

// takeBack undoes a decision: an approved todo is pending again, and a closed todo has its earlier status again.
func (at *todoSession) takeBack(id, reason string) (file.Todo, error) {
	t, err := at.find(id)
	if err != nil {
		return t, err
	}
	if t.Status == file.Ready {
		return at.Unapprove(id, at.move("", reason))
	}
	return at.Reopen(id, at.move("", reason))
}

// find returns a todo in its current state.
func (at *todoSession) find(id string) (file.Todo, error) {
	s, err := at.read((*todos.Session).Load)
	if err != nil {
		return file.Todo{}, err
	}
	return s.find(id)
}

// pendingP3 returns the pending p3 todos of the selected sessions. They can be decided together, unlike p1 and p2.
func (v *todoVerbs) pendingP3(args []string) ([]string, error) {
	if len(args) > 0 {
		return nil, todoMisuse("--all-p3 takes no ids")
	}
	var ids []string
	err := v.eachSession(func(at *todoSession) error {
		snap, err := at.Load()
		for _, t := range (file.Filter{Status: []file.Status{file.Pending}, Priority: []file.Priority{file.P3}}).Select(snap.Todos) {
			ids = append(ids, string(t.Full()))
		}
		return err
	})
	return ids, err
}

// found is a pending finding as triage shows it: with its place, and the current code there.
type found struct {
	row
	Place string     `json:"place,omitempty"`
	Code  model.Text `json:"code,omitempty"`
}

// inbox answers with the next ten pending todos, p1 first, and their total number.
func (v *todoVerbs) inbox() (answer, error) {
	at, err := v.look(v.known, nil)
	if err != nil {
		return answer{}, err
	}
	defer at.close()
	at.filter = file.Filter{Status: []file.Status{file.Pending}}
	pending := at.todos()
	rows, lines := []found{}, []string{}
	for _, t := range pending[:min(triageTen, len(pending))] {
		s := at.of(t)
		x := found{row: s.row(*t)}
		x.Place, x.Code = s.codeAt(*t)
		rows, lines = append(rows, x), append(lines, x.line())
		if x.Place != "" {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%18s%s  %s", "", safe(x.Place), x.Code), " "))
		}
	}
	lines = append(lines, fmt.Sprintf("%d of %d pending", len(rows), len(pending)))
	data := map[string]any{"session": at.rel(), "todos": rows, "pending": len(pending)}
	return answer{data: data, lines: lines, warnings: at.warnings()}, nil
}

// codeAt returns the place that a finding names in the current code, and the line there.
func (at *todoSession) codeAt(t file.Todo) (place string, line model.Text) {
	body, err := at.Body(t)
	if err != nil {
		return "", ""
	}
	x := file.PartsOf(t, body)
	if x.File == "" {
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
