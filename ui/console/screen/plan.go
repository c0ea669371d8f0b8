package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
)

// Plan holds a plan file's content and state, and the part of it that is visible.
type Plan struct {
	Item     model.ItemID
	Artifact model.PlanArtifact
	// Reason says what is wrong with the file.
	Reason string
	// Doc is the newest text that could be read.
	Doc    *markdown.Document
	Hidden bool
	// GoneSince is when an existing file became unreadable.
	GoneSince time.Time
	ChangedAt time.Time
	// Dim means that the changes were seen.
	Dim bool
	// Left is how many cells wide lines are scrolled to the left.
	Left   int
	Search Search
	Shown  Window
	// Save, if set, is shown instead of the plan's current text.
	Save *Save
}

// Save is a plan as it was saved.
type Save struct {
	model.PlanSave
	// Of is the number of saves.
	Of  int
	Doc *markdown.Document
	// Changes are those since the previous kept save, Words are the changed words; empty if there is none.
	Changes markdown.Changes
	Words   markdown.Words
	// Todos are the item's todos at that time.
	Todos []model.Todo
}

// Window is the laid-out lines of a part of a document.
type Window struct {
	Doc     *markdown.Document
	At      markdown.Position
	Lines   []markdown.Line
	Changes markdown.Changes
	// Whole means that everything is visible. Progress is the position of At, from 0 to 1.
	Whole, End bool
	Progress   float64
	W, H       int
}

// Search is a search in the plan on screen.
type Search struct {
	// Typing means that the words are still being typed.
	Typing bool
	Query  string
	// Doc and W are the document and the width in which the matches were found.
	Doc     *markdown.Document
	W       int
	Matches []markdown.Match
	At      int
	// From is the reader's position when the search began; esc returns to it.
	From markdown.Position
}

// MostMatches bounds a search. If there are more matches, this number is shown.
const MostMatches = 9999

// Words say which match this is, of how many.
func (s Search) Words() string {
	switch {
	case s.Query == "":
		return ""
	case len(s.Matches) == 0 && s.Doc == nil:
		return "…"
	case len(s.Matches) == 0:
		return "0 matches"
	case len(s.Matches) == MostMatches:
		return fmt.Sprintf("%d of %d+", s.At+1, MostMatches)
	}
	return fmt.Sprintf("%d of %d", s.At+1, len(s.Matches))
}

// Line returns the line with the typed words, and the column of its cursor.
func (s Search) Line(f Frame, typed *Field, w int) (line string, cursor int) {
	lines, x, _ := typed.Draw(max(w-20, 10), f.Styles)
	return text.Sides(" "+f.Key.Paint("/")+" "+f.Text.Paint(lines[0]), f.Muted.Paint(s.Words())+" ", w), 3 + x
}

// summaryFrom is the least height of the page at which there are lines below the plan for todos.
const summaryFrom = 13

// PlanSize is the width and height of the plan's text.
func (v Detail) PlanSize() (w, h int) {
	w, h = v.room()
	if h >= summaryFrom && v.Detail != nil {
		if n := len(v.summary(w)); n > 0 {
			h -= n + 1
		}
	}
	return w - 2, h
}

// plan returns the plan, its problems, and below it a summary of the todos.
func (v Detail) plan(w, h int) []string {
	_, rows := v.PlanSize()
	out, shown := v.planState(w), v.Plan.Shown
	if v.Plan.Item == v.ID && shown.Doc != nil {
		for _, l := range shown.Lines[:min(len(shown.Lines), max(rows-len(out), 0))] {
			mark := " "
			if shown.Changes.Touch(l) {
				mark = v.Added.Paint(v.Glyph.Gutter)
				if v.Plan.Dim && v.save() == nil {
					mark = v.Faint.Paint(v.Glyph.Gutter)
				}
			}
			cells := v.lit(l, v.changed(l, l.Cells(v.Plan.Left, w-2), w-2), w-2)
			if !v.Plan.GoneSince.IsZero() && v.Plan.Save == nil {
				cells = v.Faint.Paint(ansi.Strip(cells))
			}
			out = append(out, mark+cells)
		}
	}
	if rows == h {
		return out
	}
	for len(out) < rows+1 {
		out = append(out, "")
	}
	return append(out, v.summary(w)...)
}

