package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// changes shows what came and went in the plan since the operator looked.
func changes(c Console) (Console, tea.Cmd) {
	ch := c.plan.Shown.Changes
	if c.plan.Item != c.place.cursor || ch.Added+ch.Removed == 0 {
		return c.say("The plan is as you last saw it.")
	}
	return c.open(&widget.Pager{
		Title: fmt.Sprintf("Changes of plan.md since you looked  +%d −%d", ch.Added, ch.Removed),
		Foot:  "{read-seen} seen · {read-close} close",
		Keys:  map[action.ID]widget.Result{action.ReadSeen: widget.Run(action.PlanSeen)},
		Lines: func(x widget.Context, w int) []string {
			var out []string
			last := 0
			for _, e := range ch.Edits {
				at := max(e.Old, e.New)
				if last == 0 || at > last+1 {
					out = append(out, x.Note(fmt.Sprintf("line %d", at)))
				}
				last = at
				ink, sign := x.Removed, "− "
				if e.New > 0 {
					ink, sign = x.Added, "+ "
				}
				for _, l := range text.Wrap(x.Safe(e.Text), max(w-4, 8)) {
					out = append(out, " "+ink.Paint(sign+l))
					sign = "  "
				}
			}
			return out
		},
	})
}

// planSeen takes the marks of changed lines away.
func planSeen(c Console) (Console, tea.Cmd) {
	c.plan = c.plan.read()
	return c.drawPlan()
}
