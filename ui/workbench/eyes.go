package workbench

import (
	"context"
	"sync"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/cli"
	"vise/ui/console"
	"vise/watcher"
)

// eyes are the console's eyes on plan files, and wake its ledger when another process
// commits. What they see of a plan they have the ledger note.
type eyes struct {
	home  *home.Home
	watch *watcher.Watcher

	// dir is the home that others are told in how this process watches, mode what they were
	// told last; empty: nobody is told.
	dir, mode string

	mu sync.Mutex // protects what follows
	// seen are the plans as the console read them last.
	seen map[watcher.Item]model.PlanArtifact
	// fresh are the last news, which the console is about to ask for.
	fresh map[watcher.Item]watcher.PlanNews
	// noting are the news that the ledger does not know yet, by item.
	noting map[watcher.Item]watcher.PlanNews

	toNote chan struct{} // holds one if there is something to note
	noted  chan struct{} // closed when all is noted
}

func newEyes(ctx context.Context, h *home.Home, ledgerFile string) (*eyes, error) {
	w, err := watcher.Start(ctx, watcher.Config{Home: h.Files(), Ledger: ledgerFile})
	if err != nil {
		return nil, err
	}
	e := &eyes{home: h, watch: w, seen: map[watcher.Item]model.PlanArtifact{}, noting: map[watcher.Item]watcher.PlanNews{},
		toNote: make(chan struct{}, 1), noted: make(chan struct{})}
	toNote := e.toNote
	go func() {
		defer close(e.noted)
		for range toNote {
			e.noteAll(ctx)
		}
	}()
	return e, nil
}

// close ends the eyes once the ledger knows what they have told. Nobody waits in Next by then.
func (e *eyes) close() {
	e.watch.Close()
	e.mu.Lock()
	toNote := e.toNote
	e.toNote = nil
	e.mu.Unlock()
	close(toNote)
	<-e.noted
	if e.dir != "" {
		cli.PublishPolling(e.dir, "")
	}
}

// Plan is part of console.Eyes.
func (e *eyes) Plan(_ context.Context, agent model.AgentID, id model.ItemID) console.PlanText {
	p := e.read(watcher.Item{Agent: agent, ID: id})
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

// read is the plan as it is now: as the watcher has just read it, if it is the same file still.
func (e *eyes) read(item watcher.Item) files.Plan {
	e.mu.Lock()
	fresh, ok := e.fresh[item]
	delete(e.fresh, item)
	e.mu.Unlock()
	if ok && e.home.Files().Stat(item.Agent, item.ID) == fresh.Seen {
		return fresh.Plan
	}
	return e.home.Files().Plan(item.Agent, item.ID)
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
		e.home.Wake()
	}
	var news console.News
	if event.Mode.Polling() {
		news.Mode = event.Mode.String()
	}
	if e.dir != "" && news.Mode != e.mode {
		e.mode = news.Mode
		cli.PublishPolling(e.dir, e.mode)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fresh = make(map[watcher.Item]watcher.PlanNews, len(event.Plans))
	for _, p := range event.Plans {
		news.Items = append(news.Items, p.Item.ID)
		e.fresh[p.Item], e.noting[p.Item] = p, p
	}
	if len(event.Plans) > 0 && e.toNote != nil {
		select {
		case e.toNote <- struct{}{}:
		default: // it is about to look
		}
	}
	return news, nil
}

// noteAll has the ledger record the plans that changed. The console does not wait for that:
// a commit takes as long as all the rest between a save and the screen.
func (e *eyes) noteAll(ctx context.Context) {
	e.mu.Lock()
	all := e.noting
	e.noting = map[watcher.Item]watcher.PlanNews{}
	e.mu.Unlock()
	for _, p := range all {
		// A refusal is the item's business, and a ledger that is busy hears of the plan at its next change.
		_ = e.home.RefreshPlan(ctx, model.Envelope{Key: cli.NewKey(), Actor: model.Watcher}, p.Item.ID)
	}
}
