package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// todoDialog edits a whole checklist, which is saved as one snapshot.
type todoDialog struct {
	row  model.Row
	list []model.Todo
	// seen is the revision that the list was read at; 0 after a refusal: the one on screen.
	seen uint64
	// undo are the lists before each change, the newest last.
	undo [][]model.Todo
	at   int
	// line is the todo's text while it is typed; added: it is a new one.
	line    *widget.Field
	added   bool
	waiting bool
	// drafted: the list is what an earlier dialog left; the ledger's has saved todos, and
	// is one undo away.
	drafted bool
	saved   int
}

func todoEditor(c Console) dialog {
	d := &todoDialog{row: *c.row(), seen: c.revision()}
	if detail := c.detail(); detail != nil {
		d.list = slices.Clone(detail.TodoList)
	}
	if s := c.drafts[d.draft()]; s != "" {
		var list []model.Todo
		if json.Unmarshal([]byte(s), &list) == nil {
			d.saved = len(d.list)
			d.undo, d.list = [][]model.Todo{d.list}, list
			d.drafted = true
		}
	}
	return d
}

func (d *todoDialog) draft() string    { return "todos:" + string(d.row.ID) }
func (d *todoDialog) subject() subject { return subject{d.row.ID, "UpdateWorkItem"} }
func (d *todoDialog) unsaved() string  { return d.close().draft }
func (d *todoDialog) refused()         { d.waiting, d.seen = false, 0 }

func (d *todoDialog) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	if d.line != nil {
		return d, d.typed(k, s)
	}
	a, _ := action.Of(action.Todos, k)
	switch a.ID {
	case action.TodoClose:
		return nil, d.close()
	case action.TodoSave:
		if d.waiting {
			return d, wish{}
		}
		d.waiting = true
		list := slices.Clone(d.list)
		return d, wish{said: "Todos saved", command: model.UpdateWorkItem{WorkItemID: d.row.ID, TodoList: &list, SeenRevision: d.sees(s)}}
	case action.TodoUndo:
		if n := len(d.undo); n > 0 {
			d.list, d.undo = d.undo[n-1], d.undo[:n-1]
			d.drafted = d.drafted && n > 1
		}
	case action.TodoAdd:
		d.add()
	default:
		if len(d.list) > 0 {
			d.change(a.ID)
		}
	}
	d.at = min(max(d.at, 0), max(len(d.list)-1, 0))
	return d, wish{}
}

// change does what needs a todo at the cursor.
func (d *todoDialog) change(id action.ID) {
	switch id {
	case action.TodoDown:
		d.at++
	case action.TodoUp:
		d.at--
	case action.TodoState:
		d.keep()
		d.list[d.at].State = d.list[d.at].State.Next()
	case action.TodoDrop:
		d.keep()
		d.list = slices.Delete(d.list, d.at, d.at+1)
	case action.TodoEdit:
		f := widget.NewField(d.list[d.at].Text.String(), 1, model.MaxTodoText)
		d.line = &f
	case action.TodoRowDown:
		d.swap(d.at + 1)
	case action.TodoRowUp:
		d.swap(d.at - 1)
	}
}

// keep remembers the list for undo.
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
	f := widget.NewField("", 1, model.MaxTodoText)
	d.line, d.added = &f, true
}

// typed edits a todo's text: enter keeps it, esc leaves it as it was.
func (d *todoDialog) typed(k tea.KeyPressMsg, s surroundings) wish {
	if a, _ := action.Of(action.Text, k); a.ID == action.EditOutside {
		text := d.line.Value()
		return wish{outside: &text}
	}
	switch key := k.String(); {
	case key == "enter" && !d.line.Empty():
		if !d.added {
			d.keep()
		}
		d.list[d.at].Text = model.Text(d.line.Value())
		d.line, d.added = nil, false
	case key == "enter", key == "esc", key == "alt+esc":
		if d.added {
			n := len(d.undo) - 1
			d.list, d.undo = d.undo[n], d.undo[:n]
			d.at = max(d.at-1, 0)
		}
		d.line, d.added = nil, false
	default:
		d.line.Press(k, fieldWidth(s.layout.w))
	}
	return wish{}
}

// fill takes the text that was written in an editor of its own: a todo is one line.
func (d *todoDialog) fill(s string) {
	if d.line == nil {
		return
	}
	f := widget.NewField(strings.Join(strings.Fields(s), " "), 1, model.MaxTodoText)
	d.line = &f
}

func (d *todoDialog) close() wish {
	w := wish{draftKey: d.draft(), keepDraft: true}
	if len(d.undo) > 0 {
		raw, err := json.Marshal(d.list)
		if err == nil {
			w.draft = string(raw)
		}
	}
	return w
}

func (d *todoDialog) paste(s string) dialog {
	if d.line != nil {
		d.line.Insert(s)
	}
	return d
}

func (d *todoDialog) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: dialogWidth(w)}
	out.Title = k.Strong.Paint(fmt.Sprintf("Todos of %s  %s", d.row.Handle, text.Cut(s.show(d.row.Objective), 50)))
	out.Focused = true
	out.Foot = k.Muted.Paint(action.Keyed("{todo-state} state · {todo-add} add · {todo-edit} edit · {todo-row-down} {todo-row-up} move · {todo-drop} drop · {todo-undo} undo · {todo-save} save"))
	switch {
	case d.waiting:
		out.Foot = k.Muted.Paint(action.Keyed("saving… · {todo-close} lets it go on behind"))
	case d.line != nil:
		out.Foot = k.Muted.Paint(action.Keyed("enter keep · {edit-outside} editor · esc leave as it was"))
	}
	inner := d80(w)
	if d.drafted {
		out.Lines = s.warnLine(fmt.Sprintf(action.Keyed("Your draft. The saved list has %d %s: {todo-undo} shows it."), d.saved, plural(d.saved, "todo", "todos")))
	}
	room := max(min(len(d.list), h-2-len(out.Lines)), 1)
	top := min(max(d.at-room+1, 0), max(len(d.list)-room, 0))
	for i := top; i < min(top+room, len(d.list)); i++ {
		out.Lines = append(out.Lines, d.todoLine(i, inner, s, &out))
	}
	if len(d.list) == 0 {
		out.Lines = append(out.Lines, s.mutedLine(action.Keyed("No todos. {todo-add} adds one.")))
	}
	out.h = min(len(out.Lines)+2, h)
	return out
}

func (d *todoDialog) todoLine(i, w int, s surroundings, out *drawn) string {
	k, t := s.styles, d.list[i]
	mark, ink := s.todoMark(t.State)
	if i == d.at && d.line != nil {
		lines, x, _ := d.line.Draw(w-6, s.styles)
		out.cursor = &tea.Position{X: 5 + x, Y: len(out.Lines)}
		return " " + k.Key.Paint(k.Glyph.Cursor) + " " + ink.Paint(mark) + " " + lines[0]
	}
	cursor := " "
	if i == d.at {
		cursor = k.Glyph.Cursor
	}
	return k.Strip(w, i == d.at, k.Key.Of(" "+cursor+" "), ink.Of(mark+" "), ink.Of(s.show(t.Text)),
		k.Faint.Of("  "+todoWord(t.State)))
}

func todoWord(s model.TodoState) string {
	if s == model.TodoInProgress {
		return "in progress"
	}
	return ""
}

func (d *todoDialog) sees(s surroundings) uint64 {
	if d.seen != 0 {
		return d.seen
	}
	return s.drawn(d.row)
}
