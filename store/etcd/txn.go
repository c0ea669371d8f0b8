package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
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

// txn is a transaction. It reads everything at the revision of its first read, and keeps what it read.
type txn struct {
	b        *Backend
	ctx      context.Context
	writable bool
	turn     *turnOf   // of a transaction that may write
	mirror   store.Txn // the mirror at the snapshot; nil if it is not used
	hinted   []read    // to be read with what is read next
	fresh    string    // what the ids of new records have in them, if it is guessed that nothing has these ids
	guess    bool      // absent what usually is; the commit compares it
	guessed  []read    // that were not read
	born     []read    // what is empty because its id is new
	first    bool      // the first try of a change
	sent     bool      // the commit
	failed   bool      // a read
	read     time.Time // when the snapshot was read

	at     int64            // the revision of the snapshot; 0 before the first read
	known  map[string]pair  // what was read, by place
	ranges map[span][]pair  // short ranges that were read whole
	firsts map[read]page    // first pages of others
	parts  []model.AgentID  // all parts of the ledger, if they were read
	shown  []pair           // all in spaceShown, if it was read whole and is not in a mirror
	of     map[string]owner // the parts of ids

	writes map[string]write // by key
	// What the commit compares, besides the places in known that met names: the heads of the parts that were met, the places of the
	// whole ledger that were read, and the ranges across parts.
	heads   map[model.AgentID]int64
	met     map[string]bool
	scanned map[span]bool
	leased
}

// pair is what lies at a place. A changed of zero means that nothing does.
type pair struct {
	place   string
	value   []byte
	changed int64 // the revision of the last change
	version int64 // the number of changes since it was made
}

// owner is the part of an id, as stored or as this transaction makes it.
type owner struct {
	part model.AgentID
	new  bool
}

// write is the new value of a key; nil deletes it.
type write struct{ value []byte }

func (b *Backend) begin(ctx context.Context, writable bool) *txn {
	return &txn{
		b: b, ctx: ctx, writable: writable, known: map[string]pair{}, ranges: map[span][]pair{}, firsts: map[read]page{},
		of: map[string]owner{}, writes: map[string]write{},
		heads: map[model.AgentID]int64{}, met: map[string]bool{}, scanned: map[span]bool{},
	}
}

// Get implements store.Txn.
func (t *txn) Get(key []byte) ([]byte, error) {
	if w, ok := t.writes[string(key)]; ok {
		return w.value, nil
	}
	place := placeOf(key)
	if place == "" {
		return nil, nil
	}
	t.suppose(place)
	if err := t.load(t.ahead(key)...); err != nil {
		return nil, err
	}
	t.meet(place)
	return t.value(t.known[place])
}

// value is the value of a pair as a reader gets it.
func (t *txn) value(p pair) ([]byte, error) {
	switch {
	case p.changed == 0:
		return nil, nil
	case p.place == spaceWhole+string(about):
		return store.LaterHead(p.value, uint64(t.at-p.changed))
	}
	return append([]byte{}, p.value...), nil
}

// Changed tells the ledger which parts the last commits wrote, by their heads: each commit of a part writes its head. The lease of a
// turn ends without one.
func (t *txn) Changed(revisions uint64) (parts []model.AgentID, err error) {
	if _, err := t.Get(about); err != nil {
		return nil, err
	}
	pages, err := t.fetch(read{span: beginning(spaceShown + tableHead), keys: true, since: t.at - int64(revisions) + 1})
	if err != nil {
		return nil, err
	}
	for _, p := range pages[0].pairs {
		parts = append(parts, partAt(p.place))
	}
	return append(parts, t.ended(t.at-int64(revisions)+1)...), nil
}

// meet notes that the transaction depends on what lies at a place.
func (t *txn) meet(place string) {
	if t.writable && place[:len(spaceWhole)] == spaceWhole {
		t.met[place] = true
	}
}

// Put implements store.Txn.
func (t *txn) Put(key, value []byte) error {
	return t.write(key, append([]byte{}, value...))
}

// Delete implements store.Txn.
func (t *txn) Delete(key []byte) error { return t.write(key, nil) }

