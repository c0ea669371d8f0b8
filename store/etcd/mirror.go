package etcd

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
)

// mirror keeps the places of mirrored in memory, as the watch tells of them. A transaction reads it at one revision, and asks the cluster
// at that revision for the rest.
type mirror struct {
	kept kept
	ask  chan struct{} // holds a token when the watch shall ask how far it is

	mu    sync.Mutex    // protects the rest
	state store.Backend // of whole revisions; nil before it was read
	at    int64         // the newest revision in state
	own   int64         // the newest commit of this process
	said  time.Time     // when the cluster last said how far it is
	moved chan struct{} // closed when at grows
	stale bool          // the watch cannot go on from at: it must be read anew
	// readsOnly: the user may change nothing, as it was when the mirror was read.
	readsOnly bool
}

// mirrored are the places that a mirror has: what is shown of all agents, and about/.
var mirrored = span{from: spaceShown, to: spaceWhole + "about0"} // "0" follows the slash

// placeAt is where a mirror keeps its revision. Before a place of a turn, placeEnded is where it keeps when the last one there ended.
const (
	placeAt    = "at"
	placeEnded = "ended/"
)

// lagging is how long the cluster can say nothing before a mirror is told to be old.
const lagging = 3 * time.Second

func newMirror() *mirror { return &mirror{ask: make(chan struct{}, 1), moved: make(chan struct{})} }

// holds reports whether a span lies in the mirror.
func (m *mirror) holds(s span) bool {
	return s.from >= mirrored.from && (s.to == "" && s.from < mirrored.to || s.to != "" && s.to <= mirrored.to)
}

// readMirror reads the mirror at one revision.
func (b *Backend) readMirror(ctx context.Context) error {
	t, state := b.begin(ctx, false), store.NewMemory()
	for next := (read{span: mirrored, limit: pageMost}); next.from != ""; {
		pages, err := t.ask(next)
		if err != nil {
			return err
		}
		next.from = ""
		err = state.Update(ctx, func(m store.Txn) error {
			for _, p := range pages[0].pairs {
				if pages[0].more {
					next.from = p.place + "\x00"
				}
				if err := m.Put([]byte(p.place), stored(p)); err != nil {
					return err
				}
			}
			return m.Put([]byte(placeAt), binary.BigEndian.AppendUint64(nil, uint64(t.at)))
		})
		if err != nil {
			return err
		}
	}
	readsOnly, err := b.OnlyReads(ctx)
	if err != nil {
		return err
	}
	m := b.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stale, m.readsOnly = false, readsOnly
	if m.state == nil || m.at < t.at {
		m.state = state
		m.reached(t.at)
		b.heard(t.at)
	}
	return nil
}

// compacted reports whether the watch cannot go on from what the mirror has.
func (m *mirror) compacted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stale
}

// asked returns a token when the watch shall ask how far it is.
func (b *Backend) asked() <-chan struct{} {
	if b.mirror == nil {
		return nil
	}
	return b.mirror.ask
}

// reached notes how far the mirror is.
func (m *mirror) reached(at int64) {
	m.said = time.Now()
	if at > m.at {
		m.at = at
		close(m.moved)
		m.moved = make(chan struct{})
	}
}

// apply makes the changes up to a revision, all at once.
func (m *mirror) apply(ctx context.Context, root string, events []*clientv3.Event, at int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at > m.at {
		err := m.state.Update(ctx, func(t store.Txn) error {
			for _, e := range events {
				if err := change(t, e.Kv, string(e.Kv.Key[len(root):]), e.Type == mvccpb.DELETE); err != nil {
					return err
				}
			}
			return t.Put([]byte(placeAt), binary.BigEndian.AppendUint64(nil, uint64(at)))
		})
		if err != nil {
			return err
		}
	}
	m.reached(at)
	return nil
}

func change(t store.Txn, kv *mvccpb.KeyValue, place string, deleted bool) error {
	if deleted {
		if strings.HasPrefix(place, spaceShown+tableLive) {
			if err := t.Put([]byte(placeEnded+place), stored(pair{changed: kv.ModRevision})); err != nil {
				return err
			}
		}
		return t.Delete([]byte(place))
	}
	return t.Put([]byte(place), stored(pair{place, kv.Value, kv.ModRevision, kv.Version}))
}

// ended are the agents with a turn that ended to live at a revision or later. Only a mirror knows them.
func (t *txn) ended(since int64) (agents []model.AgentID) {
	if t.mirror == nil {
		return nil
	}
	_ = t.mirror.Scan(store.Prefix([]byte(placeEnded)), func(place, value []byte) bool { // memory does not fail
		if at := string(place[len(placeEnded):]); unstored(at, value).changed >= since {
			agents = append(agents, partAt(at))
		}
		return true
	})
	return agents
}

// stored is a pair as a mirror has it at its place, and unstored reads it.
func stored(p pair) []byte {
	out := make([]byte, 0, 2*numberSize+len(p.value))
	out = binary.BigEndian.AppendUint64(out, uint64(p.changed))
	out = binary.BigEndian.AppendUint64(out, uint64(p.version))
	return append(out, p.value...)
}

func unstored(place string, value []byte) pair {
	return pair{place, value[2*numberSize:], int64(binary.BigEndian.Uint64(value)), int64(binary.BigEndian.Uint64(value[numberSize:]))}
}

