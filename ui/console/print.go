package console

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/markdown"
)

// Prints keep the part of a plan that was on screen last as it was laid out, so that a
// console that is started again shows it at once: to lay it out anew takes the start of
// another process.
type Prints interface {
	// Printed is what was kept last; false when that is not known.
	Printed(context.Context) (Print, bool)
	Print(context.Context, Print) error
}

// Print is a part of a plan as it was laid out: of which text, where and how.
type Print struct {
	PrintKey
	Lines    []markdown.Printed `json:"lines"`
	Whole    bool               `json:"whole,omitempty"`
	End      bool               `json:"end,omitempty"`
	Progress float64            `json:"progress,omitempty"`
}

// PrintKey is what lines depend on.
type PrintKey struct {
	Item  model.ItemID      `json:"item"`
	Hash  string            `json:"hash"`
	Style string            `json:"style"`
	W     int               `json:"w"`
	H     int               `json:"h"`
	At    markdown.Position `json:"at"`
}

// largestPrimed bounds the plan that is read before the first frame: a megabyte would take
// as long as the rest of it.
const largestPrimed = 256 << 10

// primedPlan is c with what is to be seen of its plan at once: what is wrong with the file,
// or the lines that were kept if they are still what there is to see. The plan is read again,
// to be watched, when the console has begun.
func (c Console) primedPlan() Console {
	d := c.detail()
	if c.fx.Eyes == nil || d == nil || c.place.view != viewDesk || c.place.tab != tabPlan || d.Plan.Bytes > largestPrimed {
		return c
	}
	file := c.fx.Eyes.Plan(c.fx.ctx, c.place.agent, d.ID)
	if file.Unsettled {
		return c
	}
	c.plan = plan{item: d.ID, file: file, primed: true}
	if c.fx.Prints == nil || file.Artifact.Condition != model.PlanOK || file.Artifact.Bytes == 0 {
		return c
	}
	p, ok := c.fx.Prints.Printed(c.fx.ctx)
	if !ok || p.PrintKey != c.printKey(c.place.reading[d.ID]) {
		return c
	}
	shown := painting{doc: &markdown.Document{}, kept: true, at: p.At, w: p.W, h: p.H, whole: p.Whole, end: p.End, progress: p.Progress}
	for _, l := range p.Lines {
		shown.lines = append(shown.lines, l.Line())
	}
	c.plan.shown = shown
	return c
}

// printKey is the key of the plan on screen from a place on.
func (c Console) printKey(at markdown.Position) PrintKey {
	w, h := c.planSize()
	return PrintKey{Item: c.plan.item, Hash: c.plan.file.Artifact.Hash, Style: c.styles.Page.Name(), W: w, H: h, At: at}
}

// print is what is on screen of the plan; false where nothing of it is, or it is of another
// text than the file's or of another size than there is.
func (c Console) print() (Print, bool) {
	s := c.plan.shown
	key := c.printKey(s.at)
	if s.doc == nil || s.doc != c.plan.doc || c.plan.item != c.place.cursor || s.w != key.W || s.h != key.H || len(s.lines) == 0 {
		return Print{}, false
	}
	p := Print{PrintKey: key, Whole: s.whole, End: s.end, Progress: s.progress}
	for _, l := range s.lines {
		p.Lines = append(p.Lines, l.Printed())
	}
	return p, true
}

// printKept keeps what is on screen of the plan, unless that was done.
func (c Console) printKept() (Console, tea.Cmd) {
	if c.fx.Prints == nil {
		return c, nil
	}
	p, ok := c.print()
	if !ok || p.PrintKey == c.plan.printed {
		return c, nil
	}
	c.plan.printed = p.PrintKey
	fx := c.fx
	return c, func() tea.Msg {
		_ = fx.Prints.Print(fx.ctx, p) // a comfort: nothing waits for it, nothing fails without it
		return nil
	}
}
