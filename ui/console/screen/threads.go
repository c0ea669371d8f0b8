package screen

import (
	"cmp"
	"strconv"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/text"
)

// ThreadKey identifies a thread of a repository.
type ThreadKey struct {
	Repo model.Text
	ID   thread.ID
}

// ThreadKeyOf returns the key of a row.
func ThreadKeyOf(b action.ThreadRow) ThreadKey { return ThreadKey{b.In.Repo, b.Thread.ID} }

// ThreadList shows all threads that can be continued, by repository, and the actions on the one under the cursor.
type ThreadList struct {
	Frame
	W, H int
	All  []thread.Overview
	// Chosen is the row under the cursor; without a thread it is the repository in which one can be begun.
	Chosen action.ThreadRow
}

// Lines returns the threads, then the details of the chosen one, at most H lines.
func (v ThreadList) Lines() []string {
	list, at := v.list()
	bottom := v.chosen()
	height := max(v.H-len(bottom), 3)
	return append(visibleRows(list, at-height+3, height), bottom...)
}

// list returns the lines of every thread; at is the line of the cursor.
func (v ThreadList) list() (out []string, at int) {
	for i, r := range v.All {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, v.Strip(v.W, false, v.Accent.Of(" "+v.Show(r.Repo)), v.Muted.Of("  "+v.gitState(r.Git))))
		switch {
		case r.Problem != "":
			out = append(out, v.Warned(r.Problem.String(), v.W)...)
		case len(r.Rows) == 0:
			out = append(out, v.Note("No threads to resume."))
		}
		for _, b := range r.Rows {
			selected := ThreadKeyOf(v.Chosen) == ThreadKey{r.Repo, b.Thread.ID}
			if selected {
				at = len(out)
			}
			out = append(out, v.Thread(b, selected, v.W)...)
		}
	}
	return out, at
}

func (v ThreadList) gitState(g thread.Git) string {
	switch {
	case g.State != thread.GitOK:
		return v.Show(model.Text(g.State))
	case g.Detached:
		return "detached at " + g.Head[:min(len(g.Head), 12)]
	case g.Dirty:
		return "on " + v.Show(g.Branch) + ", uncommitted changes"
	}
	return "on " + v.Show(g.Branch)
}

// chosen returns the details of the chosen thread, and its actions.
func (v ThreadList) chosen() []string {
	out := []string{v.rule(v.W)}
	add := func(label string, ink Ink, s string) {
		out = append(out, v.Strip(v.W, false, v.Muted.Of(" "+text.Pad(label, threadCells+2)), ink.Of(s)))
	}
	if t := v.Chosen.Thread; t.ID != "" {
		add("thread", v.Text, string(t.ID))
		if t.NextAction != "" {
			add("next", v.Strong, v.Show(t.NextAction))
		}
		git := text.Wrap(v.Show(v.Chosen.Check.Line()), max(v.W-threadCells-4, 8))
		for i, l := range git[:min(len(git), 3)] {
			add([]string{"git", "", ""}[i], v.Text, l)
		}
		out = append(out, "")
	}
	for i, y := range v.Chosen.Actions() {
		ink, shows, note := v.Key, v.Show(y.Shows), v.Muted
		if y.Off != "" {
			ink, note, shows = v.Faint, v.Faint, "off: "+y.Off
		}
		name := " " + text.Pad(strconv.Itoa(i+1), 3) + text.Pad(string(y.Kind), threadCells-1)
		out = append(out, v.Strip(v.W, false, ink.Of(name), note.Of(shows)))
	}
	return out
}

// Parked counts the parked threads.
func Parked(seen []thread.Overview) (n int) {
	for _, r := range seen {
		n += r.Parked()
	}
	return n
}

// threadCells is the width of a thread's state.
const threadCells = 12

// Thread returns a thread's line; a parked one has a second line that says what would wake it.
func (f Frame) Thread(b thread.Row, selected bool, w int) []string {
	ink := f.Text
	switch {
	case b.Active:
		ink = f.Current
	case b.Parked():
		ink = f.NeedsYou
	}
	owners := ""
	for _, o := range b.Items {
		owners += "  " + string(o.Handle)
	}
	goal := cmp.Or(b.Thread.Goal, model.Text(b.Thread.ID))
	width := max(w-3-threadCells-text.Width(owners)-1, 8)
	out := []string{f.Strip(w, selected, f.Key.Of(" "+f.marker(selected)+" "), ink.Of(text.Pad(b.State(), threadCells)),
		f.Text.Of(text.Pad(f.Show(goal), width)), f.Muted.Of(owners))}
	if b.Parked() {
		out = append(out, f.Strip(w, false, Ink{}.Of(text.Pad("", threadCells+3)), f.Muted.Of("wakes "+f.Show(b.Check.Wake()))))
	}
	return out
}
