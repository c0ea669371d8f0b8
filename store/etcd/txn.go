package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
)

var (
	errReadOnly = errors.New("write in a transaction that only reads")
	errEmptyKey = errors.New("empty key")
)

// about is the key of the ledger's revision. It is stored once, when the ledger is made. From then on each commit of the cluster counts:
// two changes of different parts share nothing.
var about = []byte(aboutTable + "head")

// aboutTable is the table of what is known of the whole ledger.
const aboutTable = "about/"

// state is the key that says whether the ledger is open. Each transaction reads it.
const state = "about/state"

// txn is a transaction. It reads everything at the revision of its first request, and nothing twice.
type txn struct {
	b        *Backend
	ctx      context.Context
	writable bool
	bulk     bool      // it reads whole tables
	lock     *partLock // of a transaction that may write; nil otherwise
	mirror   *snapshot // nil if the mirror is not used

	at     int64             // the revision that is read; 0 before the first request
	begun  time.Time         // when that was
	cached map[read]page     // short pages that were read
	next   []read            // what lists refer to, and what the last transaction read; goes with the next request
	asked  []read            // of the cluster
	parts  []model.AgentID   // all parts of the ledger, if they were read
	owners map[string]owner  // by id
	writes map[string][]byte // by key; nil deletes

	// What the commit compares: the heads of the parts that were read, the paths of the whole ledger that were read, each with the revision
	// of its last change, and the ranges across parts.
	heads    map[model.AgentID]int64
	compared map[string]int64
	scanned  map[span]bool
	first    bool  // the first try of a change
	failed   error // of a read; nothing is read after it
	sent     bool  // the commit
	// fences are by path. lives are the turns that begin to live with the commit, or end to if they are zero.
	fences map[string]fence
	lives  map[model.AgentID]live
}

// pair is what is stored at a path. A changed of zero means nothing.
type pair struct {
	path    string
	value   []byte
	changed int64 // the revision of the last change
	version int64 // the number of changes since it was made
}

// owner is the part of an id. It is new if this transaction may be what makes the id.
type owner struct {
	part model.AgentID
	new  bool
}

func (b *Backend) begin(ctx context.Context, writable bool) *txn {
	return &txn{b: b, ctx: ctx, writable: writable, cached: map[read]page{}, owners: map[string]owner{}, writes: map[string][]byte{},
		heads: map[model.AgentID]int64{}, compared: map[string]int64{}, scanned: map[span]bool{}, fences: map[string]fence{},
		lives: map[model.AgentID]live{}}
}

// goOn lets a view read on at the revision of the view before it, if that was just now. Every other transaction reads again, with its first
// request, what the last one read or would read next, because a command looks first at what it changes. What a view has read judges no
// change.
func (t *txn) goOn() {
	last := t.b.last.Load()
	if last == nil {
		return
	}
	if t.next = slices.Concat(last.asked, last.next); !t.writable && !last.writable && time.Since(last.begun) < rpcLimit {
		t.at, t.begun, t.next, t.asked = last.at, last.begun, slices.Clone(last.next), slices.Clone(last.asked)
		t.cached, t.owners = maps.Clone(last.cached), maps.Clone(last.owners)
	}
}

// end notes the transaction for the next one.
func (t *txn) end() {
	if t.b.config.Once {
		t.b.last.Store(t)
	}
}

// Get implements store.Txn.
func (t *txn) Get(key []byte) ([]byte, error) {
	if value, ok := t.writes[string(key)]; ok {
		return value, nil
	}
	path := pathOf(key)
	if path == "" {
		return nil, nil
	}
	p, err := t.get(path)
	if err != nil {
		return nil, err
	}
	return t.value(p)
}

// get reads what is stored at a path, and what is usually read with it.
func (t *txn) get(path string) (pair, error) {
	pages, err := t.read(one(path))
	if err != nil {
		return pair{}, err
	}
	p := pages[0].first()
	if t.writable && strings.HasPrefix(path, spaceWhole) {
		t.compared[path] = p.changed
	}
	return p, nil
}

// value is the value of a pair as a reader gets it.
func (t *txn) value(p pair) ([]byte, error) {
	switch {
	case p.changed == 0:
		return nil, nil
	case p.path == spaceWhole+string(about):
		return store.LaterHead(p.value, uint64(t.at-p.changed))
	}
	return append([]byte{}, p.value...), nil
}

// Put implements store.Txn.
func (t *txn) Put(key, value []byte) error { return t.write(key, append([]byte{}, value...)) }

// Delete implements store.Txn.
func (t *txn) Delete(key []byte) error { return t.write(key, nil) }

func (t *txn) write(key, value []byte) error {
	switch {
	case !t.writable:
		return errReadOnly
	case len(key) == 0:
		return errEmptyKey
	case pathOf(key) == "":
		return fmt.Errorf("the key %q is not of its table's form", key)
	}
	if id, part, ok := idOf(key); ok && value != nil {
		if o, known := t.owners[id]; known && o.part != part {
			return fmt.Errorf("%q is of agent %s, not %s", id, o.part, part)
		} else if !known {
			was, named := t.b.names.get(id)
			t.owners[id] = owner{part, !named || was != part}
			if t.owners[id].new && t.first {
				t.hasNothing(id, key)
			}
		}
	}
	t.writes[string(key)] = value
	return nil
}

