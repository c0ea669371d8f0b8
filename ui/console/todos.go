package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/action"
)

// todoDialog edits a whole checklist and saves it as one snapshot.
type todoDialog struct {
	row  model.Row
	list []model.Todo
	// seen is the revision of the list when it was read; 0 after a refusal: the revision on screen.
	seen uint64
	// undo are the lists before each change, the newest last.
	undo    [][]model.Todo
	at      int
	waiting bool
	// drafted: the list is the draft of an earlier dialog. The ledger's list has saved todos, and one undo
	// returns to it.
	drafted bool
	saved   int
}

func todoEditor(c *console) dialog {
	x, r := c.facts(), *c.row()
	d := &todoDialog{row: r, seen: x.Revision(r)}
	if x.Detail != nil {
		d.list = slices.Clone(x.Detail.TodoList)
	}
	var list []model.Todo
	if json.Unmarshal([]byte(x.Drafts[d.draftKey()]), &list) == nil {
		d.saved, d.drafted = len(d.list), true
		d.undo, d.list = [][]model.Todo{d.list}, list
	}
	return d
}

func (d *todoDialog) draftKey() string { return "todos:" + string(d.row.ID) }

// In is part of dialog.
func (d *todoDialog) In() action.Context { return action.Page }

// About, Draft and Fill are parts of textDialog, Refused is refuser's. The words of a todo are typed in a form.
func (d *todoDialog) About() dialogSubject {
	return dialogSubject{Item: d.row.ID, Command: "UpdateWorkItem"}
}
func (d *todoDialog) Fill(string) int { return 0 }
func (d *todoDialog) Refused()        { d.waiting, d.seen = false, 0 }

// Draft is the list, if it was changed.
func (d *todoDialog) Draft() (key, text string) {
	if len(d.undo) > 0 {
		raw, _ := json.Marshal(d.list) // plain words and states: they have a JSON form
		text = string(raw)
	}
	return d.draftKey(), text
}

// Press is part of dialog.
func (d *todoDialog) Press(k keyPress, x facts) (open bool, m message) {
	switch k.ID {
	case action.Back, action.Quit:
		key, draft := d.Draft()
		return false, draftKept{Key: key, Draft: draft}
	case action.Submit:
		if d.waiting {
			return true, nil
		}
		d.waiting = true
		list := slices.Clone(d.list)
		return true, apply{Said: "Todos saved", Command: model.UpdateWorkItem{
			WorkItemID: d.row.ID, TodoList: &list, SeenRevision: cmp.Or(d.seen, x.Revision(d.row))}}
	case action.Undo:
		if n := len(d.undo); n > 0 {
			d.list, d.undo = d.undo[n-1], d.undo[:n-1]
			d.drafted = d.drafted && n > 1
		}
	case action.New:
		return true, d.typing(true)
	case action.EditPlan, action.Open:
		if len(d.list) > 0 {
			return true, d.typing(false)
		}
	default:
		if len(d.list) == 0 || !d.change(k.ID) {
			return true, unused(k)
		}
	}
	d.at = min(max(d.at, 0), max(len(d.list)-1, 0))
	return true, nil
}

// change does the actions that need a todo at the cursor. It reports whether there is one.
func (d *todoDialog) change(id action.ID) bool {
	switch id {
	case action.Down:
		d.at++
	case action.Up:
		d.at--
	case action.Do:
		d.keep()
		d.list[d.at].State = d.list[d.at].State.Next()
	case action.Drop:
		d.keep()
		d.list = slices.Delete(d.list, d.at, d.at+1)
	case action.PreviewDown:
		d.swap(d.at + 1)
	case action.PreviewUp:
		d.swap(d.at - 1)
	default:
		return false
	}
	return true
}

// keep stores the list for undo.
func (d *todoDialog) keep() {
	d.undo = append(d.undo, d.list)
	d.list = slices.Clone(d.list)
}

func (d *todoDialog) swap(with int) {
	if with < 0 || with >= len(d.list) {
		return
	}
	d.keep()
	d.list[d.at], d.list[with] = d.list[with], d.list[d.at]
	d.at = with
}

// typing asks for the words of a new todo after the one at the cursor, or edits those of the one there.
func (d *todoDialog) typing(added bool) message {
	var words model.Text
	f := &form{
		Title: "Todo", Fields: []formField{lineField("", model.MaxTodoText, &words, "a todo needs words")},
		Foot: "{open} keep · {edit-outside} editor · {back} leave as it was",
	}
	if !added {
		f.Fields[0].Set(d.list[d.at].Text.String())
	}
	f.Submit = func(facts) message {
		d.keep()
		if added {
			d.at = min(d.at+1, len(d.list))
			d.list = slices.Insert(d.list, d.at, model.Todo{State: model.TodoPending})
		}
		d.list[d.at].Text = words
		return effect{}
	}
	return opens{f}
}

// Draw is part of dialog.
func (d *todoDialog) Draw(x facts) drawnDialog {
	foot := "{do} state · {new} add · {edit-plan} edit · {preview-down} {preview-up} move · {drop} drop · {undo} undo · {submit} save"
	if d.waiting {
		foot = "saving… · {back} lets it go on behind"
	}
	out := x.dialog(fmt.Sprintf("Todos of %s  %s", d.row.Handle, x.Cut(d.row.Objective, 50)), foot, nil)
	if d.drafted {
		saved := model.Counted(d.saved, "todo")
		out.Lines = x.Warn(x.Keyed("Your draft. The saved list has " + saved + ": {undo} shows it."))
	}
	height := max(min(len(d.list), x.H-2-len(out.Lines)), 1)
	top := min(max(d.at-height+1, 0), max(len(d.list)-height, 0))
	for i := top; i < min(top+height, len(d.list)); i++ {
		out.Lines = append(out.Lines, d.todoLine(i, x))
	}
	if len(d.list) == 0 {
		out.Lines = append(out.Lines, x.Note(x.Keyed("No todos. {new} adds one.")))
	}
	return out
}

func (d *todoDialog) todoLine(i int, x facts) string {
	k, t, w := x.Styles, d.list[i], x.Inner()
	mark, ink := x.TodoMark(t.State)
	cursor, word := " ", ""
	if i == d.at {
		cursor = k.Glyph.Cursor
	}
	if t.State == model.TodoInProgress {
		word = "  in progress"
	}
	return k.Strip(w, i == d.at, k.Key.Of(" "+cursor+" "), ink.Of(mark+" "), ink.Of(x.Show(t.Text)),
		k.Faint.Of(word))
}
