package home

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"vise/model"
)

// HostOptions are what following hosts needs. The zero value is usable.
type HostOptions struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Retry is how long to wait after so many tries that failed; nil: a second at first, a minute in the end.
	Retry func(failures int) time.Duration
}

// Hosts follow homes of other machines. Each is its own truth: nothing of them is stored here.
type Hosts struct {
	o   HostOptions
	ctx context.Context

	mu      sync.Mutex // protects what follows
	links   map[string]*link
	running sync.WaitGroup
	marks   uint64
	// moves counts what changed of hosts; news is closed with the next change.
	moves uint64
	news  chan struct{}
	// plans are items whose plan may have changed; planNews has one value while there are any.
	plans    map[model.ItemID]bool
	planNews chan struct{}
}

// NewHosts follows no host yet, and all that Set says until ctx ends.
func NewHosts(ctx context.Context, o HostOptions) *Hosts {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retry == nil {
		o.Retry = usualRetry
	}
	return &Hosts{o: o, ctx: ctx, links: map[string]*link{}, news: make(chan struct{}), plans: map[model.ItemID]bool{},
		planNews: make(chan struct{}, 1)}
}

// Set follows these hosts, and no others any more.
func (h *Hosts) Set(hosts []Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	same := func(l *link) bool {
		return slices.ContainsFunc(hosts, func(x Host) bool { return x.Name == l.Name && slices.Equal(x.Argv, l.Argv) })
	}
	for name, l := range h.links {
		if !same(l) {
			l.stop()
			delete(h.links, name)
			h.change()
		}
	}
	for _, x := range hosts {
		if h.links[x.Name] != nil {
			continue
		}
		ctx, stop := context.WithCancel(h.ctx)
		h.marks++
		l := &link{Host: x, o: h.o, mark: h.marks << markShift, stop: stop,
			state: model.HostState{Name: x.Name, Away: true, Since: h.o.Now()}}
		l.moved = func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.change()
		}
		l.planMoved = h.planMoved
		h.links[x.Name] = l
		h.running.Go(func() { l.run(ctx) })
		h.change()
	}
}

// Close returns when all programs have ended.
func (h *Hosts) Close() {
	h.Set(nil)
	h.running.Wait()
}

// change says that something changed; the caller holds the lock.
func (h *Hosts) change() {
	h.moves++
	close(h.news)
	h.news = make(chan struct{})
}

// maxPlanNews bounds the plans that changed and nobody asked for.
const maxPlanNews = 10_000

func (h *Hosts) planMoved(id model.ItemID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.plans) < maxPlanNews {
		h.plans[id] = true
	}
	select {
	case h.planNews <- struct{}{}:
	default:
	}
}

// PlanNews has a value while plans of hosts may have changed, which MovedPlans names.
func (h *Hosts) PlanNews() <-chan struct{} { return h.planNews }

// MovedPlans are the items whose plan may have changed since it was asked last.
func (h *Hosts) MovedPlans() []model.ItemID {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Sorted(maps.Keys(h.plans))
	clear(h.plans)
	return out
}

// sorted are the links by name, and how often something changed.
func (h *Hosts) sorted() ([]*link, uint64, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.SortedFunc(maps.Values(h.links), func(a, b *link) int { return cmp.Compare(a.Name, b.Name) })
	return out, h.moves, h.news
}

func (h *Hosts) link(name string) *link {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.links[name]
}

// Has reports whether a host is followed.
func (h *Hosts) Has(name string) bool { return h.link(name) != nil }

// States are the ways to all hosts, by name.
func (h *Hosts) States() (out []model.HostState) {
	links, _, _ := h.sorted()
	for _, l := range links {
		l.mu.Lock()
		out = append(out, l.state)
		l.mu.Unlock()
	}
	return out
}

// Plan reads the plan of a host's item.
func (h *Hosts) Plan(ctx context.Context, id model.ItemID) (HostPlan, error) {
	l := h.link(model.HostOf(id))
	if l == nil {
		return HostPlan{}, model.Refuse(model.CodeNotFound, "no host has %s", model.Text(id))
	}
	return l.plan(ctx, id)
}

// Settled waits until each host has been heard, or could not be reached, once; or until ctx ends.
func (h *Hosts) Settled(ctx context.Context) {
	for {
		_, _, news := h.sorted()
		if !slices.ContainsFunc(h.States(), func(x model.HostState) bool { return x.Away && x.Trouble == nil }) {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

// applier is what is here of a console's ledger.
type applier interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	Follow(ctx context.Context, after uint64) (uint64, error)
	Conditions(context.Context) []model.Condition
}

// WithHosts is a home together with hosts, for a console: what is read is of all of them, and a command goes where its
// agent is. Its revision is the home's, and counts what changed of hosts too.
type WithHosts struct {
	Home  applier
	Hosts *Hosts
}

// Apply sends a command to the home that its agent is of.
func (w WithHosts) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	if l := w.Hosts.link(model.HostOf(e.Agent)); l != nil {
		return l.apply(ctx, e)
	}
	return w.Home.Apply(ctx, e)
}

// Conditions are those of the home that is here.
func (w WithHosts) Conditions(ctx context.Context) []model.Condition { return w.Home.Conditions(ctx) }

// States are the ways to the hosts.
func (w WithHosts) States() []model.HostState { return w.Hosts.States() }

// View reads the home at one revision, and of each host what is known.
func (w WithHosts) View(ctx context.Context, fn func(model.Reader) error) error {
	links, moves, _ := w.Hosts.sorted()
	if len(links) == 0 && moves == 0 {
		return w.Home.View(ctx, fn)
	}
	hosts := map[string]*snapshot{}
	for _, l := range links {
		if s := l.seen(); s != nil {
			hosts[l.Name] = s
		}
	}
	return w.Home.View(ctx, func(r model.Reader) error { return fn(newHomesReader(r, hosts, moves)) })
}

// Follow returns the revision once it is past after.
func (w WithHosts) Follow(ctx context.Context, after uint64) (uint64, error) {
	for {
		_, moves, news := w.Hosts.sorted()
		if moves > after {
			return moves, nil // what the home is at is more
		}
		waiting, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-news:
				stop()
			case <-waiting.Done():
			}
		}()
		revision, err := w.Home.Follow(waiting, after-moves)
		stop()
		if err == nil {
			return revision + moves, nil
		}
		if ctx.Err() != nil {
			return 0, err
		}
		if _, now, _ := w.Hosts.sorted(); now == moves {
			return 0, err
		}
	}
}