// hasNothing notes that nothing is stored with a new record. The commit compares that its id has no name.
func (t *txn) hasNothing(id string, key []byte) {
	record := one(pathOf(key))
	for _, r := range append(together(record, false), record) {
		if _, known := t.local(r); !known && strings.Contains(r.from, "/"+id+"/") {
			t.cache(r, page{})
		}
	}
}

// idOf is the id of a record that leads to its part, and the part.
func idOf(key []byte) (id string, part model.AgentID, ok bool) {
	t := tableOf(key)
	if !t.named {
		return "", "", false
	}
	rest := key[len(t.name):]
	end := bytes.IndexByte(rest, '/')
	return string(rest[:max(end, 0)]), store.PartOf(key), end > 0
}

// fewParts is in how many parts a record is looked for together with the part of its id.
const fewParts = 4

// partOfID finds the part of the id of a record. It is empty if there is none.
func (t *txn) partOfID(tab table, id string) (model.AgentID, error) {
	if o, known := t.owners[id]; known {
		return o.part, nil
	}
	if part, known := t.b.names.get(id); known {
		return part, nil
	}
	reads := []read{one(handleOf(id))} // what is no id may be a handle
	if len(t.heads) <= fewParts {
		for part := range t.heads {
			reads = append(reads, one(pathOf([]byte(tab.name+id+"/"+string(part)))))
		}
	}
	t.next = append(reads, t.next...)
	p, err := t.get(spaceNames + id)
	if err != nil || p.changed == 0 {
		return "", err
	}
	part := model.AgentID(p.value)
	t.owners[id] = owner{part: part}
	t.b.names.put(id, part)
	return part, nil
}

// read is one range of paths to be read, or one path if to is empty.
type read struct {
	span
	limit   int // 0 means all
	reverse bool
	keys    bool  // without values
	since   int64 // 0 means all; otherwise only what was written at that revision or later
}

// one is the read of one path.
func one(path string) read { return read{span: span{from: path, part: partAt(path)}} }

// page is the answer to a read.
type page struct {
	pairs []pair
	more  bool
}

// first is the first pair; zero without one.
func (p page) first() (first pair) {
	if len(p.pairs) > 0 {
		first = p.pairs[0]
	}
	return first
}

// readsAtOnce is how many reads go into one request.
const readsAtOnce = 120

// read reads what is known or in memory there, and the rest in one request. A change depends on the parts that it reads.
func (t *txn) read(wanted ...read) ([]page, error) {
	pages, missing := make([]page, len(wanted)), []read(nil)
	need := func(r read) (page, bool) {
		p, ok := t.local(r)
		if !ok && !slices.Contains(missing, r) {
			missing = append(missing, r)
		}
		return p, ok
	}
	for i, r := range wanted {
		if r.part != "" && t.writable {
			if t.failed == nil { // a change that has failed waits for no lock
				t.failed = t.lock.take(t.ctx, r.part)
			}
			if t.failed != nil {
				return nil, t.failed
			}
		}
		pages[i], _ = need(r)
	}
	for _, r := range wanted {
		if r.part != "" && (t.writable || t.b.config.Once) {
			need(one(headOf(r.part)))
		}
	}
	got, err := t.request(missing)
	if err != nil {
		return nil, err
	}
	for i, r := range wanted {
		if p, ok := got[r]; ok {
			pages[i] = p
		}
		if r.part != "" {
			t.heads[r.part] = t.cached[one(headOf(r.part))].first().changed
		}
	}
	return pages, nil
}

// local is the answer to a read that is known or in memory.
func (t *txn) local(r read) (p page, ok bool) {
	if p, ok = t.cached[r]; ok || t.mirror == nil {
		return p, ok
	}
	if p, ok = t.mirror.page(r); !ok && r.part != "" {
		p, ok = t.b.mirror.cache.get(r, t.mirror.head(r.part))
	}
	if ok {
		t.note(r, p)
	}
	return p, ok
}

// request reads from the cluster. What usually follows goes with it.
func (t *txn) request(wanted []read) (map[read]page, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	reads := slices.Clone(wanted)
	for i := 0; i < len(reads); i++ {
		t.next = append(together(reads[i], i >= len(wanted)), t.next...)
		for i == len(reads)-1 && len(t.next) > 0 && len(reads) < readsAtOnce {
			r := t.next[0]
			t.next = t.next[1:]
			if _, ok := t.local(r); !ok && !slices.Contains(reads, r) {
				reads = append(reads, r)
			}
		}
	}
	return t.ask(reads...)
}

// cache caches what was read. With a mirror, later transactions have it too.
func (t *txn) cache(r read, p page) {
	t.note(r, p)
	if t.mirror != nil && r.part != "" && len(p.pairs) <= pageFirst {
		t.b.mirror.cache.put(r, t.mirror.head(r.part), p)
	}
}

