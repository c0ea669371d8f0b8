package screen

import (
	"fmt"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// NeedPage shows the basis of an item's need: the question or the problem; then the offers, how far the work is verified, and its agent's
// last words.
func (v Detail) NeedPage(w int) (asks, rest []string) {
	asks = v.needWords(w)
	if v.Need.Need == model.NeedChoice {
		rest = v.offers(w, true)
	}
	if words := v.Verified(w); len(words) > 0 {
		rest = append(append(append(rest, ""), words...), v.checks(w)...)
	}
	if v.FinalText.Text == "" || v.Need.Need == model.NeedChoice {
		return asks, rest
	}
	said := v.Note("said last, " + v.Age(v.FinalText.At) + " ago")
	return asks, append(append(rest, "", said), v.Prose(v.Excerpt(v.FinalText.Text), w, v.Text)...)
}

func (v Detail) needWords(w int) []string {
	var out []string
	switch gist := v.Warned(action.NeedGist(*v.Need).String()+".", w); v.Need.Need {
	case model.NeedPermit, model.NeedRepair:
		out = v.why(w)
	case model.NeedAnswer:
		out = v.waits(w) // the agent itself asks
		if q, asks := v.Detail.Question(); asks {
			out = v.Question(q, w)
		}
	case model.NeedNudge:
		out = append(append(gist, ""), v.why(w)...)
	case model.NeedPickup, model.NeedReview:
		out = append(append(gist, ""), v.waits(w)...)
	default:
		if out = gist; v.Need.Need != model.NeedChoice && len(v.TodoList) > 0 {
			out = append(append(out, ""), v.todos(w)...)
		}
	}
	return out
}

// Question shows a question, its reason, and its time.
func (f Frame) Question(q model.Question, w int) []string {
	var out []string
	switch {
	case q.Ask.Question != "":
		out = f.Prose(q.Ask.Question, w, f.Strong)
	case q.WaitID != "":
		out = f.Prose(q.Reason, w, f.Strong)
	default:
		out = append(out, " "+f.Strong.Paint("Its plan needs input. The plan says what is missing."))
	}
	if q.Ask.Question != "" && q.Reason != q.Ask.Question {
		out = append(out, f.Prose(q.Reason, w, f.Muted)...)
	}
	if q.PlanNeedsInput && q.WaitID != "" {
		out = append(out, f.Note("Its plan needs input too."))
	}
	if !q.Since.IsZero() {
		out = append(out, f.Note("asked "+f.Age(q.Since)+" ago"))
	}
	return out
}

// PlanPart is the part of a plan with the lines that a question names and some lines around them.
type PlanPart struct {
	Lines []string
	// First is the number of the first line. The lines from Named to To are those that the question names.
	First, Named, To int
}

// PlanPart returns the lines with their numbers. The named lines are marked.
func (f Frame) PlanPart(p PlanPart, w int) []string {
	out := []string{"", f.Note(fmt.Sprintf("plan.md, lines %d–%d", p.First, p.First+len(p.Lines)-1))}
	for i, line := range p.Lines {
		n, mark, ink := p.First+i, " ", f.Text
		if p.Named <= n && n <= p.To {
			mark, ink = f.Accent.Paint(f.Glyph.Gutter), f.Strong
		}
		number := text.PadLeft(fmt.Sprint(n), 5)
		for _, l := range text.Wrap(f.Safe(line), max(w-9, 8)) {
			out = append(out, f.Faint.Paint(number)+" "+mark+" "+ink.Paint(l))
			number = text.Pad("", 5)
		}
	}
	return out
}
