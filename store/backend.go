package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/google/btree"

	"vise/store/lock"
)

// Backend is a set of ordered keys with transactions. It is all that a place to store a
// ledger must be able to do; keepsTheContract in its tests is the contract.
type Backend interface {
	// View calls fn with one unchanging view of the keys, exactly once.
	View(ctx context.Context, fn func(Txn) error) error

	// Update calls fn and commits what it wrote, all or nothing and durably. When fn
	// returns an error, or writes nothing, nothing is committed. fn may be called again
	// after a conflict; what an earlier call wrote is then gone.
	//
	// An error that is ErrUnknown means that the commit may or may not have happened;
	// with any other error it did not.
	Update(ctx context.Context, fn func(Txn) error) error

	// Mark is a number that moves with every commit by anyone. It is cheap, waits for no
	// lock, and may be read while others write.
	Mark(ctx context.Context) (uint64, error)

	// News returns a channel that is closed at a commit, or hint of one, that comes after
	// the call. Commits of other processes may be noticed late or not at all: see Mark.
	News() <-chan struct{}

	// Close waits for this process's transactions and lets go of everything.
	Close() error
}

// Txn is one transaction. Its keys are not empty. What Get and Scan hand out is valid
// until the transaction ends, and must not be changed.
//
// A key starts with the name of its table, up to the first slash. A scan stays within one
// table, which lets a backend keep tables apart.
type Txn interface {
	// Get returns nil for a key that is not there.
	Get(key []byte) ([]byte, error)
	// Put and Delete are errors in a View. Deleting what is not there is none.
	Put(key, value []byte) error
	Delete(key []byte) error
	// Scan visits the range in order until visit returns false. visit must not write.
	Scan(r Range, visit func(key, value []byte) bool) error
}

// Range is the keys k with From <= k < To, in falling order when Reverse is set.
type Range struct {
	From, To []byte
	Reverse  bool
}

// Prefix is the range of all keys that start with p, which must not be all 0xff.
func Prefix(p []byte) Range {
	to := bytes.Clone(p)
	for i := len(to) - 1; i >= 0; i-- {
		if to[i]++; to[i] != 0 {
			return Range{From: p, To: to[:i+1]}
		}
	}
	return Range{From: p}
}

// Backwards is the same range from its end.
func (r Range) Backwards() Range {
	r.Reverse = !r.Reverse
	return r
}

// ErrNoHome: nothing has been created there yet. Nothing was written.
var ErrNoHome = errors.New("there is no vise home here")

// Errors of a transaction.
var (
	// ErrDamaged: the ledger's file does not read as what was written.
	errDamaged = errors.New("the ledger is damaged")
	// ErrUnknown: a commit failed in a way that leaves open whether it happened.
	ErrUnknown = errors.New("the outcome of the commit is unknown")
	// ErrReplaced: the ledger's file, or its lock, was replaced during the transaction.
	errReplaced = errors.New("the ledger was replaced while in use")

	errReadOnlyTxn = errors.New("write in a transaction that only reads")
	errEmptyKey    = errors.New("empty key")
)

// Busy is the error of a transaction that did not get the ledger's lock in time.
type Busy = lock.Busy

// noHome is an ErrNoHome with the place.
func noHome(dir string) error { return fmt.Errorf("%w: %s", ErrNoHome, dir) }

// Refusal: what lies in a home must not be used as it is.
type Refusal struct {
	What string // the thing and what is wrong with it
	Hint string // what to do
}

func (r *Refusal) Error() string { return r.What }

// restoreHint is the way out of a home without a ledger that can be used.
const restoreHint = "vise restore --dry-run says what can be had back"

func refuse(hint, format string, args ...any) error {
	return &Refusal{What: fmt.Sprintf(format, args...), Hint: hint}
}

// damage is an ErrDamaged with the step at which it showed.
type damage struct {
	step  string
	cause any
}

func (d *damage) Error() string { return fmt.Sprintf("%s: %v", d.step, d.cause) }

func (d *damage) Is(target error) bool { return target == errDamaged }

func lostChanges(revision, known uint64) string {
	return fmt.Sprintf("it ends at revision %d, and this home has seen %d", revision, known)
}

// memory is a Backend that lives and dies with the process. It serves tests, and is the
// simplest thing that keeps a backend's promises.
type memory struct {
	news    news
	writing sync.Mutex // lets one Update at a time
	now     atomic.Pointer[memState]
}

// memState is what was committed, and how often. Its tree is never written to again.
type memState struct {
	tree *btree.BTreeG[pair]
	mark uint64
}

// NewMemory is an empty Memory.
func NewMemory() *memory {
	m := &memory{}
	m.now.Store(&memState{tree: btree.NewG(32, func(a, b pair) bool { return bytes.Compare(a.key, b.key) < 0 })})
	return m
}

// View implements Backend.
func (m *memory) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(&memTxn{tree: m.now.Load().tree})
}

// Update implements Backend.
func (m *memory) Update(ctx context.Context, fn func(Txn) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	was := m.now.Load()
	t := &memTxn{tree: was.tree.Clone(), writable: true}
	if err := fn(t); err != nil || !t.wrote {
		return err
	}
	m.now.Store(&memState{tree: t.tree, mark: was.mark + 1})
	m.news.broadcast()
	return nil
}

// Mark implements Backend.
func (m *memory) Mark(context.Context) (uint64, error) { return m.now.Load().mark, nil }

// News implements Backend.
func (m *memory) News() <-chan struct{} { return m.news.next() }

// Close implements Backend.
func (m *memory) Close() error { return nil }

type memTxn struct {
	tree     *btree.BTreeG[pair]
	writable bool
	wrote    bool
}

func (t *memTxn) Get(key []byte) ([]byte, error) {
	p, _ := t.tree.Get(pair{key: key})
	return p.value, nil
}

func (t *memTxn) Put(key, value []byte) error {
	if !t.writable {
		return errReadOnlyTxn
	}
	if len(key) == 0 {
		return errEmptyKey
	}
	t.tree.ReplaceOrInsert(pair{bytes.Clone(key), append([]byte{}, value...)})
	t.wrote = true
	return nil
}

func (t *memTxn) Delete(key []byte) error {
	if !t.writable {
		return errReadOnlyTxn
	}
	t.tree.Delete(pair{key: key})
	t.wrote = true
	return nil
}

func (t *memTxn) Scan(r Range, visit func(key, value []byte) bool) error {
	each := func(p pair) bool { return !r.excludes(p.key) && visit(p.key, p.value) }
	switch {
	case !r.Reverse:
		t.tree.AscendGreaterOrEqual(pair{key: r.From}, each)
	case r.To == nil:
		t.tree.Descend(each)
	default:
		t.tree.DescendLessOrEqual(pair{key: r.To}, func(p pair) bool { return bytes.Equal(p.key, r.To) || each(p) })
	}
	return nil
}

// news tells whoever waits that something was committed. It is a level, not an edge:
// who takes the channel, then looks, then waits, misses nothing.
type news struct {
	mu      sync.Mutex // protects channel
	channel chan struct{}
}

func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel == nil {
		n.channel = make(chan struct{})
	}
	return n.channel
}

func (n *news) broadcast() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel != nil {
		close(n.channel)
		n.channel = nil
	}
}