// save returns the save that the page shows, or nil.
func (v Detail) save() *Save {
	if s := v.Plan.Save; v.Tab == TabPlan && v.Row != nil && v.Plan.Item == v.Row.ID && s != nil && v.Plan.Shown.Doc == s.Doc {
		return s
	}
	return nil
}

// saveLine says which save is shown, who made it and when, and how it differs from the previous one.
func (v Detail) saveLine(s *Save, w int) string {
	format := "15:04"
	at := s.At.In(v.Now.Location())
	if at.Format(time.DateOnly) != v.Now.Format(time.DateOnly) {
		format = "2006-01-02 15:04"
	}
	by, when, how := v.Show(s.By()), at.Format(format), ""
	switch {
	case s.Changes.Added+s.Changes.Removed > 0:
		how = fmt.Sprintf("+%d −%d", s.Changes.Added, s.Changes.Removed)
	case s.N == 1:
		how = "created"
	}
	which := fmt.Sprintf(" save %d of %d ", s.N, s.Of)
	left := " " + v.Match.Paint(which) + v.Muted.Paint(" "+strings.Join(slices.DeleteFunc([]string{by, when, how},
		func(s string) bool { return s == "" }), " · "))
	right := v.Muted.Paint(v.Keyed("{earlier} {later} other saves · {back} now "))
	if text.Width(left)+text.Width(right) >= w {
		right = ""
	}
	return text.Sides(left, right, w)
}

// changed paints the words of a line that are new in the shown save.
func (v Detail) changed(l markdown.Line, cells string, w int) string {
	s := v.save()
	if s == nil {
		return cells
	}
	for _, m := range s.Words.On(l) {
		cells = v.over(cells, l, m, w, v.Changed)
	}
	return cells
}

// over paints a part of a line of the plan, of which w cells are visible.
func (v Detail) over(cells string, l markdown.Line, m markdown.Match, w int, ink Ink) string {
	from := m.Column
	if l.Wide() {
		from -= v.Plan.Left
	}
	to := min(from+m.Width, w)
	if from = max(from, 0); from >= to {
		return cells
	}
	return ansi.Cut(cells, 0, from) + ink.Paint(ansi.Strip(ansi.Cut(cells, from, to))) + ansi.Cut(cells, to, w)
}

// lit paints the search matches in a line of the plan, of which w cells are visible.
func (v Detail) lit(l markdown.Line, cells string, w int) string {
	s := v.Plan.Search
	if s.Query == "" || s.Doc != v.Plan.Shown.Doc {
		return cells
	}
	for i, m := range s.Matches {
		if m.At != l.At {
			continue
		}
		ink := v.Match
		if i == s.At {
			ink = v.Selected
		}
		cells = v.over(cells, l, m, w, ink)
	}
	return cells
}

