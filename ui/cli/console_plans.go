package cli

import (
	"context"
	"sync"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
	"vise/watcher"
)

// planWatch watches plan files for the console, and wakes its ledger when another process
// commits. Plans that changed it has the ledger record.
type planWatch struct {
	ctx   context.Context // of the console's run
	home  *home.Home
	watch *watcher.Watcher

	// dir is the home in which other processes are told how this one watches, mode what was
	// published last. Empty: nothing is published.
	dir, mode string

	mu sync.Mutex // protects what follows
	// seen are the plans as the console read them last.
	seen map[watcher.Item]model.PlanArtifact
	// fresh are the last news, which the console is about to ask for.
	fresh map[watcher.Item]watcher.PlanNews

	recording sync.WaitGroup
	inTurn    sync.Mutex // one recording at a time
}

func watchPlans(ctx context.Context, h *home.Home, ledgerFile string) (*planWatch, error) {
	watch, err := watcher.Start(ctx, watcher.Config{Home: h.Files(), Ledger: ledgerFile})
	if err != nil {
		return nil, err
	}
	return &planWatch{ctx: ctx, home: h, watch: watch, seen: map[watcher.Item]model.PlanArtifact{}}, nil
}

// close ends the watch once the ledger knows what it found. Nobody waits in Next by then.
func (w *planWatch) close() {
	w.watch.Close()
	w.recording.Wait()
	if w.dir != "" {
		publishPolling(w.dir, "")
	}
}

// Plan is part of console.Plans.
func (w *planWatch) Plan(_ context.Context, agent model.AgentID, id model.ItemID) console.PlanText {
	p := w.read(watcher.Item{Agent: agent, ID: id})
	out := console.PlanText{Artifact: p.PlanArtifact, Reason: p.Reason, Unsettled: p.Unsettled}
	if p.Unsettled {
		return out
	}
	if p.Condition == model.PlanOK {
		out.Text = model.Text(p.Raw)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[watcher.Item{Agent: agent, ID: id}] = p.PlanArtifact
	return out
}

// read is the plan as it is now: as the watcher has just read it, if it is the same file still.
func (w *planWatch) read(item watcher.Item) files.Plan {
	w.mu.Lock()
	fresh, ok := w.fresh[item]
	delete(w.fresh, item)
	w.mu.Unlock()
	if ok && w.home.Files().Stat(item.Agent, item.ID) == fresh.Seen {
		return fresh.Plan
	}
	return w.home.Files().Plan(item.Agent, item.ID)
}

// Watch is part of console.Plans. A plan that the console has read is news only once it
// differs from that.
func (w *planWatch) Watch(agent model.AgentID, items []model.ItemID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := make(map[watcher.Item]model.PlanArtifact, len(items))
	for _, id := range items {
		item := watcher.Item{Agent: agent, ID: id}
		wanted[item] = w.seen[item]
	}
	w.seen = wanted
	w.watch.Set(wanted)
}

// Next is part of console.Plans.
func (w *planWatch) Next(ctx context.Context) (console.News, error) {
	event, err := w.watch.Next(ctx)
	if err != nil {
		return console.News{}, err
	}
	if event.LedgerMoved {
		w.home.Wake()
	}
	var news console.News
	if event.Mode.Polling() {
		news.Mode = event.Mode.String()
	}
	if w.dir != "" && news.Mode != w.mode {
		w.mode = news.Mode
		publishPolling(w.dir, w.mode)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = make(map[watcher.Item]watcher.PlanNews, len(event.Plans))
	for _, p := range event.Plans {
		news.Items = append(news.Items, p.Item.ID)
		w.fresh[p.Item] = p
	}
	if len(news.Items) > 0 {
		w.recording.Go(func() { w.record(news.Items) })
	}
	return news, nil
}

// record has the ledger describe plans that changed. The console does not wait for that: a
// commit takes as long as all the rest between a save and the screen. A refusal is the item's
// business, and a ledger that is busy learns of the plan at its next change.
func (w *planWatch) record(items []model.ItemID) {
	w.inTurn.Lock()
	defer w.inTurn.Unlock()
	for _, id := range items {
		_ = w.home.RefreshPlan(w.ctx, model.Envelope{Actor: model.Watcher}, id)
	}
}
