package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/home"
	"vise/ui/agents"
	"vise/ui/config"
	"vise/watcher"
)

// homeDir returns the directory of the home, or where it would be made.
func (a *app) homeDir() (string, error) {
	if a.flags.home != "" {
		return filepath.Abs(a.flags.home)
	}
	return store.DefaultHome(a.getenv)
}

// homeOptions are this run's options for opening a home.
func (a *app) homeOptions() home.Options {
	return home.Options{Now: a.now, Dir: a.dir, Context: a.Context, TakePending: agents.TakePending, OwnFiles: agents.ProjectFiles,
		Answered: agents.Answered, Cluster: a.connects(),
		Named:     a.isAbout(),
		Upgrading: func() (done func()) { return a.doing("making an older vise's ledger anew") },
		Warn:      func(s string) { fmt.Fprintf(a.err, "vise: warning: %s\n", model.Text(s)) },
	}
}

// isAbout is what this run is likely to be about. The words of a command that runs another program are not looked at.
func (a *app) isAbout() store.Named {
	if a.lasts() {
		return store.Named{Agent: a.agent}
	}
	switch firstWord(a.args) {
	case "agents", "brief", "events", "inbox", "status": // also with an agent they read what needs the operator, of all
		return store.Named{Words: a.words, Lists: true}
	case "context", "list", "next", "why":
		return store.Named{Agent: a.agent, Words: a.words, Lists: true}
	}
	return store.Named{Agent: a.agent, Words: a.words}
}

// open opens the home. If there is no home, the error has the code no_home and nothing was written.
func (a *app) open() (*home.Home, error) { return a.openWith(false) }

// openHome opens the home as it is. It leaves the files that hooks wrote.
func (a *app) openHome() (*home.Home, error) { return a.openWith(true) }

func (a *app) openWith(leaveQueue bool) (*home.Home, error) {
	if a.home != nil {
		return a.home, nil
	}
	dir, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	o := a.homeOptions()
	o.LeaveQueue = leaveQueue
	h, err := home.Open(dir, o)
	if errors.Is(err, store.ErrCluster) {
		return nil, a.toFleet()
	}
	if err == nil {
		a.home = h
	}
	return h, err
}

// openOrCreate opens the home. If there is none, it makes it first.
func (a *app) openOrCreate() (h *home.Home, created bool, err error) {
	if a.home != nil {
		return a.home, false, nil
	}
	dir, err := a.homeDir()
	if err != nil {
		return nil, false, err
	}
	if h, created, err = home.OpenOrCreate(dir, a.homeOptions()); errors.Is(err, store.ErrCluster) {
		return nil, false, a.toFleet()
	} else if err != nil {
		return nil, false, err
	}
	a.home = h
	return h, created, nil
}

// order is a command with its mutation flags.
type order struct {
	mutation
	agent   model.AgentID
	command model.Command
	// end says how the threads of completed items end.
	end home.Ending
}

// orderFor returns the order with the command that build makes for the item that ref names.
func (a *app) orderFor(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (order, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return order{}, err
	}
	return order{mutation: m, agent: a.agent, command: build(id)}, nil
}

// carryOut sends one command to the ledger, and reads its answer in the same transaction.
func carryOut[T any](ctx context.Context, a *app, o order, read func(model.Reader, model.Receipt) T) (out T, in model.Receipt, err error) {
	if a.onlyRead != nil {
		*a.onlyRead = o
		return out, in, errOnlyRead
	}
	h, err := a.open()
	if err != nil {
		return out, in, err
	}
	e := model.Envelope{Key: cmp.Or(o.key, newKey()), Actor: a.actor, Agent: o.agent, Command: o.command, Request: o.request}
	out, in, err = home.Answer(ctx, h, e, o.end, read)
	if in.Inverse != nil {
		a.inverse, in.Inverse = in.Inverse, nil // for a caller that runs commands within the console, not for the answer
	}
	if err == nil {
		a.hasSaved, a.savedAs = true, e.Key
	}
	return out, in, err
}

// apply sends one command to the ledger. Its receipt is the answer.
func (a *app) apply(ctx context.Context, m mutation, agent model.AgentID, c model.Command) (model.Receipt, error) {
	_, in, err := carryOut(ctx, a, order{mutation: m, agent: agent, command: c}, func(model.Reader, model.Receipt) struct{} {
		return struct{}{}
	})
	return in, err
}

// receiptNames are the names of a receipt's work items for people: the handle, else the id.
type receiptNames struct{ item, child string }

func namesOf(r model.Reader, in model.Receipt) receiptNames {
	name := func(id model.ItemID) string {
		w, _ := r.Item(id)
		return cmp.Or(string(w.Handle), string(id))
	}
	return receiptNames{name(in.WorkItemID), name(in.ChildWorkItemID)}
}

// newKey makes an idempotency key.
func newKey() string { return "cli-" + home.NewKey() }

// replay returns the earlier receipt for this request under this key, if there is one.
func (a *app) replay(ctx context.Context, m mutation) (model.Receipt, bool, error) {
	h, err := a.open()
	if err != nil {
		return model.Receipt{}, false, err
	}
	return h.Replay(ctx, model.Envelope{Key: m.key, Request: m.request})
}

// changes makes the run of a verb that changes one work item, by the command that c is, and answers with the item.
func changes[C model.Command](c *C, did string) body {
	return func(e *Env, _ []string) (answer, error) {
		return e.itemAnswer(e, order{mutation: mutation{key: e.key}, agent: e.agent, command: *c}, did)
	}
}

