package etcd

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/google/btree"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store/kv"
)

// mirror has what is stored in mirrored in memory, as the watch delivers it. A transaction reads it at one revision, and asks the cluster
// at that revision for the rest.
type mirror struct {
	cache cache
	moved kv.News // of now

	mu       sync.Mutex // protects the rest
	now      *snapshot  // nil before it was read
	own      int64      // the newest commit of this process
	progress time.Time  // when the cluster last said how far it is
	stale    bool       // the watch cannot go on from now: it must be read anew
	// readsOnly: the user may change nothing, as it was when the mirror was read.
	readsOnly bool
}

// snapshot is the mirror at a revision. It never changes.
type snapshot struct {
	at   int64
	tree *btree.BTreeG[pair]
	// ended has for each agent the revision at which a turn last ended to live since the mirror was read.
	ended map[model.AgentID]int64
}

// mirrored are the paths that a mirror has: what is shown of all agents, and about/.
var mirrored = span{from: spaceShown, to: spaceWhole + "about0"} // "0" follows the slash

// lagging is how long the cluster can say nothing before a mirror is told to be old.
const lagging = 3 * time.Second

// page is the answer to a read, if it lies in the mirror.
func (s *snapshot) page(r read) (p page, ok bool) {
	switch {
	case r.from < mirrored.from || r.from >= mirrored.to || r.to > mirrored.to:
		return p, false
	case r.to == "":
		if x, found := s.tree.Get(pair{path: r.from}); found {
			p.pairs = []pair{x}
		}
		return p, true
	}
	add := func(x pair) bool {
		if x.changed < r.since {
			return true
		}
		if p.more = r.limit > 0 && len(p.pairs) == r.limit; !p.more {
			p.pairs = append(p.pairs, x)
		}
		return !p.more
	}
	if r.reverse {
		s.tree.DescendRange(pair{path: r.to}, pair{path: r.from}, func(x pair) bool { return x.path == r.to || add(x) })
		if x, found := s.tree.Get(pair{path: r.from}); found && !p.more { // the range leaves its end out
			add(x)
		}
	} else {
		s.tree.AscendRange(pair{path: r.from}, pair{path: r.to}, add)
	}
	return p, true
}

// head is the revision of a part's head.
func (s *snapshot) head(part model.AgentID) int64 {
	p, _ := s.page(one(headOf(part)))
	return p.first().changed
}

