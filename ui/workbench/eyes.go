package workbench

import (
	"context"
	"sync"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/ui/cli"
	"vise/ui/console"
	"vise/watcher"
)

// eyes are the console's eyes on plan files, and wake its ledger when another process
// commits. What they see of a plan they have the ledger note.
type eyes struct {
	ledger *store.Ledger
	home   files.Home
	watch  *watcher.Watcher

	mu sync.Mutex // protects seen
	// seen are the plans as the console read them last.
	seen map[watcher.Item]model.PlanArtifact
}

func newEyes(ctx context.Context, l *store.Ledger, home files.Home, ledgerFile string) (*eyes, error) {
	w, err := watcher.Start(ctx, watcher.Config{Home: home, Ledger: ledgerFile})
	if err != nil {
		return nil, err
	}
	return &eyes{ledger: l, home: home, watch: w, seen: map[watcher.Item]model.PlanArtifact{}}, nil
}

func (e *eyes) close() { e.watch.Close() }

// Plan is part of console.Eyes.
func (e *eyes) Plan(_ context.Context, agent model.AgentID, id model.ItemID) console.PlanText {
	p := e.home.Plan(agent, id)
	out := console.PlanText{Artifact: p.PlanArtifact, Reason: p.Reason, Unsettled: p.Unsettled}
	if p.Unsettled {
		return out
	}
	if p.Condition == model.PlanOK {
		out.Text = model.Text(p.Raw)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[watcher.Item{Agent: agent, ID: id}] = p.PlanArtifact
	return out
}

// Watch is part of console.Eyes. A plan that the console has read is news only once it
// differs from that.
func (e *eyes) Watch(agent model.AgentID, items []model.ItemID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wanted := make(map[watcher.Item]model.PlanArtifact, len(items))
	for _, id := range items {
		item := watcher.Item{Agent: agent, ID: id}
		wanted[item] = e.seen[item]
	}
	e.seen = wanted
	e.watch.Set(wanted)
}

// Next is part of console.Eyes.
func (e *eyes) Next(ctx context.Context) (console.News, error) {
	event, err := e.watch.Next(ctx)
	if err != nil {
		return console.News{}, err
	}
	if event.LedgerMoved {
		e.ledger.Wake()
	}
	var news console.News
	if event.Mode.Polling() {
		news.Mode = event.Mode.String()
	}
	for _, p := range event.Plans {
		news.Items = append(news.Items, p.Item.ID)
		e.note(ctx, p)
	}
	return news, nil
}

// note has the ledger record a plan that changed. A refusal is the item's business, and a
// ledger that is busy hears of the plan at its next change.
func (e *eyes) note(ctx context.Context, p watcher.PlanNews) {
	if p.Plan.Unsettled {
		return
	}
	known := false
	err := e.ledger.View(ctx, func(r model.Reader) error {
		w, ok := r.Item(p.Item.ID)
		known = !ok || w.State == model.Completed || model.SamePlan(w.PlanArtifact, p.Plan.PlanArtifact)
		return nil
	})
	if err != nil || known {
		return
	}
	_, _ = e.ledger.Apply(ctx, model.Envelope{
		Key: cli.NewKey(), Actor: model.Watcher, Command: model.RefreshPlan{WorkItemID: p.Item.ID, Plan: p.Plan.PlanArtifact},
	})
}
