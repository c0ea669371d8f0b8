package home

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"vise/model"
	"vise/store/kv"
)

// HostOptions are the settings for following hosts. The zero value is usable.
type HostOptions struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Retry returns how long to wait after this number of failed tries. Nil means one second at first and at most a minute.
	Retry func(failures int) time.Duration
	// Here returns the id of the local home. Nil means that there is none.
	Here func() string
}

// Hosts follows homes on other machines. Each home keeps its own records: nothing of them is stored here.
type Hosts struct {
	o   HostOptions
	ctx context.Context

	mu      sync.Mutex // protects the fields below
	links   map[string]*link
	homes   map[string]string // the ids of the homes that the links followed first, by name
	running sync.WaitGroup
	marks   uint64
	// moves counts the changes of hosts. news is of them.
	moves uint64
	news  kv.News
	// plans are the items whose plan may have changed. planNews holds one value while there are any.
	plans    map[model.ItemID]bool
	planNews chan struct{}
}

// NewHosts returns Hosts that follow none yet. Following the hosts given to Set ends with ctx.
func NewHosts(ctx context.Context, o HostOptions) *Hosts {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Retry == nil {
		o.Retry = usualRetry
	}
	if o.Here == nil {
		o.Here = func() string { return "" }
	}
	return &Hosts{o: o, ctx: ctx, links: map[string]*link{}, homes: map[string]string{},
		plans: map[model.ItemID]bool{}, planNews: make(chan struct{}, 1)}
}

// claim notes the home that a link follows. It refuses another one than at first, and one that another link follows.
func (h *Hosts) claim(l *link, homeID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.links[l.Name] != l {
		return nil // removed
	}
	if was := h.homes[l.Name]; was != "" && was != homeID {
		return model.Conflict("another home is there than before: %s, which was %s", homeID, model.Text(was)).
			WithHint("if that is right, start vise again")
	}
	for name, id := range h.homes {
		if id == homeID && name != l.Name {
			return model.Conflict("it is the same home as %s", name).WithHint("vise admin hosts remove %s", l.Name)
		}
	}
	h.homes[l.Name] = homeID
	return nil
}

// Set makes these the followed hosts and stops following all others.
func (h *Hosts) Set(hosts []Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	same := func(l *link) bool {
		return slices.ContainsFunc(hosts, func(x Host) bool { return x.Name == l.Name && x.Dir == l.Dir && slices.Equal(x.Argv, l.Argv) })
	}
	for name, l := range h.links {
		if !same(l) {
			l.stop()
			delete(h.links, name)
			delete(h.homes, name)
			h.change()
		}
	}
	for _, x := range hosts {
		if h.links[x.Name] != nil {
			continue
		}
		ctx, stop := context.WithCancel(h.ctx)
		h.marks++
		l := &link{Host: x, hosts: h, mark: h.marks << markShift, stop: stop,
			state: model.HostState{Name: x.Name, Away: true, Since: h.o.Now()}}
		h.links[x.Name] = l
		h.running.Go(func() { l.run(ctx) })
		h.change()
	}
}

// Close stops following and returns when all programs have ended.
func (h *Hosts) Close() {
	h.Set(nil)
	h.running.Wait()
}

// moved announces a change of the known state of a host.
func (h *Hosts) moved() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.change()
}

// change announces a change. The caller holds the lock.
func (h *Hosts) change() {
	h.moves++
	h.news.Broadcast()
}

// maxPlanNews bounds the changed plans that no caller has asked for yet.
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

// PlanNews has a value while MovedPlans has items to return.
func (h *Hosts) PlanNews() <-chan struct{} { return h.planNews }

// MovedPlans returns the items whose plan may have changed since the last call.
func (h *Hosts) MovedPlans() []model.ItemID {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Sorted(maps.Keys(h.plans))
	clear(h.plans)
	return out
}

// sorted returns the links by name, the number of changes, and the channel that the next change closes.
func (h *Hosts) sorted() ([]*link, uint64, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.SortedFunc(maps.Values(h.links), func(a, b *link) int { return cmp.Compare(a.Name, b.Name) })
	return out, h.moves, h.news.Next()
}

func (h *Hosts) link(name string) *link {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.links[name]
}

// Has reports whether a host is followed.
func (h *Hosts) Has(name string) bool { return h.link(name) != nil }

// States returns the state of the connection to each host, by name.
func (h *Hosts) States() (out []model.HostState) {
	links, _, _ := h.sorted()
	for _, l := range links {
		l.mu.Lock()
		out = append(out, l.state)
		l.mu.Unlock()
	}
	return out
}

// Plan reads the plan of an item on a host.
func (h *Hosts) Plan(ctx context.Context, id model.ItemID) (HostPlan, error) {
	l := h.link(model.HostOf(id))
	if l == nil {
		return HostPlan{}, model.NotFound("no host has %s", model.Text(id))
	}
	return l.plan(ctx, id)
}

// Settled waits until each host has sent its state or has failed to connect once, or until ctx ends.
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

// applier is the part of the local home that a console uses.
type applier interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	Follow(ctx context.Context, after uint64) (uint64, error)
	Conditions(context.Context) []model.Condition
}

// WithHosts is a home together with hosts, for a console. Reads cover all of them. A command goes to the home of its agent. The revision is
// the home's plus the number of changes of hosts.
type WithHosts struct {
	Home applier
	*Hosts
}

// Apply sends a command to the home of its agent.
func (w WithHosts) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	if l := w.Hosts.link(model.HostOf(e.Agent)); l != nil {
		return l.apply(ctx, e)
	}
	if host := model.HostOf(e.Agent); host != "" {
		return model.Receipt{}, model.NotFound("nothing was sent: the host %s was removed", model.Text(host)).
			WithHint("vise admin hosts add shows it again")
	}
	return w.Home.Apply(ctx, e)
}

// Conditions returns those of the local home.
func (w WithHosts) Conditions(ctx context.Context) []model.Condition { return w.Home.Conditions(ctx) }

// View reads the home at one revision, together with the known state of each host.
func (w WithHosts) View(ctx context.Context, fn func(model.Reader) error) error {
	links, moves, _ := w.Hosts.sorted()
	if len(links) == 0 && moves == 0 {
		return w.Home.View(ctx, fn)
	}
	hosts := map[string]*snapshot{}
	for _, l := range links {
		if s := l.seen(); s != nil {
			hosts[l.Name] = s.reading()
		}
	}
	return w.Home.View(ctx, func(r model.Reader) error { return fn(newHomesReader(r, hosts, moves)) })
}

// Follow returns the revision once it is greater than after.
func (w WithHosts) Follow(ctx context.Context, after uint64) (uint64, error) {
	for {
		_, moves, news := w.Hosts.sorted()
		if moves > after {
			return moves, nil // a lower bound: the home's revision adds to it
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