func (t *txn) write(key, value []byte) error {
	switch {
	case !t.writable:
		return errReadOnly
	case len(key) == 0:
		return errEmptyKey
	case placeOf(key) == "":
		return fmt.Errorf("the key %q is not of its table's form", key)
	}
	if id, part, ok := idOf(key); ok && value != nil {
		if o, known := t.of[id]; known && o.part != part {
			return fmt.Errorf("%q is of agent %s, not %s", id, o.part, part)
		} else if !known {
			was, named := t.b.names.get(id)
			t.of[id] = owner{part, !named || was != part}
			t.bear(id, key)
		}
	}
	t.writes[string(key)] = write{value}
	return nil
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

// read is one range to be read.
type read struct {
	span
	limit   int // 0 means all
	reverse bool
	keys    bool  // without values
	since   int64 // 0 means all; otherwise only what was written at that revision or later
}

// one is the read of one place.
func one(place string) read { return read{span: span{from: place, part: partAt(place)}} }

// page is the answer to a read.
type page struct {
	pairs []pair
	more  bool
}

// readsAtOnce is how many reads go into one request.
const readsAtOnce = 120

// ask reads at the transaction's snapshot, which the first read determines, from the cluster.
func (t *txn) ask(reads ...read) ([]page, error) {
	var pages []page
	for some := range slices.Chunk(reads, readsAtOnce) {
		var ops []clientv3.Op
		for _, r := range some {
			ops = append(ops, t.op(r))
		}
		var first []read
		if t.at == 0 {
			first = t.b.first()
		}
		for _, r := range first {
			ops = append(ops, t.op(r))
		}
		r, err := t.b.read(t.ctx, ops)
		if t.failed = err != nil; t.failed {
			return nil, err
		}
		for _, got := range r.Responses {
			pages = append(pages, t.b.page(got.GetResponseRange()))
		}
		if t.at == 0 {
			t.at, t.read = r.Header.Revision, time.Now()
			t.b.begun.Store(true)
			own := len(pages) - len(first)
			for i, r := range first {
				t.learn(r, pages[own+i])
			}
			pages = pages[:own]
		}
	}
	return pages, nil
}

// first are the reads that each transaction begins with: the ledger's revision and state. Those of a process's first transaction are also
// what a ledger compares before it is used.
func (b *Backend) first() []read {
	reads := []read{one(spaceWhole + string(about)), one(spaceWhole + state)}
	if b.config.Once {
		reads = append(reads, firstParts)
	}
	if !b.begun.Load() {
		for _, key := range []string{"about/home", "about/schema", "about/epoch"} {
			reads = append(reads, one(spaceWhole+key))
		}
	}
	return reads
}

func (b *Backend) page(r *etcdserverpb.RangeResponse) page {
	p := page{more: r.More}
	for _, kv := range r.Kvs {
		p.pairs = append(p.pairs, pair{string(kv.Key[len(b.root):]), kv.Value, kv.ModRevision, kv.Version})
	}
	return p
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

// learn keeps what was read.
func (t *txn) learn(r read, p page) {
	switch {
	case r == allShown:
		t.learnShown(p)
		return
	case r.keys || len(p.pairs) > pageFirst:
		return
	}
	for _, x := range p.pairs {
		t.known[x.place] = x
		if id, part, ok := idOf(keyAt(x.place)); ok { // where an id's record lies, its part is
			t.of[id] = owner{part: part}
		}
		if r.to != "" && t.mirror == nil {
			t.listed(x.place)
		}
	}
	switch {
	case r.to == "" && len(p.pairs) == 0:
		t.known[r.from] = pair{place: r.from}
	case r.to != "" && p.more:
		t.firsts[r] = p
	case r.to != "":
		pairs := slices.Clone(p.pairs)
		if r.reverse {
			slices.Reverse(pairs)
		}
		t.ranges[r.span] = pairs
	}
}

// load reads what is not known yet, in one request. It reads nothing if the first is known.
func (t *txn) load(wanted ...read) error {
	if t.has(wanted[0]) {
		t.meetPart(wanted[0].part)
		return nil
	}
	var reads []read
	for _, r := range wanted {
		if !t.has(r) && !slices.Contains(reads, r) {
			reads = append(reads, r)
		}
	}
	_, err := t.meeting(reads)
	return err
}

// meeting reads in one request, with the heads of the parts if a change may depend on them, and keeps what it read.
func (t *txn) meeting(wanted []read) ([]page, error) {
	reads := slices.Clone(wanted)
	if slices.ContainsFunc(reads, t.unknown) {
		reads = t.withHinted(reads)
	}
	for _, r := range reads {
		if r.part == "" || !t.writable && !t.b.config.Once {
			continue
		}
		if t.writable {
			if err := t.turn.meet(r.part); err != nil {
				return nil, err
			}
		}
		if head := one(headOf(r.part)); !t.has(head) && !slices.Contains(reads, head) {
			reads = append(reads, head)
		}
	}
	pages, err := t.fetch(reads...)
	if err != nil {
		return nil, err
	}
	for i, r := range reads {
		t.learn(r, pages[i])
	}
	for _, r := range wanted {
		t.meetPart(r.part)
	}
	return pages[:len(wanted)], nil
}

func (t *txn) has(r read) bool {
	if r.to == "" {
		_, known := t.known[r.from]
		return known
	}
	_, known := t.ranges[r.span]
	return known
}

// meetPart notes the head of a part for the commit.
func (t *txn) meetPart(part model.AgentID) {
	if p, known := t.known[headOf(part)]; known && part != "" && t.writable {
		t.heads[part] = p.changed
	}
}

// partAt is the part of what is stored at a place; empty for other places.
func partAt(place string) model.AgentID {
	rest, inParts := strings.CutPrefix(place, spaceParts)
	if !inParts {
		var shown bool
		if rest, shown = strings.CutPrefix(place, spaceShown); !shown {
			return ""
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	part, _, _ := strings.Cut(rest, "/")
	return model.AgentID(part)
}
