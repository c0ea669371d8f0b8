// Package home is the one way in for every frontend: a Home is a ledger, the plan files
// beside it, and the threads and file todos of the repositories that its items link to. What
// must surround a command is composed here alone: the plan is described anew before an item
// is completed, decisions on its file todos are judged before and carried out after, threads
// follow, an unknown outcome is looked up, what hooks left is taken in, and the scheduler
// runs. The ledger's answer is never hidden by what follows it: that becomes a warning.
//
// Read home.go (opening, reading), apply.go (a command, what surrounds it, plans),
// saves.go (what plans were), todos.go and thread*.go (what follows), queue.go (what hooks left), scheduler.go, and
// results.go (what frontends answer).
package home

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// Options are what a frontend says about opening a home. The zero value is usable.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Dir is the working directory: the threads of the repository around it come first.
	Dir string
	// LeaveQueue leaves what hooks left to TakeQueue.
	LeaveQueue bool
	// TakePending brings the words that completions still wait for, whenever the queue is taken in; nil: nobody does.
	TakePending func(ctx context.Context, h *Home, now time.Time)
	// Answered reports whether a prompt of a session was answered in its program; nil: nobody knows.
	Answered func(Session, model.Permission) bool
	// OwnFiles are the files below a directory that vise itself has put something into; nil: none.
	OwnFiles func(dir string) []string
	// Context ends the waits of opening; nil does not.
	Context context.Context
	// Warn gets what went wrong meanwhile and has no receipt; nil: nobody does.
	Warn func(string)
}

// Home is an open home. Its methods may be called concurrently.
type Home struct {
	ledger *store.Ledger
	files  files.Home
	o      Options
	// dirOf is where an agent works that works elsewhere than in o.Dir; nil: none does.
	dirOf func(model.AgentID) string
	*upkeep
}

// upkeep is what runs beside an open ledger.
type upkeep struct {
	changed atomic.Bool // this process changed something
	// sent counts the commands that the home sent of itself.
	sent    atomic.Uint64
	unknown unknownOutcomes
	queueAt atomic.Int64
	stop    func()
	running sync.WaitGroup
	keeper  keeper
	close   sync.Once
}

// Open opens the home in dir. Where none is, the error is of code no_home and nothing was
// written.
func Open(dir string, o Options) (*Home, error) {
	h, err := open(dir, o, store.Open)
	if errors.Is(err, store.ErrNoHome) {
		return nil, model.Refuse(model.CodeNoHome, "there is no vise home in %s yet", model.Text(dir)).
			WithHint("vise new OBJECTIVE makes one with its first work item; vise init makes an empty one")
	}
	return h, err
}

// OpenOrCreate opens the home in dir, and makes it first where none is.
func OpenOrCreate(dir string, o Options) (h *Home, created bool, err error) {
	h, err = Open(dir, o)
	if !NoHome(err) {
		return h, false, err
	}
	h, err = open(dir, o, store.Create)
	if errors.Is(err, fs.ErrExist) {
		h, err = Open(dir, o) // another process was faster
		return h, false, err
	}
	return h, err == nil, err
}

// NoHome reports whether an error says that there is no home yet.
func NoHome(err error) bool { return errors.Is(err, &model.Error{Code: model.CodeNoHome}) }

func open(dir string, o Options, open func(string, store.Options) (*store.Ledger, error)) (*Home, error) {
	plans, err := files.NewHome(dir)
	if err != nil {
		return nil, err
	}
	l, err := open(dir, store.Options{Plans: plans, Context: o.Context})
	if err != nil {
		return nil, err
	}
	h := On(l, plans, o)
	h.takeQueue(cmp.Or(o.Context, context.Background()))
	return h, nil
}

// On is the home of an open ledger, which it closes. Without plan files views hold what the
// ledger knows of them.
func On(l *store.Ledger, plans files.Home, o Options) *Home {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &Home{ledger: l, files: plans, o: o, upkeep: &upkeep{stop: stop}}
	h.running.Go(func() { l.Maintain(ctx) })
	return h
}

