package cli

import (
	"cmp"
	"context"
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

// homeDir is where the home lies, or would lie.
func (a *app) homeDir() (string, error) {
	if a.flags.home != "" {
		return filepath.Abs(a.flags.home)
	}
	return store.DefaultHome(a.getenv)
}

// homeOptions are what this run says about opening a home.
func (a *app) homeOptions() home.Options {
	return home.Options{Now: a.now, Dir: a.dir, Context: a.ctx, TakePending: agents.TakePending, OwnFiles: agents.ProjectFiles,
		Answered: agents.Answered, Warn: func(s string) {
			fmt.Fprintf(a.err, "vise: warning: %s\n", model.Text(s))
		}}
}

// open opens the home. Where no home is, the error's code is no_home and nothing was
// written.
func (a *app) open() (*home.Home, error) { return a.openWith(false) }

// openHome opens the home as it is: what hooks left stays there.
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
	if err == nil {
		a.home = h
	}
	return h, err
}

// openOrCreate opens the home, and makes it first where none is.
func (a *app) openOrCreate() (h *home.Home, created bool, err error) {
	if a.home != nil {
		return a.home, false, nil
	}
	dir, err := a.homeDir()
	if err != nil {
		return nil, false, err
	}
	if h, created, err = home.OpenOrCreate(dir, a.homeOptions()); err != nil {
		return nil, false, err
	}
	a.home = h
	return h, created, nil
}

// order is a command with what goes with it.
type order struct {
	mutation
	agent   model.AgentID
	command model.Command
	// end is how the threads of completed items end.
	end home.Ending
}

// orderFor is the command that build makes for the item that ref names.
func (a *app) orderFor(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (order, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return order{}, err
	}
	return order{mutation: m, agent: a.agent, command: build(id)}, nil
}

// carryOut sends one command to the ledger, and reads the answer to it in its transaction.
func carryOut[T any](ctx context.Context, a *app, o order, read func(model.Reader, model.Receipt) T) (out T, in model.Receipt, err error) {
	if a.onlyRead != nil {
		*a.onlyRead = o
		return out, in, errOnlyRead
	}
	h, err := a.open()
	if err != nil {
		return out, in, err
	}
	e := model.Envelope{Key: cmp.Or(o.key, newKey()), Actor: a.actor, Agent: o.agent, Command: o.command}
	out, in, err = home.Answer(ctx, h, e, o.end, read)
	if in.Inverse != nil {
		a.inverse, in.Inverse = in.Inverse, nil // for who runs verbs within, not for the answer
	}
	if err == nil {
		a.hasSaved, a.savedAs = true, e.Key
	}
	return out, in, err
}

// apply sends one command to the ledger; its receipt is the answer.
func (a *app) apply(ctx context.Context, m mutation, agent model.AgentID, c model.Command) (model.Receipt, error) {
	_, in, err := carryOut(ctx, a, order{mutation: m, agent: agent, command: c}, func(model.Reader, model.Receipt) struct{} {
		return struct{}{}
	})
	return in, err
}

// newKey makes an idempotency key.
func newKey() string { return "cli-" + home.NewKey() }

// replay is what a command of a kind was answered with under this key, if it was. It is for verbs
// whose command is made of what the ledger holds: a retry would make another one.
func (a *app) replay(ctx context.Context, m mutation, kind model.Command) (model.Receipt, bool, error) {
	h, err := a.open()
	if err != nil {
		return model.Receipt{}, false, err
	}
	in, ok, err := h.Replay(ctx, m.key)
	return in, ok && in.Command == kind.Name(), err
}

// act applies the command that build makes for the item that ref names.
func (a *app) act(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (model.Receipt, error) {
	o, err := a.orderFor(ctx, ref, m, build)
	if err != nil {
		return model.Receipt{}, err
	}
	return a.apply(ctx, m, o.agent, o.command)
}

// resolve finds the item that a handle, an id or the beginning of one names.
func (a *app) resolve(ctx context.Context, ref string) (model.ItemID, error) {
	h, err := a.open()
	if err != nil {
		return "", err
	}
	return h.Resolve(ctx, ref)
}

// nameOf is how people call an item: its handle, else its id.
func (a *app) nameOf(ctx context.Context, id model.ItemID) string {
	name := string(id)
	_ = a.read(ctx, func(r model.Reader) error {
		w, _ := r.Item(id)
		name = cmp.Or(string(w.Handle), name)
		return nil
	})
	return name
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

// readAnswer is an answer that one reading of the ledger makes.
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

// itemAnswer carries a command out and answers with what the item is like.
func (a *app) itemAnswer(ctx context.Context, o order, did string) (answer, error) {
	out, in, err := carryOut(ctx, a, o, home.ItemResultOf)
	return answer{data: out, warnings: in.Warnings, text: func(p *page) { p.changed(didOf(in, did), out.WorkItem) }}, err
}

// didOf is what a command did, in a word or two: nothing where all was so before.
func didOf(in model.Receipt, did string) string {
	if in.Unchanged {
		return "nothing changed:"
	}
	return did
}

// changeAnswer carries a command out and answers with what it did, as read tells it.
func changeAnswer[T any](
	ctx context.Context, a *app, o order, show func(*page, T), read func(model.Reader, model.Receipt) T,
) (answer, error) {
	out, in, err := carryOut(ctx, a, o, read)
	return answer{data: out, warnings: in.Warnings, text: func(p *page) { show(p, out) }}, err
}

// wakeful runs wakeLedger until the function that it returns is called. With refresh the plans
// that the agents are shown are watched too, and refreshed when they change.
func (a *app) wakeful(ctx context.Context, refresh func(context.Context, model.ItemID) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.wakeLedger(ctx, refresh) })
	return func() { cancel(); running.Wait() }
}

// wakeLedger hints the ledger at commits of other processes until ctx ends. Where the
// file cannot be watched, the ledger notices them by itself, later.
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
			return // else it is time to read
		}
		if event.LedgerMoved {
			d.Wake()
			moved = refresh != nil
		}
		for _, p := range event.Plans {
			_ = refresh(ctx, p.Item.ID) // what cannot be noted now is noted with the item's next change
		}
	}
}

// plansPause is how long others may change the ledger before it is read again which plans are shown.
const plansPause = 250 * time.Millisecond

// watchedAgents bounds the agents whose plans a process without a screen watches.
const watchedAgents = 100

// shownPlans are the plans of the items that agents are shown, as the ledger knows them.
func (a *app) shownPlans(ctx context.Context) map[watcher.Item]model.PlanArtifact {
	out := map[watcher.Item]model.PlanArtifact{}
	_ = a.read(ctx, func(r model.Reader) error { // what cannot be read now is read at the next commit
		for _, agent := range r.Agents("", watchedAgents) {
			for _, id := range model.Shown(r, agent.ID) {
				w, _ := r.Item(id)
				out[watcher.Item{Agent: agent.ID, ID: id}] = w.PlanArtifact
			}
		}
		return nil
	})
	return out
}

// settings are the operator's, of which part must read; without a place for them the defaults.
func (a *app) settings(part, hint string) (config.Settings, error) {
	at, err := config.PlaceOf(a.getenv)
	if err != nil {
		return config.Defaults(), nil
	}
	s := config.Load(at, a.getenv)
	return s, s.Refusal(at.File, part, hint)
}
