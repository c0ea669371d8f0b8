package console

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/text"
)

// summaryFrom is the least height of the detail's inside at which the plan leaves room
// for todos and waits below it.
const summaryFrom = 16

// planSize is the room for the plan's own lines.
func (c Console) planSize() (w, h int) {
	w, h = c.layout.panes[paneDetail].inner()
	h -= headRows
	if h+headRows >= summaryFrom {
		if d := c.detail(); d != nil {
			h -= len(c.planSummary(*d, w)) + 1
		}
	}
	return w - 2, h
}

// planPage is the plan, what is wrong with it, and below it todos and waits in short.
func (c Console) planPage(d model.Detail, w, h int) []string {
	_, rows := c.planSize()
	out := c.planState(w)
	k, p := c.styles, c.plan.shown
	if c.plan.item == d.ID && p.doc != nil {
		for _, l := range p.lines {
			if len(out) >= rows {
				break
			}
			mark := " "
			if p.changes.Touch(l) {
				mark = k.Added.Paint(k.Glyph.Gutter)
			}
			cells := c.lit(l, l.Cells(c.plan.left, w-2), w-2)
			if !c.plan.goneSince.IsZero() {
				cells = k.Faint.Paint(ansi.Strip(cells))
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
	return append(out, c.planSummary(d, w)...)
}

// planState says what is not as it should be with the file; nil when all is well.
func (c Console) planState(w int) []string {
	a := c.plan.file.Artifact
	if c.plan.item == "" || a.Condition == "" || a.Condition == model.PlanOK {
		if c.plan.item != "" && a.Condition == model.PlanOK && a.Bytes == 0 {
			return []string{" " + c.styles.Muted.Paint(c.keys.Keyed("plan.md is empty. {edit-plan} edits it."))}
		}
		return nil
	}
	s := conditionWords(a.Condition)
	if c.plan.doc != nil && !c.plan.goneSince.IsZero() {
		s = strings.TrimSuffix(s, ".") + " since " + c.plan.goneSince.Format("15:04") + "; this is its last text."
	}
	out := c.frame().Warned(s+" "+sentence(model.Text(c.plan.file.Reason).String()), w)
	where := a.Path
	if where == "" {
		where = a.RelativePath
	}
	out = append(out, " "+c.styles.Muted.Paint(text.CutMiddle(c.show(model.Text(where)), max(w-2, 1))))
	if a.Bytes > 0 {
		out = append(out, " "+c.styles.Muted.Paint(fmt.Sprintf("%d bytes", a.Bytes)))
	}
	return append(out, "")
}

func conditionWords(c model.PlanCondition) string {
	switch c {
	case model.PlanMissing:
		return "plan.md is missing."
	case model.PlanNotRegular:
		return "plan.md is not a regular file and is not opened."
	case model.PlanOutsideHome:
		return "plan.md leads outside of the item's directory and is not opened."
	case model.PlanTooLarge:
		return "plan.md is too large to be shown."
	case model.PlanNotText:
		return "plan.md is not text."
	}
	return "plan.md cannot be read."
}

// planSummary is how far the item is and what holds it, below its plan.
func (c Console) planSummary(d model.Detail, w int) []string {
	k := c.styles
	var out []string
	if len(d.TodoList) > 0 {
		done := 0
		flow := map[model.TodoState][]string{}
		for _, t := range d.TodoList {
			if t.State == model.TodoCompleted {
				done++
			}
			mark, _ := todoMark(c.styles, t.State)
			flow[t.State] = append(flow[t.State], mark+" "+text.Cut(c.show(t.Text), 40))
		}
		out = append(out, " "+k.Strong.Paint(fmt.Sprintf("Todos %d/%d", done, len(d.TodoList))))
		for _, s := range []model.TodoState{model.TodoCompleted, model.TodoInProgress, model.TodoPending} {
			if len(flow[s]) > 0 {
				_, ink := todoMark(c.styles, s)
				out = append(out, k.Strip(w, false, ink.Of("   "+strings.Join(flow[s], "   "))))
			}
		}
		if c.layout.shape == three {
			out = append(out, "")
		}
	}
	return append(out, k.Strip(w, false, k.Muted.Of(" Waits "), k.Text.Of(waitsInShort(d)), k.Muted.Of("   Blocker "), k.Text.Of(orNone(c.show(d.BlockedBy)))))
}

func waitsInShort(d model.Detail) string {
	if len(d.ActiveWaits) == 0 {
		return "none"
	}
	var kinds []string
	for _, x := range d.ActiveWaits {
		s := string(x.Kind)
		if x.Triggered() {
			s += " (triggered)"
		}
		kinds = append(kinds, s)
	}
	return strings.Join(kinds, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// planFoot tells how the plan changed, how it is watched, and where the reader is.
func (c Console) planFoot() string {
	k, p := c.styles, c.plan.shown
	if c.plan.item != c.place.cursor || p.doc == nil {
		return ""
	}
	var parts []string
	if s := c.searchWords(); s != "" && c.layers.prompt(searchPrompt) == nil {
		parts = append(parts, k.Accent.Paint(s+" n N"))
	}
	if c.plan.left > 0 {
		parts = append(parts, k.Muted.Paint(fmt.Sprintf("from column %d", c.plan.left+1)))
	}
	if ch := p.changes; ch.Added+ch.Removed > 0 {
		s := fmt.Sprintf("+%d −%d %s", ch.Added, ch.Removed, text.Age(c.now.Sub(c.plan.changedAt)))
		if c.layout.shape == three {
			s = fmt.Sprintf("plan.md changed %s ago  +%d −%d · d diff", text.Age(c.now.Sub(c.plan.changedAt)), ch.Added, ch.Removed)
		}
		parts = append(parts, k.Added.Paint(s))
	}
	if c.plan.hidden {
		parts = append(parts, k.Badge.Paint("contains hidden characters"))
	}
	if !p.whole {
		at := fmt.Sprintf("%d%%", int(p.progress*100))
		if p.end {
			at = "end"
		}
		parts = append(parts, k.Muted.Paint(at))
	}
	return strings.Join(parts, k.Muted.Paint(" "+k.Glyph.Dot+" "))
}
