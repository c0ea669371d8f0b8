// Package home is the one entry for every frontend. A Home is a ledger, the plan files beside it, and the threads and file todos of the
// repositories that its items link to. Only this package composes what surrounds a command: it describes the plan before an item is
// completed, judges decisions on its file todos before the completion and carries them out after it, lets threads follow, looks up an
// unknown outcome, takes in the hook queue, and runs the scheduler. A later failure never hides the ledger's answer: it becomes a warning.
//
// Read home.go (opening, reading), apply.go (a command, what surrounds it, plans), saves.go (earlier plans), todos.go and thread*.go (what
// follows a command), queue.go (the hook queue), scheduler.go and scheduler_shared.go (several that share the agents), and results.go (the
// answers of frontends).
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
	"vise/store/recovery"
)

// Options are a frontend's settings for opening a home. The zero value is usable.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Dir is the working directory. The threads of the repository around it come first.
	Dir string
	// LeaveQueue: the hook queue is taken in only by TakeQueue.
	LeaveQueue bool
	// TakePending is called whenever the hook queue is taken in, and brings the reports that completions still wait for. It can be nil.
	TakePending func(ctx context.Context, h *Home, now time.Time)
	// Answered reports whether a session's permission prompt was answered in its program. Nil means that this is not known.
	Answered func(Session, model.Permission) bool
	// OwnFiles returns the files below a directory that vise itself has written into. Nil means none.
	OwnFiles func(dir string) []string
	// Cluster opens the backend of a home whose ledger lies on a cluster. Nil means that this program cannot.
	Cluster func(store.Cluster) (store.Backend, error)
	// Person is who the operator is at this machine, if the cluster does not say it. It can be nil.
	Person func() model.Text
	// Context ends the waits of opening when it ends. It can be nil.
	Context context.Context
	// Warn gets problems that belong to no receipt. It can be nil.
	Warn func(string)
}

// Home is an open home. Its methods may be called concurrently.
type Home struct {
	// Ledger is also for upkeep: checks, copies, compaction. What commands and reads need beside it is in Home's own methods.
	*store.Ledger
	files files.Home
	plans planKeeper
	o     Options
	// dirOf returns the directory of an agent that does not work in o.Dir, or "". Nil means that every agent works in o.Dir.
	dirOf func(model.AgentID) string
	*upkeep
	Sessions
}

// upkeep is the state of the work that runs beside an open ledger.
type upkeep struct {
	changed atomic.Bool // this process changed the ledger
	// sent counts the commands that the home itself sent.
	sent    atomic.Uint64
	unknown unknownOutcomes
	queueAt atomic.Int64
	stop    func()
	running sync.WaitGroup
	keeper  keeper
	close   sync.Once
}

// Open opens the home in dir. If there is none, it returns an error with code no_home and writes nothing.
func Open(dir string, o Options) (*Home, error) {
	h, err := open(dir, o, store.Open)
	if errors.Is(err, store.ErrNoHome) {
		return nil, model.Refuse(model.CodeNoHome, "there is no vise home in %s yet", model.Text(dir)).
			WithHint("vise new OBJECTIVE makes one with its first work item; vise admin init makes an empty one")
	}
	return h, err
}

// OpenOrCreate opens the home in dir, or creates it if there is none.
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
func NoHome(err error) bool { return model.HasCode(err, model.CodeNoHome) }

func open(dir string, o Options, open func(string, store.Options) (*store.Ledger, error)) (*Home, error) {
	plans, err := files.NewHome(dir)
	if err != nil {
		return nil, err
	}
	l, err := open(dir, store.Options{Plans: plans, Context: o.Context, Cluster: o.Cluster})
	if err != nil {
		return nil, err
	}
	h := On(l, plans, o)
	h.takeQueue(cmp.Or(o.Context, context.Background()))
	return h, nil
}

// On returns the home of an open ledger; closing the home closes the ledger. Without plan files, views show what the ledger knows about
// them.
func On(l *store.Ledger, plans files.Home, o Options) *Home {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &Home{Ledger: l, files: plans, o: o, upkeep: &upkeep{stop: stop}, Sessions: SessionsIn(plans.Dir(), o.Now)}
	l.Person = o.Person
	h.plans = ownPlans{h}
	if _, shared := l.Cluster(); shared {
		h.plans = sharedPlans{h}
	}
	h.running.Go(func() { l.Maintain(ctx, recovery.SnapshotHourly) })
	return h
}

// overdueLimit bounds the time that a process spends on recovery data after its own work.
const overdueLimit = 2 * time.Second

// Close closes the home. Before that it writes the recovery data for this process' changes.
func (h *Home) Close() (err error) {
	h.close.Do(func() {
		h.stop()
		h.running.Wait()
		h.keeper.idle.Wait()
		if h.changed.Load() {
			ctx, stop := context.WithTimeout(context.Background(), overdueLimit)
			defer stop()
			_ = recovery.SnapshotIfDue(ctx, h.Ledger) // the next process, or doctor, writes the snapshot if this fails
		}
		err = h.Ledger.Close()
	})
	return err
}

// With returns the same home with another dirOf: the directory in which an agent works, or "" for the working directory.
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

// Files returns the home's plan files.
func (h *Home) Files() files.Home { return h.files }

// Dir returns the home's directory.
func (h *Home) Dir() string { return h.files.Dir() }

// NewKey makes an idempotency key.
func NewKey() string { return store.NewID() }

// View reads the ledger at one revision, with plan files as they are now. fn must not call the home. See store.Ledger.View.
func (h *Home) View(ctx context.Context, fn func(model.Reader) error) error {
	h.takeQueue(ctx)
	return h.Ledger.View(ctx, func(r model.Reader) error { return h.withPlans(r, fn) })
}

func (h *Home) withPlans(r model.Reader, fn func(model.Reader) error) error {
	plans := &planReader{Reader: r, home: h}
	defer plans.close()
	return fn(plans)
}

// Damage returns a warning for each damaged record that reads found and left out of their answers.
func (h *Home) Damage() []model.Warning {
	var out []model.Warning
	for _, what := range h.Ledger.Damage() {
		out = append(out, model.Warning{Kind: model.WarnDamaged, Message: what + "; " + store.DamageHint})
	}
	return out
}

// Threads returns the threads around the working directory for an actor.
func (h *Home) Threads(actor model.Actor) Threads { return h.threadsIn(h.o.Dir, actor) }

func (h *Home) threadsIn(dir string, actor model.Actor) Threads {
	return Threads{Dir: dir, Now: h.o.Now, Actor: string(actor)}
}