// ask reads from the cluster at the transaction's revision, which the first request determines, and caches what it read.
func (t *txn) ask(reads ...read) (map[read]page, error) {
	pages := map[read]page{}
	if t.failed != nil {
		return nil, t.failed
	}
	for some := range slices.Chunk(reads, readsAtOnce) {
		if t.at == 0 {
			some = append(slices.Clip(some), t.b.first()...)
		}
		t.asked = append(t.asked, some...)
		var ops []clientv3.Op
		for _, r := range some {
			ops = append(ops, t.op(r))
		}
		r, err := t.b.read(t.ctx, ops)
		if t.failed = err; err != nil {
			return nil, err
		}
		if t.at == 0 {
			t.at, t.begun = r.Header.Revision, time.Now()
			t.b.begun.Store(true)
		}
		for i, got := range r.Responses {
			p := page{more: got.GetResponseRange().More}
			for _, kv := range got.GetResponseRange().Kvs {
				p.pairs = append(p.pairs, pair{string(kv.Key[len(t.b.root):]), kv.Value, kv.ModRevision, kv.Version})
			}
			pages[some[i]] = p
			t.cache(some[i], p)
		}
	}
	return pages, nil
}

// first are the reads that each transaction begins with: the ledger's revision and state. Those of a process's first transaction are also
// what a ledger compares before it is used.
func (b *Backend) first() []read {
	reads := []read{one(spaceWhole + string(about)), one(spaceWhole + state)}
	if !b.begun.Load() {
		for _, key := range []string{"about/home", "about/format", "about/schema", "about/epoch"} {
			reads = append(reads, one(spaceWhole+key))
		}
	}
	return reads
}

func (t *txn) op(r read) clientv3.Op {
	options := []clientv3.OpOption{clientv3.WithLimit(int64(r.limit))}
	if r.to != "" {
		options = append(options, clientv3.WithRange(t.b.root+r.to))
	}
	if r.reverse {
		options = append(options, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	}
	if r.since != 0 {
		options = append(options, clientv3.WithMinModRev(r.since))
	}
	if r.keys {
		options = append(options, clientv3.WithKeysOnly())
	}
	if t.at != 0 {
		options = append(options, clientv3.WithRev(t.at), clientv3.WithSerializable())
	}
	return clientv3.OpGet(t.b.root+r.from, options...)
}

// note caches what was read in this transaction, if it is short, and notes what a list refers to.
func (t *txn) note(r read, p page) {
	if r.keys || r.since != 0 || r.limit > 0 && len(p.pairs) > pageFirst {
		return
	}
	t.cached[r] = p
	for _, x := range p.pairs {
		key := keyAt(x.path)
		if id, part, ok := idOf(key); ok { // where an id's record lies, its part is
			t.owners[id] = owner{part: part}
		}
		if r.to == "" {
			continue
		}
		t.cached[one(x.path)] = page{pairs: []pair{x}}
		if to := referred(key, x.value); to != nil && !t.bulk && len(t.next) < nextMost {
			t.next = append(t.next, one(pathOf(to)))
		}
	}
}

// partAt is the part of what is stored at a path; empty for other paths.
func partAt(path string) model.AgentID {
	rest, inParts := strings.CutPrefix(path, spaceParts)
	if !inParts {
		var shown bool
		if rest, shown = strings.CutPrefix(path, spaceShown); !shown {
			return ""
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	part, _, _ := strings.Cut(rest, "/")
	return model.AgentID(part)
}

// nextMost is about how many reads a transaction notes for its next requests.
const nextMost = 3 * readsAtOnce

// together are the reads that usually follow a read, and go with it: with an agent, its turn, its own waits and its messages; with an item,
// what is recorded of it and, if it is no item of a list, its agent and other items that it depends on; with a list of work items, the
// agent's other lists.
func together(r read, ofList bool) (reads []read) {
	key, part := keyAt(r.from), string(r.part)
	list := func(table, rest string) {
		if s, ok := tables[table].within(r.part, store.Prefix([]byte(table+part+"/"+rest))); ok {
			reads = append(reads, read{span: s, limit: pageFirst})
		}
	}
	switch id, _, _ := idOf(key); tableOf(key).name {
	case "agent/":
		reads = append(reads, one(liveOf(r.part)), one(spaceNames+part), one(handleOf(part))) // what is no agent may be an item
		list("waits/", "/a/")
		list("queue/", "")
	case "index/":
		for _, class := range append(slices.Clone(model.Classes), model.ReportOffered) {
			list("index/", string(class)+"/")
		}
	case "item/":
		kinds := []model.RecordKind{model.KindAttempt, model.KindTrace, model.KindBrief, model.KindOffers}
		list("waits/", id+"/a/")
		if !ofList {
			kinds = append(kinds, model.KindSeen, model.KindDelivery)
			reads = append(reads, one(pathOf([]byte("agent/"+part))))
			for _, table := range []string{"running/", "delegated/", "serves/"} {
				list(table, id+"/")
			}
		}
		for _, kind := range kinds {
			reads = append(reads, one(pathOf([]byte(string(kind)+"/"+id+"/"+part))))
		}
	}
	return reads
}
