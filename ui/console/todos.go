package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// todoDialog edits a whole checklist and saves it as one snapshot.
type todoDialog struct {
	row  model.Row
	list []model.Todo
	// seen is the revision of the list when it was read; 0 after a refusal: the revision on screen.
	seen uint64
	// undo are the lists before each change, the newest last.
	undo [][]model.Todo
	at   int
	// line is the field while a todo's text is typed; added: the todo is new.
	line    *screen.Field
	added   bool
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
func (d *todoDialog) In() action.Context {
	if d.line != nil {
		return action.Text
	}
	return action.Page
}

// About, Draft and Fill are parts of textDialog, Refused is refuser's.
func (d *todoDialog) About() dialogSubject {
	return dialogSubject{Item: d.row.ID, Command: "UpdateWorkItem"}
}
func (d *todoDialog) Refused() { d.waiting, d.seen = false, 0 }

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
	if d.line != nil {
		return true, d.typed(k, x)
	}
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
		d.add()
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
	case action.EditPlan, action.Open:
		f := screen.NewField(d.list[d.at].Text.String(), 1, model.MaxTodoText)
		d.line = &f
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

func (d *todoDialog) add() {
	d.keep()
	d.at = min(d.at+1, len(d.list))
	d.list = slices.Insert(d.list, d.at, model.Todo{State: model.TodoPending})
	f := screen.NewField("", 1, model.MaxTodoText)
	d.line, d.added = &f, true
}

// typed edits a todo's text. Enter keeps the new text, esc the old one.
func (d *todoDialog) typed(k keyPress, x facts) message {
	switch {
	case k.ID == action.EditOutside:
		return editOutside(d.line.Value())
	case k.ID == action.Open && !d.line.Empty():
		if !d.added {
			d.keep()
		}
		d.list[d.at].Text = model.Text(d.line.Value())
		d.line, d.added = nil, false
	case k.ID == action.Open, k.ID == action.Back:
		if d.added {
			n := len(d.undo) - 1
			d.list, d.undo = d.undo[n], d.undo[:n]
			d.at = max(d.at-1, 0)
		}
		d.line, d.added = nil, false
	default:
		d.line.Press(k.KeyPressMsg, x.FieldW())
	}
	return nil
}

// Fill takes the text from an external editor. A todo is one line.
func (d *todoDialog) Fill(s string) (lost int) {
	if d.line != nil {
		lost = d.line.Set(strings.Join(strings.Fields(s), " "))
	}
	return lost
}

// Paste is part of dialog.
func (d *todoDialog) Paste(s string) (lost int) {
	if d.line != nil {
		lost = d.line.Insert(s)
	}
	return lost
}

// Draw is part of dialog.
func (d *todoDialog) Draw(x facts) drawnDialog {
	foot := "{do} state · {new} add · {edit-plan} edit · {preview-down} {preview-up} move · {drop} drop · {undo} undo · {submit} save"
	switch {
	case d.waiting:
		foot = "saving… · {back} lets it go on behind"
	case d.line != nil:
		foot = "{open} keep · {edit-outside} editor · {back} leave as it was"
	}
	out := x.dialog(fmt.Sprintf("Todos of %s  %s", d.row.Handle, x.Cut(d.row.Objective, 50)), foot, nil)
	if d.drafted {
		saved := model.Counted(d.saved, "todo")
		out.Lines = x.Warn(x.Keyed("Your draft. The saved list has " + saved + ": {undo} shows it."))
	}
	height := max(min(len(d.list), x.H-2-len(out.Lines)), 1)
	top := min(max(d.at-height+1, 0), max(len(d.list)-height, 0))
	for i := top; i < min(top+height, len(d.list)); i++ {
		out.Lines = append(out.Lines, d.todoLine(i, x, &out))
	}
	if len(d.list) == 0 {
		out.Lines = append(out.Lines, x.Note(x.Keyed("No todos. {new} adds one.")))
	}
	out.H = min(len(out.Lines)+2, x.H)
	return out
}

func (d *todoDialog) todoLine(i int, x facts, out *drawnDialog) string {
	k, t, w := x.Styles, d.list[i], x.Inner()
	mark, ink := x.TodoMark(t.State)
	if i == d.at && d.line != nil {
		lines, at, _ := d.line.Draw(w-6, k)
		out.Cursor = &tea.Position{X: 5 + at, Y: len(out.Lines)}
		return " " + k.Key.Paint(k.Glyph.Cursor) + " " + ink.Paint(mark) + " " + lines[0]
	}
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
