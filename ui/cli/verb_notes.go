package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/prompt"
)

// noted is the data of notes.
type noted struct {
	WorkItemID model.ItemID  `json:"work_item_id"`
	Notes      []prompt.Note `json:"notes"`
	Trace      prompt.Trail  `json:"trace"`
}

// eventsNoted bounds how far back notes look.
const eventsNoted = 500

func (a *app) notesVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "notes ID", Short: "Show what is worth knowing of a work item's history",
		Long: "notes selects from an item's journal: scope, steps, blockers, triggers, answers, decisions with a reason,\n" +
			"plan changes, tasks and reports. Rounds, ticks, turns and what can be derived make no note; vise events has all.", ValidArgsFunction: a.allItems,
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return readItem(ctx, a, args[0], (*page).notes, func(r model.Reader, w model.WorkItem) noted {
			t, _ := r.Trace(w.AgentID, w.ID)
			return noted{w.ID, prompt.NotesOf(r.Entries(w.ID, eventsNoted)), prompt.CompactTrace(t.Entries)}
		})
	})
}

func (p *page) notes(out noted) {
	for _, n := range out.Notes {
		p.line("%s  %-8s  %s", n.At.Format(time.RFC3339), n.Kind, n.Text)
	}
	for _, s := range out.Trace.Steps {
		p.line("%s  %-8s  called %s: %s", s.At.Format(time.RFC3339), "round", model.Text(joined(s.Calls)), s.Text)
	}
	if out.Trace.Dropped > 0 {
		p.line("%d rounds only talked", out.Trace.Dropped)
	}
}
