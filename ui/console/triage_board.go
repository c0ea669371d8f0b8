package console

import (
	"fmt"
	"slices"
	"strings"

	"vise/model/todo"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// column is the todos of one status.
type column struct {
	status todo.Status
	todos  []todo.Todo
}

// boardOf sorts todos by status, in the order of a life; statuses without any are left out.
func boardOf(all []todo.Todo) []column {
	var out []column
	for _, s := range todo.Statuses() {
		if list := (todo.Filter{Status: []todo.Status{s}}).Select(all); len(list) > 0 {
			out = append(out, column{s, list})
		}
	}
	return out
}

// leastColumn is the least width at which a column of the board can be read.
const leastColumn = 22

// boardLines are the columns beside each other where there is room, else below each other.
func (d *triage) boardLines(w, h int, x widget.Context) []string {
	board := boardOf(d.shelf.Todos)
	if len(board) == 0 {
		return x.Said("The session holds no todos.", w)
	}
	if w/len(board) < leastColumn {
		return d.boardStack(board, w, h, x)
	}
	var out []string
	each := w / len(board)
	for _, col := range board {
		part := d.boardColumn(col, each-1, h, x)
		for i := range part {
			part[i] = text.Pad(part[i], each)
		}
		for len(part) < h {
			part = append(part, text.Pad("", each))
		}
		out = widget.Join(out, part)
	}
	return out
}

func (d *triage) boardColumn(col column, w, h int, x widget.Context) []string {
	k := x.Styles
	mark, ink := onScreen(x).FileMark(col.status)
	out := []string{" " + ink.Paint(text.Cut(fmt.Sprintf("%s %s %d", mark, strings.ToUpper(screen.FileWord(col.status)), len(col.todos)), w-1))}
	at := max(slices.IndexFunc(col.todos, func(t todo.Todo) bool { return t.Ref() == d.at }), 0)
	top := max(min(at-h/2, len(col.todos)-(h-1)), 0)
	for _, t := range col.todos[top:min(top+max(h-1, 0), len(col.todos))] {
		cursor := " "
		if t.Ref() == d.at {
			cursor = k.Glyph.Cursor
		}
		out = append(out, k.Strip(w, t.Ref() == d.at, k.Key.Of(cursor), k.Muted.Of(t.Ref().String()+" "),
			k.Accent.Of(string(t.Priority)+" "), k.Text.Of(x.Show(t.Title))))
	}
	return out
}

func (d *triage) boardStack(board []column, w, h int, x widget.Context) []string {
	k := x.Styles
	index := todo.NewIndex(d.shelf.Todos)
	var out []string
	at := 0
	for _, col := range board {
		mark, ink := onScreen(x).FileMark(col.status)
		out = append(out, " "+ink.Paint(fmt.Sprintf("%s %s %d", mark, strings.ToUpper(screen.FileWord(col.status)), len(col.todos))))
		for _, t := range col.todos {
			if t.Ref() == d.at {
				at = len(out)
			}
			out = append(out, onScreen(x).FileTodo(t, index.Waiting(t), w, t.Ref() == d.at))
		}
	}
	top := min(max(at-h+2, 0), max(len(out)-h, 0))
	if top > 0 && top < len(out) {
		out[top] = " " + k.Muted.Paint("…")
	}
	return out[top:min(top+h, len(out))]
}
