package console

import (
	"fmt"

	"vise/model"
	"vise/model/thread"
	"vise/ui/console/widget"
)

// unsettled asks a completion for a reason where the item's thread speaks against it. The
// reason goes to the thread's log, before the item is completed.
func unsettled(f *widget.Form, card thread.Card) {
	if !card.Linked || card.Thread == nil {
		return
	}
	against := card.Thread.Unsettled()
	if len(against) == 0 {
		return
	}
	head, submit, at := f.Head, f.Submit, len(f.Fields)
	f.Fields = append(f.Fields, widget.FormField{Label: "Why all the same?   kept in the thread's log", Field: textField(1, model.MaxReason)})
	f.Head = func(x widget.Context, f *widget.Form) []string {
		out := x.Warn("Its thread " + string(card.Thread.ID) + " speaks against it.")
		for i, words := range against {
			if i == mostAgainst && len(against) > mostAgainst+1 {
				out = append(out, x.Note(fmt.Sprintf("  and %d more", len(against)-i)))
				break
			}
			out = append(out, x.Note("  "+x.Cut(words, x.Inner()-4)))
		}
		return append(append(out, ""), head(x, f)...)
	}
	f.Submit = func(x widget.Context, f *widget.Form) widget.Result {
		if f.Fields[at].Empty() {
			return widget.Trouble("say why, although the thread speaks against it")
		}
		r := submit(x, f)
		if apply, ok := r.(widget.Apply); ok {
			apply.Before = threadJobMsg{act: ThreadAct{Repo: card.Repo, Command: thread.Remark{Thread: card.Thread.ID, Note: "completed all the same: " + f.Text(at)}}}
			return apply
		}
		return r
	}
}

// mostAgainst is how many lines a dialog spends on what speaks against it.
const mostAgainst = 4
