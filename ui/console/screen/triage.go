package screen

import (
	"cmp"
	"fmt"
	"slices"

	"vise/model"
	"vise/model/todo"
	"vise/ui/text"
)

// Finding is a todo as shown in triage: its text, and the code as it is now.
type Finding struct {
	Ref todo.Ref
	todo.Parts
	todo.Excerpt
	// Before is an earlier dismissal of the same finding; nil if there is none.
	Before *todo.Todo
	// Twin is the todo that it repeats or resembles, and How says which; nil if there is none.
	Twin *todo.Todo
	How  todo.Similar
	// Trouble is why the finding or its code cannot be shown.
	Trouble string
}

// Triage shows the current findings, or all todos by status, and the text of the one under the cursor.
type Triage struct {
	Frame
	W, H  int
	Files FileTodos
	// Batch are the current findings, or with All all todos by status. Cursor is one of them.
	Batch  []todo.Ref
	Cursor todo.Ref
	// Verdicts are the decisions on each, in words.
	Verdicts map[todo.Ref]string
	// Finding is the one at the cursor, once it was read. Scroll is its first visible line.
	Finding Finding
	Scroll  int
	All     bool
	// Alone leaves the list out where it is not beside the finding.
	Alone bool
}

// triageW is the width from which the list, of listW cells, is beside the finding.
const triageW, listW = 100, 46

// Lines returns the triage, at most H lines.
func (v Triage) Lines() []string {
	switch {
	case v.Files.Trouble != "":
		return v.Warned(v.Files.Trouble, v.W)
	case len(v.Batch) == 0:
		return v.Said(v.Keyed("Nothing waits for triage. {todos} shows all todos by status."), v.W)
	case v.W < triageW-2:
		if v.Alone {
			return v.finding()
		}
		out := v.list(v.W, v.stacked())
		return append(append(out, v.rule(v.W)), v.finding()...)
	}
	left, right := v.list(listW-1, v.H), v.finding()
	left = append(left[:min(len(left), v.H)], make([]string, max(v.H-len(left), 0))...)
	for i, l := range left {
		left[i] = text.Pad(l, listW) + v.Border.Paint(v.Glyph.Light.Left) + " "
	}
	return Join(left, right)
}

// stacked is the number of lines of the list if it is above the finding.
func (v Triage) stacked() int { return min(len(v.Batch)+1, max(v.H/3, 3)) }

// findingSize is the size of the finding.
func (v Triage) findingSize() (w, h int) {
	switch {
	case v.W >= triageW-2:
		return v.W - listW - 2, v.H
	case v.Alone:
		return v.W, v.H
	}
	return v.W, v.H - v.stacked() - 1
}

// list returns the batch, one line each, in at most h lines. The last line says how many are left.
func (v Triage) list(w, h int) []string {
	l := List[todo.Ref]{Order: v.Batch, Cursor: v.Cursor}.Reveal(max(h-1, 1))
	from, to := l.Window(max(h-1, 1))
	var out []string
	for _, r := range v.Batch[from:to] {
		out = append(out, v.at(r, w))
	}
	return append(out, v.tally())
}

// at returns the line of a finding.
func (v Triage) at(r todo.Ref, w int) string {
	t, ok := v.Files.Find(r)
	mark, ink := v.fileMark(t.Status)
	note, decided := v.Verdicts[r]
	switch {
	case decided:
	case !ok:
		mark, note, decided = v.Glyph.Warning, v.missing(r), true
	case t.Status != todo.Pending:
		note, decided = FileWord(t.Status), true
	}
	title := v.Text
	if decided {
		title = v.Faint
	}
	_, within := r.Split()
	return v.todoLine(w, r == v.Cursor, ink.Of(mark), within, t, title, v.Done.Of(note))
}

// missing says why a finding of the batch cannot be read now.
func (v Triage) missing(r todo.Ref) string {
	if slices.ContainsFunc(v.Files.Damaged, func(d DamagedTodo) bool { return d.Ref == r }) {
		return "damaged"
	}
	return "gone"
}

// tally says how far this batch is, and how many findings wait after it, with the number of sessions if there are several.
func (v Triage) tally() string {
	if v.All {
		return v.Note(v.Keyed("All todos by status. {todos} shows what waits."))
	}
	left, behind, sessions := 0, 0, map[string]bool{}
	for _, r := range v.Files.Pending {
		_, decided := v.Verdicts[r]
		switch {
		case decided:
		case slices.Contains(v.Batch, r):
			left++
		default:
			behind++
			session, _ := r.Split()
			sessions[session] = true
		}
	}
	words, of := fmt.Sprintf("%d of %d left", left, len(v.Batch)), ""
	if len(v.Files.Sessions) > 1 {
		of = ", in " + model.Counted(len(sessions), "session")
	}
	switch {
	case behind > 0 && left == 0:
		words += v.Keyed(fmt.Sprintf(" · {next-needs-you} the next of %d", behind)) + of
	case behind > 0:
		words += fmt.Sprintf(" · %d more behind", behind) + of
	case left == 0:
		words = v.Keyed("All decided. {back} closes, {undo} takes back.")
	}
	return v.Note(words)
}

