package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// filesShown bounds the session's todos in the Files tab; triage and the board show more.
const filesShown = 100

// hasFiles reports whether there is anything for the Files tab.
func (c Console) hasFiles() bool {
	s := c.shelf
	d := c.detail()
	linked := d != nil && s.item == d.ID && len(s.Linked) > 0
	return linked || len(s.Todos) > 0 || len(s.Damaged) > 0
}

func (c Console) filesPage(d model.Detail, w int) []string {
	k, s := c.styles, c.shelf
	var out []string
	if s.item == d.ID && len(s.Linked) > 0 {
		out = append(out, " "+k.Accent.Paint("LINKED TO THIS ITEM"))
		for _, l := range s.Linked {
			out = append(out, c.linkedLine(l, w))
		}
		out = append(append(out, c.waitHint(w)...), "")
	}
	if s.Trouble != "" {
		out = append(out, c.frame().Warned(s.Trouble, w)...)
	}
	if s.Session != "" {
		out = append(out, c.sessionHead(w)...)
		if n := len(s.pending()); n > 0 {
			out = append(out, " "+k.NeedsYou.Paint(fmt.Sprintf("%d %s triage: T", n, plural(n, "finding needs", "findings need"))))
		}
		out = append(out, c.sessionLines(w)...)
	}
	for _, dmg := range s.Damaged {
		out = append(out, c.frame().Warned(dmg, w)...)
	}
	if len(out) == 0 {
		return []string{" " + k.Muted.Paint("No file todos here. vise todo import FILE makes some of a report.")}
	}
	return out
}

// sessionHead names the session and says how many todos stand where.
func (c Console) sessionHead(w int) []string {
	k := c.styles
	name, counts := "SESSION "+c.show(c.shelf.Session), statusCounts(c.shelf.Todos)
	if text.Width(name)+text.Width(counts)+4 <= w {
		return []string{text.Sides(" "+k.Accent.Paint(name), k.Muted.Paint(counts+" "), w)}
	}
	return []string{" " + k.Accent.Paint(text.Cut(name, w-2)), " " + k.Muted.Paint(text.Cut(counts, w-2))}
}

// sessionLines are the session's open todos.
func (c Console) sessionLines(w int) []string {
	index := todo.NewIndex(c.shelf.Todos)
	var out []string
	for _, t := range c.shelf.Todos {
		if t.Status.Final() {
			continue
		}
		if len(out) == filesShown {
			return append(out, " "+c.styles.Muted.Paint("… b in triage (T) shows all"))
		}
		out = append(out, fileLine(c.frame(), t, index.Waiting(t), w, false))
	}
	return out
}

// waitHint proposes a wait when every linked todo waits on something.
func (c Console) waitHint(w int) []string {
	open, waiting := 0, 0
	index := todo.NewIndex(c.shelf.Todos)
	for _, l := range c.shelf.Linked {
		if l.Missing != "" || l.Todo.Status.Final() {
			continue
		}
		open++
		if l.Todo.Status == todo.Blocked || l.Link.TodosBase == c.shelf.Base && len(index.Waiting(l.Todo)) > 0 {
			waiting++
		}
	}
	if open == 0 || waiting < open {
		return nil
	}
	return c.frame().Warned(c.keys.Keyed("All open linked todos wait. {wait} parks the item until they can go on."), w)
}

func (c Console) linkedLine(l LinkedTodo, w int) string {
	if l.Missing == "" {
		return fileLine(c.frame(), l.Todo, nil, w, false)
	}
	k := c.styles
	return k.Strip(w, false, k.NeedsYou.Of(" "+k.Glyph.Warning+" "), k.Muted.Of(c.show(l.Link.QualifiedID)+"  "),
		k.Faint.Of(k.Safe(l.Missing)))
}

// fileLine is a file todo on a line.
func fileLine(f widget.Frame, t todo.Todo, waits []todo.Wait, w int, selected bool) string {
	k := f.Styles
	mark, ink := fileMark(k, t.Status)
	note := fileWord(t.Status)
	if len(waits) > 0 {
		words := make([]string, len(waits))
		for i, x := range waits {
			words[i] = x.String()
		}
		note = "waiting on " + strings.Join(words, ", ")
	}
	if t.Status == todo.InProgress && t.AssignedTo != "" {
		note += ", " + f.Show(t.AssignedTo)
	}
	cursor := " "
	if selected {
		cursor = k.Glyph.Cursor
	}
	head := cursor + mark + " "
	id := text.Pad(t.Ref().String(), refCells) + " " + string(t.Priority) + "  "
	room := max(w-text.Width(head)-text.Width(id)-text.Width(note)-3, 8)
	return k.Strip(w, selected, ink.Of(head), k.Muted.Of(id), k.Text.Of(text.Pad(f.Show(t.Title), room)), ink.Of("  "+note))
}

const refCells = 11

// fileMark is a status's glyph, as the classes of work items have theirs.
func fileMark(k *widget.Styles, s todo.Status) (string, widget.Ink) {
	switch s {
	case todo.Pending:
		return k.Glyph.NeedsYou, k.NeedsYou
	case todo.InProgress:
		return k.Glyph.InProgress, k.Current
	case todo.Blocked:
		return k.Glyph.Blocked, k.Blocked
	case todo.Interrupted:
		return k.Glyph.Changed, k.Blocked
	case todo.Complete, todo.WontFix:
		return k.Glyph.Done, k.Done
	}
	return k.Glyph.Queued, k.Queued
}

// fileWord is a status in the words of the screen, which items and todos share.
func fileWord(s todo.Status) string {
	switch s {
	case todo.Pending:
		return "needs you"
	case todo.Ready:
		return "ready"
	case todo.InProgress:
		return "working"
	case todo.Blocked:
		return "waiting"
	case todo.Interrupted:
		return "parked"
	case todo.Complete:
		return "done"
	}
	return "dropped"
}

// counted is a status in words behind a number.
func counted(s todo.Status, n int) string {
	if s == todo.Pending {
		return plural(n, "needs you", "need you")
	}
	return fileWord(s)
}

// statusCounts are how many todos stand where: "3 need you · 2 ready".
func statusCounts(all []todo.Todo) string {
	n := map[todo.Status]int{}
	for _, t := range all {
		n[t.Status]++
	}
	var parts []string
	for _, s := range todo.Statuses() {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], counted(s, n[s])))
		}
	}
	return strings.Join(parts, " · ")
}