// planState says what is wrong with the file; nil if nothing is.
func (v Detail) planState(w int) []string {
	a := v.Plan.Artifact
	switch {
	case v.save() != nil && len(v.Plan.Shown.Lines) == 0:
		return []string{v.Note("plan.md was empty.")}
	case v.save() != nil:
		return nil
	case v.Plan.Item == "" || a.Condition == "" || a.Condition == model.PlanOK && a.Bytes > 0:
		return nil
	case a.Condition == model.PlanOK && (v.Preview || model.HostOf(v.Plan.Item) != ""):
		return []string{v.Note("plan.md is empty.")}
	case a.Condition == model.PlanOK:
		return []string{v.Note(v.Keyed("plan.md is empty. {edit-plan} edits it."))}
	case a.Condition == model.PlanElsewhere && v.Plan.Reason == "": // it can be read and edited here
		if v.Detail != nil && v.Detail.Plan.Awaited {
			return []string{v.Note("plan.md is on another machine, without this edit yet."), ""}
		}
		return []string{v.Note("plan.md is on another machine."), ""}
	}
	s := conditionWords(a.Condition)
	if v.Plan.Doc != nil && !v.Plan.GoneSince.IsZero() {
		s = strings.TrimSuffix(s, ".") + " since " + v.Plan.GoneSince.Format("15:04") + "; this is its last text."
	}
	out := v.Warned(s+" "+v.Plan.Reason, w)
	where := v.Show(model.Text(cmp.Or(a.Path, a.RelativePath)))
	out = append(out, v.Note(text.CutStart(where, max(w-2, 1))))
	if a.Bytes > 0 {
		out = append(out, v.Note(fmt.Sprintf("%d bytes", a.Bytes)))
	}
	return append(out, "")
}

func conditionWords(c model.PlanCondition) string {
	what := map[model.PlanCondition]string{
		model.PlanMissing:     "is missing.",
		model.PlanNotRegular:  "is not a regular file and is not opened.",
		model.PlanOutsideHome: "leads outside of the item's directory and is not opened.",
		model.PlanTooLarge:    "is too large to be shown.",
		model.PlanNotText:     "is not text.",
		model.PlanElsewhere:   "is on another machine.",
	}[c]
	return "plan.md " + cmp.Or(what, "cannot be read.")
}

// summary says below the plan how far the item is and what blocks it, or below a save how far it was.
func (v Detail) summary(w int) []string {
	var out []string
	list, heading := v.TodoList, "Todos"
	if s := v.save(); s != nil {
		list, heading = s.Todos, "Todos then"
	}
	if len(list) > 0 {
		flow := map[model.TodoState][]string{}
		for _, t := range list {
			mark, _ := v.TodoMark(t.State)
			flow[t.State] = append(flow[t.State], mark+" "+text.Cut(v.Show(t.Text), 40))
		}
		out = append(out, " "+v.Strong.Paint(fmt.Sprintf("%s %d/%d", heading, len(flow[model.TodoCompleted]), len(list))))
		for _, s := range []model.TodoState{model.TodoCompleted, model.TodoInProgress, model.TodoPending} {
			if _, ink := v.TodoMark(s); len(flow[s]) > 0 {
				out = append(out, v.Strip(w, false, ink.Of("   "+strings.Join(flow[s], "   "))))
			}
		}
	}
	return out
}

// planFoot says how the plan changed and where the reader is.
func (v Detail) planFoot() string {
	p := v.Plan.Shown
	if v.Row == nil || v.Plan.Item != v.Row.ID || p.Doc == nil {
		return ""
	}
	var parts []string
	add := func(ink Ink, s string) { parts = append(parts, ink.Paint(s)) }
	if s := v.Plan.Search.Words(); s != "" && !v.Plan.Search.Typing {
		add(v.Accent, s+" "+v.KeyOf(action.NextMatch)+" "+v.KeyOf(action.PrevMatch))
	}
	if ch := p.Changes; ch.Added+ch.Removed > 0 && v.save() == nil && !v.Plan.Dim {
		s, age := fmt.Sprintf("+%d −%d", ch.Added, ch.Removed), v.Age(v.Plan.ChangedAt)
		switch {
		case v.Wide && v.Preview:
			s = "plan.md changed " + age + " ago  " + s
		case v.Wide:
			s = "plan.md changed " + age + " ago  " + s + v.Keyed(" · {changes} diff")
		default:
			s += " " + age
		}
		add(v.Added, s)
	}
	if v.Plan.Hidden {
		add(v.Badge, "contains hidden characters")
	}
	switch {
	case p.Whole:
	case p.End:
		add(v.Muted, "end")
	default:
		add(v.Muted, fmt.Sprintf("%d%%", int(p.Progress*100)))
	}
	return strings.Join(parts, v.Muted.Paint(" · "))
}