// LastLine is the last line that can be the first visible one of the finding.
func (v Triage) LastLine() int {
	w, h := v.findingSize()
	return max(len(v.says(w))-h, 0)
}

// finding returns the text of the finding at the cursor, from the scrolled line on.
func (v Triage) finding() []string {
	w, h := v.findingSize()
	return visibleRows(v.says(w), v.Scroll, h)
}

// says returns all lines of the finding at the cursor: its head, then the code as it is now.
func (v Triage) says(w int) []string {
	t, ok := v.Files.Find(v.Cursor)
	if !ok {
		out := v.Said(v.Files.Label(v.Cursor)+" is "+v.missing(v.Cursor)+".", w)
		for _, d := range v.Files.Damaged {
			if d.Ref == v.Cursor {
				out = append(out, v.Warned(d.Said, w)...)
			}
		}
		return out
	}
	out := v.Wrapped(t.Title, w, v.Strong)
	facts := v.Files.Label(v.Cursor) + "  " + string(t.Priority)
	for _, f := range []model.Text{t.FindingSeverity, t.FindingID, t.SourceRef} {
		if f != "" {
			facts += " · " + v.Show(f)
		}
	}
	out = append(out, v.Note(text.Cut(facts, w-2)))
	if v.Finding.Ref != v.Cursor {
		return append(out, "", v.Note("reading…"))
	}
	return append(append(out, v.similar(w)...), v.evidence(w)...)
}

// similar shows the todo that the finding repeats or resembles.
func (v Triage) similar(w int) []string {
	x := v.Finding
	if x.Twin == nil {
		return nil
	}
	places := "no file"
	if len(x.Twin.Files) > 0 {
		places = v.Show(model.Join(x.Twin.Files, ", "))
	}
	said := fmt.Sprintf("Looks like %s (%d%%)", x.Twin.Ref(), int(x.How.Score*100))
	if x.How.Duplicate {
		said = fmt.Sprintf("The same finding as %s", x.Twin.Ref())
	}
	said += fmt.Sprintf(", %s: %s. ", places, v.Show(x.Twin.Title)) + v.Keyed("4 closes it as a duplicate.")
	return v.Warned(said, w)
}

// evidence returns the code that the finding quotes, and the code as it is now.
func (v Triage) evidence(w int) []string {
	x := v.Finding
	out := append(v.dismissed(x.Before, w), "")
	out = append(out, v.Prose(x.Problem, w, v.Text)...)
	if x.File == "" {
		return append(out, "", v.Note("It names no file."))
	}
	place := v.Show(x.File)
	if x.Place.Line > 0 {
		place += fmt.Sprintf(":%d", x.Place.Line)
	}
	out = append(out, "", text.Sides(" "+v.Accent.Paint(place), v.Muted.Paint(cmp.Or(x.placeWord(), "as quoted"))+" ", w))
	if x.Trouble != "" {
		return append(out, v.Warned(x.Trouble, w)...)
	}
	lost := x.Changed && x.Snippet != ""
	if lost {
		out = append(out, v.Warned("The code has changed since.", w)...)
	}
	for i, l := range x.Excerpt.Lines {
		n := x.First + i
		mark, ink := " ", v.Muted
		if x.Place.Line > 0 && n >= x.Place.Line && n < x.Place.Line+max(x.Place.Lines, 1) {
			mark, ink = v.Glyph.Gutter, v.Text
		}
		out = append(out, v.Strip(w, false, v.Faint.Of(fmt.Sprintf("%5d ", n)), v.NeedsYou.Of(mark+" "), ink.Of(v.Show(l))))
	}
	if lost {
		out = append(out, "", v.Note("The finding quotes:"))
		for _, l := range x.Snippet.Lines() {
			out = append(out, v.Strip(w, false, v.Blocked.Of("   "+v.Safe(l))))
		}
	}
	return out
}

// dismissed says that the same finding was dismissed earlier, and why.
func (v Triage) dismissed(b *todo.Todo, w int) []string {
	if b == nil {
		return nil
	}
	session, _ := v.Cursor.Split()
	return v.Warned("Dismissed before, "+v.Show(b.Dismissal(session)), w)
}

// placeWord says how the place in the code was found.
func (x Finding) placeWord() string {
	switch {
	case x.Trouble != "":
		return "not shown"
	case x.Snippet == "":
		return "by line number alone"
	case x.Changed:
		return "changed"
	case x.Copies > 1:
		return fmt.Sprintf("the nearest of %d copies", x.Copies)
	case x.Parts.Line > 0 && x.Parts.Line != x.Place.Line:
		return fmt.Sprintf("moved from line %d", x.Parts.Line)
	}
	return ""
}

// ByStatus returns all todos in the order of a todo's life.
func (x FileTodos) ByStatus() []todo.Ref {
	all := slices.Clone(x.Todos)
	slices.SortStableFunc(all, func(a, b *todo.Todo) int {
		return cmp.Compare(slices.Index(todo.Statuses(), a.Status), slices.Index(todo.Statuses(), b.Status))
	})
	return keysOf(all, func(t *todo.Todo) todo.Ref { return t.Full() })
}
