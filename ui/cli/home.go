package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"vise/model"
	"vise/store"
	"vise/store/home"
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
	return home.Options{Now: a.now, Dir: a.dir, Warn: func(s string) {
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

// apply sends one command to the ledger. An error whose outcome is not known names the key.
func (a *app) apply(ctx context.Context, m mutation, agent model.AgentID, c model.Command) (model.Receipt, error) {
	return a.applyEnding(ctx, m, agent, c, home.Ending{})
}

// applyEnding is apply of a completion, with how the item's threads end.
func (a *app) applyEnding(ctx context.Context, m mutation, agent model.AgentID, c model.Command, end home.Ending) (model.Receipt, error) {
	h, err := a.open()
	if err != nil {
		return model.Receipt{}, err
	}
	e := model.Envelope{Key: cmp.Or(m.key, newKey()), Actor: a.actor, Agent: agent, Command: c}
	in, err := h.ApplyEnding(ctx, e, end)
	if in.Inverse != nil {
		a.inverse, in.Inverse = in.Inverse, nil // for who runs verbs within, not for the answer
	}
	if errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}) {
		known := *fault(err)
		return in, known.WithHint("run it again with --key %s: then it is done once, and you learn whether it was", model.Text(e.Key))
	}
	return in, err
}

// newKey makes an idempotency key.
func newKey() string { return "cli-" + home.NewKey() }

// act applies the command that build makes for the item that ref names.
func (a *app) act(ctx context.Context, ref string, m mutation, build func(model.ItemID) model.Command) (model.Receipt, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return model.Receipt{}, err
	}
	return a.apply(ctx, m, a.agent, build(id))
}

// resolve finds the item that a handle, an id or the beginning of one names.
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

// itemAnswer reads what a changed item is like and answers with it.
func (a *app) itemAnswer(ctx context.Context, in model.Receipt, err error, did string) (answer, error) {
	return changeAnswer(ctx, a, in, err, func(p *page, out home.ItemResult) { p.changed(did, out.WorkItem) }, home.ItemResultOf)
}

// changeAnswer is an answer about what a command did, as read tells it, or the command's error.
func changeAnswer[T any](
	ctx context.Context, a *app, in model.Receipt, err error, show func(*page, T), read func(model.Reader, model.Receipt) T,
) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	ans, err := readAnswer(ctx, a, show, func(r model.Reader) (T, error) { return read(r, in), nil })
	ans.warnings = in.Warnings
	return ans, err
}

// wakeful runs wakeLedger until the function that it returns is called.
func (a *app) wakeful(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.wakeLedger(ctx) })
	return func() { cancel(); running.Wait() }
}

// wakeLedger hints the ledger at commits of other processes until ctx ends. Where the
// file cannot be watched, the ledger notices them by itself, later.
func (a *app) wakeLedger(ctx context.Context) {
	d, err := a.open()
	if err != nil {
		return
	}
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
	if err != nil {
		return
	}
	defer w.Close()
	for {
		event, err := w.Next(ctx)
		if err != nil {
			return
		}
		if event.LedgerMoved {
			d.Wake()
		}
	}
}

// configFile is where the configuration lies, whether it is there or not.
func (a *app) configFile() (string, error) {
	at, err := config.PlaceOf(a.getenv)
	return at.File, err
}