// overdueLimit bounds what a process does for recovery after its own work.
const overdueLimit = 2 * time.Second

// Close lets go of the home, after what recovery needs of this process' changes.
func (h *Home) Close() (err error) {
	h.close.Do(func() {
		h.stop()
		h.running.Wait()
		h.keeper.idle.Wait()
		if h.changed.Load() {
			ctx, stop := context.WithTimeout(context.Background(), overdueLimit)
			defer stop()
			_ = h.ledger.SnapshotIfDue(ctx) // the next process, or doctor, finds it undone
		}
		err = h.ledger.Close()
	})
	return err
}

// With is the same home, where some agents work in directories of their own, and all others, for
// which dirOf is empty, in the working directory.
func (h *Home) With(dirOf func(model.AgentID) string) *Home {
	c := *h
	c.dirOf = dirOf
	return &c
}

func (h *Home) dirFor(id model.AgentID) string {
	if h.dirOf == nil {
		return h.o.Dir
	}
	return cmp.Or(h.dirOf(id), h.o.Dir)
}

// Ledger is the ledger itself, for upkeep: checks, copies, compaction.
func (h *Home) Ledger() *store.Ledger { return h.ledger }

// Files are the home's plan files.
func (h *Home) Files() files.Home { return h.files }

// Dir is the home's directory.
func (h *Home) Dir() string { return h.files.Dir() }

// NewKey makes an idempotency key.
func NewKey() string { return store.NewID() }

// Resolve finds the item that a handle, an id or the beginning of one names.
func (h *Home) Resolve(ctx context.Context, ref string) (model.ItemID, error) {
	return h.ledger.Resolve(ctx, ref)
}

// View reads at one revision; views of items hold their plan files as they are now. fn must
// not call the home. See store.Ledger.View.
func (h *Home) View(ctx context.Context, fn func(model.Reader) error) error {
	h.takeQueue(ctx)
	return h.ledger.View(ctx, func(r model.Reader) error { return h.withPlans(r, fn) })
}

// withPlans reads with plan files as they are now.
func (h *Home) withPlans(r model.Reader, fn func(model.Reader) error) error {
	plans := &planReader{Reader: r, home: h.files}
	defer plans.close()
	return fn(plans)
}

// LastUndo is the operator's last act that can be taken back, or done again. See store.Ledger.LastUndo.
func (h *Home) LastUndo(ctx context.Context, item model.ItemID, again bool) (model.Receipt, bool, error) {
	return h.ledger.LastUndo(ctx, item, again)
}

// Follow returns the ledger's revision once it is past after, whoever moved it.
func (h *Home) Follow(ctx context.Context, after uint64) (uint64, error) {
	return h.ledger.Follow(ctx, after)
}

// Wake says that another process may have moved the ledger.
func (h *Home) Wake() { h.ledger.Wake() }

// Conditions are what is wrong with the home, if anything.
func (h *Home) Conditions(ctx context.Context) []model.Condition { return h.ledger.Conditions(ctx) }

// Damage is what reads have found damaged, and left out of what they answered.
func (h *Home) Damage() []model.Warning {
	var out []model.Warning
	for _, what := range h.ledger.Damage() {
		out = append(out, model.Warning{Kind: model.WarnDamaged, Message: what + "; " + store.DamageHint})
	}
	return out
}

// ReadOnly is the condition that the home can only be read; mostly it is none.
func (h *Home) ReadOnly() (x model.Condition, is bool) { return h.ledger.ReadOnly() }

// Threads are the threads around the working directory, for who acts.
func (h *Home) Threads(actor model.Actor) Threads { return h.threadsIn(h.o.Dir, actor) }

func (h *Home) threadsIn(dir string, actor model.Actor) Threads {
	return Threads{Dir: dir, Now: h.o.Now, Actor: string(actor)}
}
