package cli

import (
	"cmp"
	"context"
	"encoding/json"
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
	"vise/ui/runner"
	"vise/watcher"
)

// homeDir returns the directory of the home, or where it would be made.
func homeDir(e *Env) (string, error) {
	if e.flags.home != "" {
		return filepath.Abs(e.flags.home)
	}
	return store.DefaultHome(e.getenv)
}

// homeOptions are this run's options for opening a home.
func homeOptions(e *Env) home.Options {
	return home.Options{Now: e.now, Dir: e.dir, Context: e.Context, Person: e.person,
		TakePending: takePending, OwnFiles: agents.ProjectFiles,
		Answered: agents.Answered, Cluster: connects(e),
		Warn: func(s string) { fmt.Fprintf(e.err, "vise: warning: %s\n", model.Text(s)) },
	}
}

// open opens the home. If there is no home, the error has the code no_home and nothing was written.
func open(e *Env) (*home.Home, error) {
	h, _, err := openBy(e, false, homeOptions(e))
	return h, err
}

// openHome opens the home as it is. It leaves the files that hooks wrote.
func openHome(e *Env) (*home.Home, error) {
	o := homeOptions(e)
	o.LeaveQueue = true
	h, _, err := openBy(e, false, o)
	return h, err
}

// openOrCreate opens the home. If there is none, it makes it first.
func openOrCreate(e *Env) (h *home.Home, created bool, err error) {
	return openBy(e, true, homeOptions(e))
}

func openBy(e *Env, create bool, o home.Options) (h *home.Home, created bool, err error) {
	if e.home != nil {
		return e.home, false, nil
	}
	dir, err := homeDir(e)
	if err != nil {
		return nil, false, err
	}
	if create {
		h, created, err = home.OpenOrCreate(dir, o)
	} else {
		h, err = home.Open(dir, o)
	}
	if errors.Is(err, store.ErrCluster) {
		return nil, false, toFleet(e)
	}
	if err == nil {
		e.home = h
	}
	return h, created, err
}

// carryOut sends a verb's command to the ledger under its --key, and reads the answer in the same transaction. The command is for the
// agent's partition; without an agent, for that of the item that it names.
func carryOut[T any](
	e *Env, agent model.AgentID, c model.Command, read func(model.Reader, model.Receipt) T,
) (out T, in model.Receipt, err error) {
	if e.onlyRead != nil {
		*e.onlyRead = c
		return out, in, errOnlyRead
	}
	h, err := open(e)
	if err != nil {
		return out, in, err
	}
	x := model.Envelope{Key: cmp.Or(e.key, newKey()), Actor: e.actor, Agent: agent, Command: c, Request: e.request}
	out, in, err = home.Answer(e, h, x, e.end, read)
	in.Inverse = nil // not for the answer
	if err == nil {
		e.hasSaved, e.savedAs = true, x.Key
	}
	return out, in, err
}

// send is carryOut for a command whose receipt is the answer.
func send(e *Env, agent model.AgentID, c model.Command) (model.Receipt, error) {
	_, in, err := carryOut(e, agent, c, func(model.Reader, model.Receipt) struct{} { return struct{}{} })
	return in, err
}

