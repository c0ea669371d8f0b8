package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/ui/action"
	"vise/ui/text"
)

// reader is a dialog that is only read: it scrolls and closes.
type reader struct {
	title string
	lines func(surroundings) []string
	top   int
	// seen is granted by the key that says "I have seen this"; the zero wish: no such key.
	seen wish
}

func (d *reader) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	a, _ := action.Of(action.Reader, k)
	page := max(d.room(s)-1, 1)
	by := map[action.ID]int{
		action.ReadDown: 1, action.ReadUp: -1, action.ReadPageDown: page, action.ReadPageUp: -page,
		action.ReadTop: -far, action.ReadBottom: far,
	}
	switch a.ID {
	case action.ReadClose:
		return nil, wish{}
	case action.ReadSeen:
		if d.seen.run != "" {
			return nil, d.seen
		}
		return d, wish{}
	}
	d.top = min(max(d.top+by[a.ID], 0), max(len(d.lines(s))-d.room(s), 0))
	return d, wish{}
}

func (d *reader) paste(string) dialog { return d }

// room is how many lines are in sight.
func (d *reader) room(s surroundings) int { return max(s.layout.h-1-s.layout.hints-2, 1) }

func (d *reader) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: min(w, 110)}
	lines := d.lines(s)
	room := max(h-2, 1)
	top := min(d.top, max(len(lines)-room, 0))
	out.Title, out.Focused = k.Strong.Paint(d.title), true
	out.Foot = k.Muted.Paint(action.Keyed("{read-close} close"))
	if d.seen.run != "" {
		out.Foot = k.Muted.Paint(action.Keyed("{read-seen} seen · {read-close} close"))
	}
	if len(lines) > room {
		out.Right = k.Muted.Paint(fmt.Sprintf("%d-%d of %d", top+1, min(top+room, len(lines)), len(lines)))
	}
	for _, l := range lines[top:min(top+room, len(lines))] {
		out.Lines = append(out.Lines, text.Cut(l, out.w-2))
	}
	out.h = min(len(out.Lines)+2, h)
	return out
}

// changes shows what came and went in the plan since the operator looked.
func (c Console) changes() (Console, tea.Cmd) {
	ch := c.plan.Shown.Changes
	if c.plan.Item != c.place.cursor || ch.Added+ch.Removed == 0 {
		return c.say("The plan is as you last saw it.")
	}
	c.dialog = &reader{
		title: fmt.Sprintf("Changes of plan.md since you looked  +%d −%d", ch.Added, ch.Removed),
		seen:  wish{run: action.PlanSeen},
		lines: func(s surroundings) []string {
			var out []string
			last := 0
			for _, e := range ch.Edits {
				at := max(e.Old, e.New)
				if last == 0 || at > last+1 {
					out = append(out, s.mutedLine(fmt.Sprintf("line %d", at)))
				}
				last = at
				ink, sign := s.styles.Removed, "− "
				if e.New > 0 {
					ink, sign = s.styles.Added, "+ "
				}
				for _, l := range text.Wrap(s.styles.Safe(e.Text), max(min(s.layout.w, 110)-6, 8)) {
					out = append(out, " "+ink.Paint(sign+l))
					sign = "  "
				}
			}
			return out
		},
	}
	return c, nil
}

// planSeen takes the marks of changed lines away.
func (c Console) planSeen() (Console, tea.Cmd) {
	c.plan = c.plan.read()
	return c.drawPlan()
}
