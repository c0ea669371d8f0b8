package console

import (
	"fmt"

	"vise/model"
	"vise/model/todo"
	"vise/ui/text"
)

// mostAsked is how many linked todos are asked about one by one; those beyond share an answer.
const mostAsked = 4

// The choices about an open todo whose item is completed, as they stand in the dialog.
const (
	undecided = iota
	finished
	wontFix
	keepOpen
)

var decisions = []string{"undecided", "finished", "won't fix", "stays open"}

// openLinked are the linked todos of the item under the cursor that are not over.
func (c Console) openLinked() []LinkedTodo {
	d := c.detail()
	if d == nil || c.shelf.item != d.ID {
		return nil
	}
	var out []LinkedTodo
	for _, l := range c.shelf.Linked {
		if l.Missing == "" && !l.Todo.Status.Final() {
			out = append(out, l)
		}
	}
	return out
}

// deciding makes a completion ask what becomes of each open linked todo. Nothing is closed
// unless that is said here.
func deciding(c Console, f *form) *form {
	open := c.openLinked()
	if len(open) == 0 {
		return f
	}
	groups := make([][]LinkedTodo, 0, mostAsked)
	for i, l := range open {
		if last := len(groups) - 1; i >= mostAsked {
			groups[last] = append(groups[last], l)
			continue
		}
		groups = append(groups, []LinkedTodo{l})
	}
	first := len(f.fields)
	for _, g := range groups {
		label := fmt.Sprintf("%s  %s, %s", g[0].Todo.Ref(), fileWord(g[0].Todo.Status), text.Cut(c.show(g[0].Todo.Title), 44))
		if len(g) > 1 {
			label = fmt.Sprintf("%s and %d more linked todos", g[0].Todo.Ref(), len(g)-1)
		}
		f.fields = append(f.fields, formField{label: label, options: decisions})
	}
	f.fields = append(f.fields, formField{label: "Why won't it be fixed?", field: newField("", 1, model.MaxReason), shown: func(f *form) bool {
		for _, ff := range f.fields[first : first+len(groups)] {
			if ff.chosen == wontFix {
				return true
			}
		}
		return false
	}})
	f.chord = true
	complete, handle := f.submit, c.row().Handle
	f.submit = func(s surroundings, f *form) wish {
		acts, trouble := decided(f, first, groups, handle)
		if trouble != "" {
			return wish{trouble: trouble}
		}
		w := complete(s, f)
		w.after = acts
		return w
	}
	return f
}

// decided turns the choices into acts, or says what is missing.
func decided(f *form, first int, groups [][]LinkedTodo, handle model.Handle) (acts []FileAct, trouble string) {
	why := f.text(first + len(groups))
	for i, g := range groups {
		for _, l := range g {
			act := FileAct{Base: l.Link.TodosBase, Ref: l.Todo.Ref()}
			switch f.fields[first+i].chosen {
			case undecided:
				return nil, "say what becomes of " + l.Todo.Ref().String() + " (tab, then 2, 3 or 4)"
			case keepOpen:
				continue
			case wontFix:
				if why == "" {
					return nil, "say why " + l.Todo.Ref().String() + " won't be fixed"
				}
				act.Kind, act.Move = FileMove, todo.Move{To: todo.WontFix, Resolution: todo.NotFixed, Reason: why}
			case finished:
				act.Kind, act.Move = FileFinish, todo.Move{Reason: model.Text("Finished with " + string(handle))}
			}
			acts = append(acts, act)
		}
	}
	return acts, ""
}