// readMirror reads the mirror at one revision.
func (b *Backend) readMirror(ctx context.Context) error {
	t := b.begin(ctx, false)
	tree := btree.NewG(32, func(a, b pair) bool { return a.path < b.path })
	for r := (read{span: mirrored, limit: pageMost}); r.from != ""; {
		pages, err := t.ask(r)
		if err != nil {
			return err
		}
		got := pages[r]
		r.from = ""
		for _, p := range got.pairs {
			tree.ReplaceOrInsert(p)
			if got.more {
				r.from = p.path + "\x00"
			}
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
	if m.now == nil || m.now.at < t.at {
		m.reached(&snapshot{at: t.at, tree: tree, ended: map[model.AgentID]int64{}})
		b.delivered(t.at)
	}
	return nil
}

// compacted reports whether the watch cannot go on from what the mirror has.
func (m *mirror) compacted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stale
}

// reached notes how far the mirror is.
func (m *mirror) reached(now *snapshot) {
	m.progress, m.now = time.Now(), now
	m.moved.Broadcast()
}

// apply makes the changes up to a revision, all at once.
func (m *mirror) apply(root string, events []*clientv3.Event, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.progress = time.Now(); at <= m.now.at {
		return
	}
	next := &snapshot{at, m.now.tree.Clone(), maps.Clone(m.now.ended)}
	for _, e := range events {
		path, kv := string(e.Kv.Key[len(root):]), e.Kv
		switch {
		case e.Type != mvccpb.DELETE:
			next.tree.ReplaceOrInsert(pair{path, kv.Value, kv.ModRevision, kv.Version})
			continue
		case strings.HasPrefix(path, spaceShown+tableLive):
			next.ended[partAt(path)] = kv.ModRevision
		}
		next.tree.Delete(pair{path: path})
	}
	m.reached(next)
}

// newest is the mirror once it has what this process has committed. It is nil if that takes too long, or the cluster has forgotten the
// mirror's revision; the cluster is asked then.
func (m *mirror) newest(ctx context.Context) *snapshot {
	limit := time.NewTimer(rpcLimit)
	defer limit.Stop()
	for {
		moved := m.moved.Next()
		m.mu.Lock()
		now, own, stale := m.now, m.own, m.stale
		m.mu.Unlock()
		switch {
		case stale:
			return nil
		case now.at >= own:
			return now
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

// useMirror lets the transaction read from the mirror, if there is one.
func (t *txn) useMirror() error {
	if t.b.mirror == nil {
		return nil
	}
	if err := t.b.follow(t.ctx); err != nil {
		return err
	}
	if t.mirror = t.b.mirror.newest(t.ctx); t.mirror != nil {
		t.at = t.mirror.at
	}
	return nil
}

// deliver lets views wait for this process's commit. The watch tells of each commit, because it writes heads.
func (m *mirror) deliver(revision int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own = max(m.own, revision)
}

// Conditions implements store.Backend. They tell that what is shown is old, that the user may change nothing, or that clocks differ.
func (b *Backend) Conditions() []model.Condition {
	found := b.clocks.conditions()
	if b.mirror == nil {
		return found
	}
	b.mirror.mu.Lock()
	progress, readsOnly := b.mirror.progress, b.mirror.readsOnly
	b.mirror.mu.Unlock()
	if readsOnly {
		user := model.Text(b.config.User)
		found = append(found, model.Condition{Code: model.CodeReadOnly, ReadOnly: true,
			Message: fmt.Sprintf("the cluster lets %s only read this ledger", user),
			Hint:    fmt.Sprintf("once its administrator has run vise admin fleet grant %s ADDRESS, start this again", user)})
	}
	if progress.IsZero() || time.Since(progress) < lagging {
		return found
	}
	return append(found, model.Condition{Code: model.CodeLagging,
		Message: "this is as of " + progress.Local().Format(time.TimeOnly) + ": the cluster has said nothing since",
		Hint:    "it goes on when a member answers"})
}

// cache is what was read of parts and is not in the mirror. It holds as long as the head of its part is the same, because each change of a
// part writes its head. A change of the history holds for good: it is never written again.
type cache struct {
	mu    sync.Mutex // protects all
	parts map[model.AgentID]*cachedPart
	size  int
}

type cachedPart struct {
	head    int64 // its revision
	pages   map[read]page
	changes map[read]page // of the history
	size    int
}

// cacheMost is the size at which all is forgotten.
const cacheMost = 8 << 20

// isChange reports whether a read is of one change of the history.
func (r read) isChange() bool {
	return r.to == "" && strings.HasPrefix(r.from, tables["journal/"].of(r.part))
}

func (c *cache) get(r read, head int64) (p page, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.parts[r.part]
	switch {
	case x == nil:
		return p, false
	case r.isChange():
		p, ok = x.changes[r]
		return p, ok && p.first().changed <= head // not of the transaction's future
	case x.head == head:
		p, ok = x.pages[r]
	}
	return p, ok
}

func (c *cache) put(r read, head int64, p page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts == nil || c.size > cacheMost {
		c.parts, c.size = map[model.AgentID]*cachedPart{}, 0
	}
	x := c.parts[r.part]
	if x == nil {
		x = &cachedPart{pages: map[read]page{}, changes: map[read]page{}}
		c.parts[r.part] = x
	}
	size := 200 + len(r.from) + len(r.to) // about what it takes in memory
	for _, y := range p.pairs {
		size += 100 + len(y.path) + len(y.value)
	}
	switch {
	case r.isChange() && len(p.pairs) > 0:
		x.changes[r] = p
	case x.head > head:
		return
	case x.head < head:
		x.head, x.pages = head, map[read]page{r: p}
		c.size -= x.size
		x.size = size
	default:
		x.pages[r] = p
		x.size += size
	}
	c.size += size
}