// act applies the command that build makes for the item that ref names.
func (a *app) act(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (model.Receipt, error) {
	o, err := a.orderFor(ctx, ref, m, build)
	if err != nil {
		return model.Receipt{}, err
	}
	return a.apply(ctx, m, o.agent, o.command)
}

// resolve returns the item that a handle, an id or the beginning of an id names.
func (a *app) resolve(ctx context.Context, ref string) (model.ItemID, error) {
	h, err := a.open()
	if err != nil {
		return "", err
	}
	return h.Resolve(ctx, ref)
}

// read reads the ledger once.
func (a *app) read(ctx context.Context, fn func(model.Reader) error) error {
	h, err := a.open()
	if err != nil {
		return err
	}
	return h.View(ctx, fn)
}

// readOne reads one thing from the ledger.
func readOne[T any](ctx context.Context, a *app, fn func(model.Reader) (T, error)) (out T, err error) {
	err = a.read(ctx, func(r model.Reader) (err error) {
		out, err = fn(r)
		return err
	})
	return out, err
}

// readAnswer makes an answer from one read of the ledger.
func readAnswer[T any](ctx context.Context, a *app, show func(*page, T), read func(model.Reader) (T, error)) (answer, error) {
	out, err := readOne(ctx, a, read)
	return answer{data: out, text: func(p *page) { show(p, out) }}, err
}

// readItem is readAnswer about the item that ref names.
func readItem[T any](ctx context.Context, a *app, ref string, show func(*page, T), read func(model.Reader, model.WorkItem) T) (answer,
	error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(ctx, a, show, func(r model.Reader) (T, error) {
		w, _ := r.Item(id)
		return read(r, w), nil
	})
}

// itemAnswer carries out a command and answers with the item.
func (a *app) itemAnswer(ctx context.Context, o order, did string) (answer, error) {
	show := func(p *page, in model.Receipt, out home.ItemResult) { p.changed(didOf(in, did), out.WorkItem) }
	return receiptShown(ctx, a, o, show, home.ItemResultOf)
}

// didOf returns a command's result in a word or two: did, or that nothing changed.
func didOf(in model.Receipt, did string) string {
	if in.Unchanged {
		return "nothing changed:"
	}
	return did
}

// changeAnswer carries out a command and answers with its result, as read returns it.
func changeAnswer[T any](
	ctx context.Context, a *app, o order, show func(*page, T), read func(model.Reader, model.Receipt) T,
) (answer, error) {
	return receiptShown(ctx, a, o, func(p *page, _ model.Receipt, out T) { show(p, out) }, read)
}

// receiptShown is changeAnswer for a text that also depends on the receipt.
func receiptShown[T any](
	ctx context.Context, a *app, o order, show func(*page, model.Receipt, T), read func(model.Reader, model.Receipt) T,
) (answer, error) {
	out, in, err := carryOut(ctx, a, o, read)
	return answer{data: out, warnings: in.Warnings, text: func(p *page) { show(p, in, out) }}, err
}

// wakeful runs wakeLedger until the returned function is called. If refresh is not nil, the plans that the agents are shown are also
// watched, and refreshed when they change.
func (a *app) wakeful(ctx context.Context, refresh func(context.Context, model.ItemID) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.wakeLedger(ctx, refresh) })
	return func() { cancel(); running.Wait() }
}

// wakeLedger wakes the ledger at commits of other processes until ctx ends. If the file cannot be watched, the ledger notices the commits
// by itself, later.
func (a *app) wakeLedger(ctx context.Context, refresh func(context.Context, model.ItemID) error) {
	d, err := a.open()
	if err != nil {
		return
	}
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
	if err != nil {
		return
	}
	defer w.Close()
	if refresh != nil && d.Shared() { // no file tells of a change
		defer a.keepPlans(ctx, d, w)()
	}
	moved, next := refresh != nil, time.Now()
	for {
		if moved && !time.Now().Before(next) {
			w.Set(a.shownPlans(ctx))
			moved, next = false, time.Now().Add(plansPause)
		}
		wait, stop := ctx, func() {}
		if moved {
			wait, stop = context.WithDeadline(ctx, next)
		}
		event, err := w.Next(wait)
		stop()
		if err != nil && (ctx.Err() != nil || wait.Err() == nil) {
			return // otherwise it is time to read
		}
		if event.LedgerMoved {
			d.Wake()
			moved = refresh != nil
		}
		for _, p := range event.Plans {
			_ = refresh(ctx, p.Item.ID) // a change that cannot be recorded now is recorded with the item's next change
		}
	}
}

// plansPause is the time between a change of the ledger and the next read of which plans are shown.
const plansPause = 250 * time.Millisecond

// watchedAgents is the most agents whose plans a process without a screen watches.
const watchedAgents = 100

// shownPlans returns the plans of the items that agents are shown, as the ledger has them.
func (a *app) shownPlans(ctx context.Context) map[watcher.Item]model.PlanArtifact {
	out := map[watcher.Item]model.PlanArtifact{}
	_ = a.read(ctx, func(r model.Reader) error { // a plan that cannot be read now is read at the next commit
		for _, agent := range r.Agents("", watchedAgents) {
			for _, id := range model.Shown(r, agent.ID) {
				if a.home.Shared() && !a.home.Files().Has(agent.ID, id) {
					continue // its file is on another machine
				}
				w, _ := r.Item(id)
				out[watcher.Item{Agent: agent.ID, ID: id}] = w.PlanArtifact
			}
		}
		return nil
	})
	return out
}

// settings returns the operator's settings. The part named must be readable. Without a place for them it returns the defaults.
func (a *app) settings(part, hint string) (config.Settings, error) {
	at, err := config.PlaceOf(a.getenv)
	if err != nil {
		return config.Defaults(), nil
	}
	s := config.Load(at, a.getenv)
	return s, s.Refusal(at.File, part, hint)
}
