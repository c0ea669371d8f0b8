package etcd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/kv"
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

	at     int64                    // the revision that is read; 0 before the first request
	begun  time.Time                // when that was
	cached map[read]page            // short pages that were read
	next   []read                   // what lists refer to; goes with the next request
	parts  []model.AgentID          // all parts of the ledger, if they were read
	owners map[string]model.AgentID // by id
	writes map[string][]byte        // by key; nil deletes

	// What the commit compares: the heads of the parts that were read, the paths of the whole ledger that were read, each with the revision
	// of its last change, and the ranges across parts.
	heads    map[model.AgentID]int64
	compared map[string]int64
	scanned  map[span]bool
	first    bool  // the first try of a change
	assumed  bool  // what was not read: that no command had this key
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

func (b *Backend) begin(ctx context.Context, writable bool) *txn {
	return &txn{b: b, ctx: ctx, writable: writable, cached: map[read]page{}, owners: map[string]model.AgentID{},
		writes: map[string][]byte{}, heads: map[model.AgentID]int64{}, compared: map[string]int64{}, scanned: map[span]bool{},
		fences: map[string]fence{}, lives: map[model.AgentID]live{}}
}

// Get implements store.Txn.
func (t *txn) Get(key []byte) ([]byte, error) {
	if value, ok := t.writes[string(key)]; ok {
		return value, nil
	}
	path := pathOf(key)
	switch {
	case path == "":
		return nil, nil
	case t.first && isAnswer(path): // the commit compares it: most commands are sent once
		t.assumed, t.compared[path] = true, 0
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
	if t.writable && (strings.HasPrefix(path, spaceWhole) || isAnswer(path)) {
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
		return kv.ErrReadOnly
	case len(key) == 0:
		return kv.ErrEmptyKey
	case pathOf(key) == "":
		return fmt.Errorf("the key %q is not of its table's form", key)
	}
	if id, part, ok := idOf(key); ok && value != nil {
		was, known := t.owner(id)
		if was != "" && was != part {
			return fmt.Errorf("%q is of agent %s, not %s", id, was, part)
		}
		if known && was == "" && tableOf(key).name == tableItem { // others can make it too: nobody may have changed anything
			t.scanned[beginning(spaceShown+tableHead)] = true
		}
		if t.owners[id] = part; was == "" && t.first {
			t.hasNothing(id, key)
		}
	}
	t.writes[string(key)] = value
	return nil
}

// owner is the part of an id, if it is known. It is empty if none has it.
func (t *txn) owner(id string) (part model.AgentID, known bool) {
	if part, known = t.owners[id]; !known {
		part, known = t.b.names.get(id)
	}
	return part, known
}

// hasNothing notes that nothing is stored with a new record. The commit compares that it is new.
func (t *txn) hasNothing(id string, key []byte) {
	record := one(pathOf(key))
	t.compared[record.from] = 0
	for _, r := range append(together(record, false), record) {
		if _, known := t.local(r); !known && strings.Contains(r.from, "/"+id+"/") {
			t.cache(r, page{})
		}
	}
}

// idOf is the id of a record that leads to its part, and the part.
func idOf(key []byte) (id string, part model.AgentID, ok bool) {
	t := tableOf(key)
	if !t.record {
		return "", "", false
	}
	rest := key[len(t.name):]
	end := bytes.IndexByte(rest, '/')
	return string(rest[:max(end, 0)]), store.PartOf(key), end > 0
}

// fewParts is how many parts that were read are asked for a name before all are.
const fewParts = 4

// partsOf finds the parts that have a name of a table. An id is of one part.
func (t *txn) partsOf(tab table, name string) (found []model.AgentID, err error) {
	if part, known := t.owner(name); known && tab.record {
		return slices.DeleteFunc([]model.AgentID{part}, func(p model.AgentID) bool { return p == "" }), nil
	}
	if _, listed := t.cached[partLists[0]]; !listed && len(t.heads) > 0 && len(t.heads) <= fewParts {
		t.next = append(partLists, t.next...) // otherwise they follow
		found, err = t.having(tab, name, slices.Collect(maps.Keys(t.heads)))
	}
	if err == nil && len(found) == 0 {
		var all []model.AgentID
		if all, err = t.allParts(); err == nil {
			found, err = t.having(tab, name, all)
		}
	}
	switch {
	case err != nil || !tab.record:
	case len(found) == 0:
		t.owners[name] = ""
	case len(found) > 1:
		err = kv.Damaged("read", "%q is of agent %s, and of agent %s", name, found[0], found[1])
	default:
		t.b.names.put(name, found[0])
	}
	return found, err
}

// having are those of some parts that have a name. The change does not depend on the others.
func (t *txn) having(tab table, name string, parts []model.AgentID) (found []model.AgentID, err error) {
	var reads []read
	add := func(table string) {
		for _, part := range parts {
			reads = append(reads, one(pathOf([]byte(table+name+"/"+string(part)))))
		}
	}
	if add(tab.name); tab.name == tableItem { // what is no id may be a handle
		add(tableHandle)
	}
	pages, err := t.peek(reads...)
	for i, p := range pages {
		x := p.first()
		if x.changed == 0 {
			continue
		}
		if i < len(parts) {
			found = append(found, parts[i])
		} else if end := len(x.value) - kv.ChecksumSize; end > 0 {
			t.owners[string(x.value[:end])] = reads[i].part
		}
	}
	return found, err
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

// read reads. A change depends on the parts that it reads.
func (t *txn) read(wanted ...read) ([]page, error) {
	reads := slices.Clip(wanted)
	for _, r := range wanted {
		if r.part == "" {
			continue
		}
		if t.writable && t.failed == nil { // a change that has failed waits for no lock
			t.failed = t.lock.take(t.ctx, r.part)
		}
		if t.writable {
			reads = append(reads, one(headOf(r.part)))
		}
	}
	pages, err := t.peek(reads...)
	if err != nil {
		return nil, err
	}
	for _, r := range wanted {
		if r.part != "" {
			t.heads[r.part] = t.cached[one(headOf(r.part))].first().changed
		}
	}
	return pages[:len(wanted)], nil
}

// peek reads what is known or in memory there, and the rest in one request.
func (t *txn) peek(wanted ...read) ([]page, error) {
	pages, missing := make([]page, len(wanted)), []read(nil)
	for i, r := range wanted {
		p, ok := t.local(r)
		if pages[i] = p; !ok && !slices.Contains(missing, r) {
			missing = append(missing, r)
		}
	}
	got, err := t.request(missing)
	for i, r := range wanted {
		if p, ok := got[r]; ok {
			pages[i] = p
		}
	}
	return pages, err
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
		return nil, t.failed
	}
	reads := slices.Clone(wanted)
	for i := 0; i < len(reads) && len(wanted) < readsAtOnce; i++ {
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
	pages, chunks := map[read]page{}, slices.Collect(slices.Chunk(reads, readsAtOnce))
	for len(chunks) > 0 && t.failed == nil {
		now := chunks
		if t.at == 0 {
			now = [][]read{append(slices.Clip(chunks[0]), t.b.first()...)}
		}
		chunks = chunks[len(now):]
		answers, errs := make([]*clientv3.TxnResponse, len(now)), make([]error, len(now))
		var asking sync.WaitGroup
		for i, some := range now {
			asking.Go(func() { answers[i], errs[i] = t.b.read(t.ctx, t.ops(some)) })
		}
		asking.Wait()
		if t.failed = cmp.Or(errs...); t.failed != nil {
			break
		}
		if t.at == 0 {
			t.at, t.begun = answers[0].Header.Revision, time.Now()
			t.b.begun.Store(true)
		}
		for i, r := range answers {
			for j, got := range r.Responses {
				p := page{more: got.GetResponseRange().More}
				for _, kv := range got.GetResponseRange().Kvs {
					p.pairs = append(p.pairs, pair{string(kv.Key[len(t.b.root):]), kv.Value, kv.ModRevision, kv.Version})
				}
				pages[now[i][j]] = p
				t.cache(now[i][j], p)
			}
		}
	}
	return pages, t.failed
}

func (t *txn) ops(reads []read) (ops []clientv3.Op) {
	for _, r := range reads {
		ops = append(ops, t.op(r))
	}
	return ops
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
	if r.since != 0 || r.limit > 0 && len(p.pairs) > pageFirst {
		return
	}
	if t.cached[r] = p; r.keys {
		return
	}
	for _, x := range p.pairs {
		key := keyAt(x.path)
		if id, part, ok := idOf(key); ok { // where an id's record lies, its part is
			t.owners[id] = part
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
	if r.part == "" {
		return nil
	}
	key, part := keyAt(r.from), string(r.part)
	list := func(table, rest string) {
		if s, ok := tables[table].within(r.part, store.Prefix([]byte(table+part+"/"+rest))); ok {
			reads = append(reads, read{span: s, limit: pageFirst})
		}
	}
	switch id, _, _ := idOf(key); tableOf(key).name {
	case "agent/":
		reads = append(reads, one(liveOf(r.part)))
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
			reads = append(reads, one(headOf(r.part)), one(pathOf([]byte("agent/"+part))))
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