// newest is the mirror once it has what this process has committed. It is nil if that takes too long, or the cluster has forgotten the
// mirror's revision; the cluster is asked then.
func (m *mirror) newest(ctx context.Context) store.Backend {
	limit := time.NewTimer(rpcLimit)
	defer limit.Stop()
	for {
		m.mu.Lock()
		state, at, own, moved, stale := m.state, m.at, m.own, m.moved, m.stale
		m.mu.Unlock()
		switch {
		case stale:
			return nil
		case at >= own:
			return state
		}
		select {
		case <-moved:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// warm calls fn after it has let the transaction read from the mirror, if there is one.
func (t *txn) warm(fn func() error) error {
	if t.b.mirror == nil {
		return fn()
	}
	if err := t.b.follow(t.ctx); err != nil {
		return err
	}
	state := t.b.mirror.newest(t.ctx)
	if state == nil {
		return fn()
	}
	return state.View(t.ctx, func(m store.Txn) error {
		at, err := m.Get([]byte(placeAt))
		if err != nil {
			return err
		}
		t.mirror, t.at = m, int64(binary.BigEndian.Uint64(at))
		return fn()
	})
}

// fetch reads at the transaction's snapshot: from memory what is there.
func (t *txn) fetch(reads ...read) ([]page, error) {
	pages := make([]page, len(reads))
	var missing []read
	var at []int // of missing in pages
	for i, r := range reads {
		var ok bool
		if pages[i], ok = t.remembered(r); !ok {
			missing, at = append(missing, r), append(at, i)
		}
	}
	if len(missing) == 0 {
		return pages, nil
	}
	got, err := t.askAndKeep(missing)
	if err != nil {
		return nil, err
	}
	for i, p := range got {
		pages[at[i]] = p
	}
	return pages, nil
}

// askAndKeep asks the cluster. With a mirror it also asks for what is likely to be wanted again, and keeps the answers.
func (t *txn) askAndKeep(wanted []read) ([]page, error) {
	if t.mirror == nil {
		return t.ask(wanted...)
	}
	reads := slices.Clone(wanted)
	for _, r := range wanted {
		for _, again := range t.b.mirror.kept.again(r.part, t.headNow(r.part)) {
			if !slices.Contains(reads, again) {
				reads = append(reads, again)
			}
		}
	}
	got, err := t.ask(reads...)
	if err != nil {
		return nil, err
	}
	for i, p := range got {
		if r := reads[i]; r.part != "" && len(p.pairs) <= pageFirst {
			t.b.mirror.kept.put(r, t.headNow(r.part), p)
		}
	}
	return got[:len(wanted)], nil
}

// remembered is the answer to a read from memory, if it is there.
func (t *txn) remembered(r read) (p page, ok bool) {
	switch {
	case t.mirror == nil:
		return t.shownPage(r)
	case t.b.mirror.holds(r.span):
		return t.mirrorPage(r), true
	case r.part == "":
		return p, false
	}
	return t.b.mirror.kept.get(r, t.headNow(r.part))
}

// headNow is the revision of a part's head in the mirror.
func (t *txn) headNow(part model.AgentID) int64 {
	p := t.mirrorPage(one(headOf(part)))
	if len(p.pairs) == 0 {
		return 0
	}
	return p.pairs[0].changed
}

func (t *txn) mirrorPage(r read) (p page) {
	if r.to == "" {
		if value, _ := t.mirror.Get([]byte(r.from)); value != nil { // memory does not fail
			p.pairs = append(p.pairs, unstored(r.from, value))
		}
		return p
	}
	_ = t.mirror.Scan(store.Range{From: []byte(r.from), To: []byte(r.to), Reverse: r.reverse}, func(place, value []byte) bool {
		x := unstored(string(place), value)
		if x.changed < r.since {
			return true
		}
		if p.more = r.limit > 0 && len(p.pairs) == r.limit; !p.more {
			p.pairs = append(p.pairs, x)
		}
		return !p.more
	})
	return p
}

// remember lets the mirror know of this process's commit: what was read of its parts, and that views wait for it.
func (t *txn) remember(revision int64) {
	m := t.b.mirror
	if m == nil {
		return
	}
	for _, r := range t.born {
		m.kept.put(r, t.heads[r.part], page{})
	}
	written := map[string]write{}
	shown := false
	for key, w := range t.writes {
		place := placeOf([]byte(key))
		written[place] = w
		shown = shown || m.holds(span{from: place})
	}
	for part, was := range t.heads {
		if _, ok := t.writes[tableHead+string(part)]; ok {
			m.kept.advance(part, was, revision, written)
		}
	}
	m.mu.Lock()
	m.own = max(m.own, revision)
	m.mu.Unlock()
	if !shown { // the watch does not tell of it
		select {
		case m.ask <- struct{}{}:
		default:
		}
	}
}

// Mirrors reports whether views ask nobody.
func (b *Backend) Mirrors() bool { return b.mirror != nil }

// Conditions tell that what is shown is old, that the user may change nothing, or that clocks differ.
func (b *Backend) Conditions() []model.Condition {
	found := b.clocks.conditions()
	if b.mirror == nil {
		return found
	}
	b.mirror.mu.Lock()
	said, readsOnly := b.mirror.said, b.mirror.readsOnly
	b.mirror.mu.Unlock()
	if readsOnly {
		user := model.Text(b.config.User)
		found = append(found, model.Condition{Code: model.CodeReadOnly, ReadOnly: true,
			Message: fmt.Sprintf("the cluster lets %s only read this ledger", user),
			Hint:    fmt.Sprintf("once its administrator has run vise fleet grant %s ADDRESS, start this again", user)})
	}
	if said.IsZero() || time.Since(said) < lagging {
		return found
	}
	return append(found, model.Condition{Code: model.CodeLagging,
		Message: "this is as of " + said.Local().Format(time.TimeOnly) + ": the cluster has said nothing since",
		Hint:    "it goes on when a member answers"})
}
