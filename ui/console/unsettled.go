package console

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// unsettled asks a completion for a reason where the item's thread speaks against it. The
// reason goes to the thread's log, before the item is completed.
func unsettled(c Console, f *form) *form {
	card := c.bookmark.card
	if c.fx.Threads == nil || f.about.item != c.bookmark.item || !card.Linked || card.Thread == nil {
		return f
	}
	against := card.Thread.Unsettled()
	if len(against) == 0 {
		return f
	}
	head, submit, at := f.head, f.submit, len(f.fields)
	f.fields = append(f.fields, formField{label: "Why all the same?   kept in the thread's log", Field: widget.NewField("", 1, model.MaxReason)})
	f.head = func(s surroundings, f *form) []string {
		out := s.warnLine("Its thread " + string(card.Thread.ID) + " speaks against it.")
		for i, words := range against {
			if i == mostAgainst && len(against) > mostAgainst+1 {
				out = append(out, s.mutedLine(fmt.Sprintf("  and %d more", len(against)-i)))
				break
			}
			out = append(out, s.mutedLine("  "+text.Cut(s.show(words), d80(s.layout.w)-4)))
		}
		return append(append(out, ""), head(s, f)...)
	}
	f.submit = func(s surroundings, f *form) wish {
		if f.fields[at].Empty() {
			return wish{trouble: "say why, although the thread speaks against it"}
		}
		w := submit(s, f)
		w.before = &ThreadAct{Repo: card.Repo, Command: thread.Remark{Thread: card.Thread.ID, Note: "completed all the same: " + f.text(at)}}
		return w
	}
	return f
}

// mostAgainst is how many lines a dialog spends on what speaks against it.
const mostAgainst = 4