// sendAlso sends a command beside the verb's own: its key is a new one.
func sendAlso(e *Env, agent model.AgentID, c model.Command) (model.Receipt, error) {
	key, request := e.key, e.request
	defer func() { e.key, e.request = key, request }()
	e.key, e.request = "", ""
	return send(e, agent, c)
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

// replayed returns the earlier receipt for what was asked for, in words and numbers, under this run's key, if there is one. It is for a
// command that is made from the ledger's contents.
func replayed(e *Env, asked ...any) (in model.Receipt, before bool, err error) {
	raw, _ := json.Marshal(asked[1:])
	e.request = fmt.Sprint(asked[0], " ", string(raw))
	h, err := open(e)
	if err != nil {
		return in, false, err
	}
	return h.Replay(e, model.Envelope{Key: e.key, Request: e.request})
}

// changes makes the body of a verb that is the command c about one work item, and answers with the item.
func changes[C model.Command](c *C, did string) body {
	return func(e *Env) (answer, error) { return itemAnswer(e, e.agent, *c, did) }
}

// resolve returns the item that a handle, an id or the beginning of an id names.
func resolve(e *Env, ref string) (model.ItemID, error) {
	h, err := open(e)
	if err != nil {
		return "", err
	}
	return h.Resolve(e, ref)
}

// read reads the ledger once.
func read(e *Env, fn func(model.Reader) error) error {
	h, err := open(e)
	if err != nil {
		return err
	}
	return h.View(e, fn)
}

// readOne reads one thing from the ledger.
func readOne[T any](e *Env, fn func(model.Reader) (T, error)) (out T, err error) {
	err = read(e, func(r model.Reader) (err error) {
		out, err = fn(r)
		return err
	})
	return out, err
}

// ownAgent reads the agent for a command that names no item, which need not be in the home yet.
func ownAgent(e *Env) (model.AgentID, error) {
	return readOne(e, func(r model.Reader) (model.AgentID, error) { return agentOf(e, r) })
}

// readAgent is ownAgent for a command that only reads: an unknown agent is an error.
func readAgent(e *Env) (model.AgentID, error) {
	return readOne(e, func(r model.Reader) (model.AgentID, error) { return knownAgent(e, r) })
}

// isAgent reports whether an agent has that name.
func isAgent(e *Env, name string) (is bool, err error) {
	err = read(e, func(r model.Reader) error { _, is = r.Agent(model.AgentID(name)); return nil })
	return is, err
}

// itemOf returns the item that ref names.
func itemOf(e *Env, ref string) (item model.WorkItem, err error) {
	id, err := resolve(e, ref)
	if err != nil {
		return item, err
	}
	err = read(e, func(r model.Reader) error { item, _ = r.Item(id); return nil })
	return item, err
}

// readAnswer makes an answer from one read of the ledger.
func readAnswer[T any](e *Env, show func(*page, T), read func(model.Reader) (T, error)) (answer, error) {
	out, err := readOne(e, read)
	return answerOf(out, show), err
}

// readItem is readAnswer about the item that ref names.
func readItem[T any](e *Env, ref string, show func(*page, T), read func(model.Reader, model.WorkItem) T) (answer, error) {
	id, err := resolve(e, ref)
	if err != nil {
		return nil, err
	}
	return readAnswer(e, show, func(r model.Reader) (T, error) {
		w, _ := r.Item(id)
		return read(r, w), nil
	})
}

// itemAnswer carries out a command and answers with the item.
func itemAnswer(e *Env, agent model.AgentID, c model.Command, did string) (answer, error) {
	return changeAnswer(e, agent, c, home.ItemResultOf, func(p *page, in model.Receipt, out home.ItemResult) {
		p.changed(didOf(in, did), out.WorkItem)
	})
}

// didOf returns a command's result in a word or two: did, or that nothing changed.
func didOf(in model.Receipt, did string) string {
	if in.Unchanged {
		return "nothing changed:"
	}
	return did
}

// changeAnswer carries out a command and answers with what read returns of its result.
func changeAnswer[T any](
	e *Env, agent model.AgentID, c model.Command, read func(model.Reader, model.Receipt) T, show func(*page, model.Receipt, T),
) (answer, error) {
	out, in, err := carryOut(e, agent, c, read)
	return &reply{data: out, warnings: in.Warnings, text: func(p *page) { show(p, in, out) }}, err
}

// beside runs functions until the returned function is called.
func beside(ctx context.Context, run ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, f := range run {
		running.Go(func() { f(ctx) })
	}
	return func() { cancel(); running.Wait() }
}

// wakeLedger wakes the ledger at commits of other processes until ctx ends. If the file cannot be watched, the ledger notices the commits
// by itself, later.
func (e *Env) wakeLedger(ctx context.Context) {
	d, err := open(e)
	if err != nil {
		return
	}
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
	if err != nil {
		return
	}
	defer w.Close()
	for event, err := w.Next(ctx); err == nil; event, err = w.Next(ctx) {
		if event.LedgerMoved {
			d.Wake()
		}
	}
}

// settings returns the operator's settings. The part named must be readable. Without a place for them it returns the defaults.
func settings(e *Env, part, hint string) (config.Settings, error) {
	at, s, err := loaded(e)
	if err != nil {
		return config.Defaults(), nil
	}
	return s, s.Refusal(at.File, part, hint)
}

// takePending brings what agents said before their programs or drivers died.
func takePending(ctx context.Context, h *home.Home, now time.Time) {
	agents.TakePending(ctx, h, now)
	runner.Settle(ctx, h, h.Dir(), h.Sessions)
}
