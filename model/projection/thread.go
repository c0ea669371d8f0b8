package projection

import (
	"slices"

	"vise/model"
	"vise/model/workstate"
)

// Bounds of what is told of a thread: entries of one kind, and characters of one entry.
const (
	shownEntries = 4
	shownEntry   = 300
)

// thread tells where the work was left. It is advice with its age: the plan and the
// objective outrank it.
func (p *page) thread(c *workstate.Card) {
	if c == nil || c.Empty() {
		return
	}
	p.line("Where the work was left, as the thread in %s has it. It is a note with its age, not an order: the plan and the objective outrank it.", c.Repo)
	if c.Thread != nil {
		p.line("Saved at %s.", c.Thread.UpdatedAt)
	}
	var told model.Text
	var last string
	n := 0
	for _, row := range c.Rows("") {
		if n++; row.Label != last {
			last, n = row.Label, 1
		}
		if n <= shownEntries {
			told += model.Text(row.Label+": ") + clip(row.Text) + "\n"
		}
	}
	p.quote(told)
}

func clip(t model.Text) model.Text {
	if r := []rune(t); len(r) > shownEntry {
		return model.Text(slices.Concat(r[:shownEntry-1], []rune("…")))
	}
	return t
}
