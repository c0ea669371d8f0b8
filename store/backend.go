package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/btree"

	"vise/model"
	"vise/store/lock"
)

// Backend is a set of ordered keys with transactions. It is all that a ledger needs of
// its storage; keepsTheContract in the tests is the contract.
type Backend interface {
	// View calls fn with one unchanging view of the keys, exactly once.
	View(ctx context.Context, fn func(Txn) error) error

	// Update calls fn and commits its writes durably, all or none. If fn returns an error
	// or writes nothing, nothing is committed. After a conflict, fn may be called again;
	// the writes of the earlier call are then gone.
	//
	// After an error that is ErrUnknown, the commit may or may not have happened. After
	// any other error it did not happen.
	Update(ctx context.Context, fn func(Txn) error) error

	// Mark is a number that changes with every commit of any process. It is cheap, waits
	// for no lock, and may be read while others write.
	Mark(ctx context.Context) (uint64, error)

	// News returns a channel that is closed at the next commit, or hint of a commit,
	// after the call. Commits of other processes may be noticed late or never: see Mark.
	News() <-chan struct{}

	// Close waits for this process's transactions and releases all resources.
	Close() error
}

// Txn is one transaction. Keys are not empty. The bytes that Get and Scan return are
// valid until the transaction ends, and must not be changed.
//
// A key starts with the name of its table, up to the first slash. A scan stays within one
// table, so that a backend may keep tables apart.
type Txn interface {
	// Get returns nil for a key that does not exist.
	Get(key []byte) ([]byte, error)
	// Put and Delete return an error in a View. Deleting a key that does not exist is no
	// error.
	Put(key, value []byte) error
	Delete(key []byte) error
	// Scan visits the range in order until visit returns false. visit must not write.
	Scan(r Range, visit func(key, value []byte) bool) error
}

// ordered is a Txn of a backend that counts the revision itself, and more in it than the changes of the ledger: several can have one
// revision, and a revision can have none. A commit can come later than one of a greater revision.
type ordered interface {
	Txn
	// Changed returns the parts that the last commits wrote, of as many revisions.
	Changed(revisions uint64) ([]model.AgentID, error)
	// SavedAt returns the revision at which a value was committed, if there is one. now is the ledger's revision.
	SavedAt(key []byte, now uint64) (revision uint64, ok bool, err error)
	// Saved returns the first changes that were committed after a revision, of a part or of all, in their order.
	Saved(part model.AgentID, after, now uint64, limit int) (list []Saved, more bool, err error)
}

// Saved is a change of a part in the journal, and the revision at which it was committed.
type Saved struct {
	Key, Value []byte
	Revision   uint64
}

// leasing is a Txn of a backend that keeps the leases of turns: a turn lives as long as the lease of its holder is renewed. What it asks of
// a turn is also asked at the commit, which is refused as stale if the turn is over by then.
type leasing interface {
	Txn
	// Lives reports whether a turn lives. The commit does not depend on it.
	Lives(agent model.AgentID, turn int) (bool, error)
	// Claim makes a turn live, with a new lease, unless another turn of the agent does.
	Claim(agent model.AgentID, turn int, holder model.Text, lease time.Duration) error
	// Holds makes the commit depend on a turn that lives.
	Holds(agent model.AgentID, turn int) error
	// Renew renews the lease of a turn at once. It is no change of the ledger.
	Renew(agent model.AgentID, turn int) error
	// End ends a turn that lives.
	End(agent model.AgentID, turn int) error
}

// mirroring is a Backend whose views ask nobody, if it mirrors: they may be old, and then it says so.
type mirroring interface {
	Mirrors() bool
	Conditions() []model.Condition
}

// LaterHead is the value of about/head with a revision that is later by some. A backend that counts its commits needs no other.
func LaterHead(value []byte, by uint64) ([]byte, error) {
	payload, err := unframe(keyHead, value)
	if err != nil {
		return nil, err
	}
	var h head
	if err := decode(keyHead, payload, &h); err != nil {
		return nil, err
	}
	h.Revision += by
	if payload, err = encode(h); err != nil {
		return nil, err
	}
	return frame(keyHead, payload), nil
}

// ChangedAt is the time in the value of a part's head: when its last change was judged.
func ChangedAt(part model.AgentID, value []byte) (time.Time, error) {
	var h agentHead
	payload, err := unframe(agentHeadKey(part), value)
	if err == nil {
		err = decode(agentHeadKey(part), payload, &h)
	}
	return h.At, err
}

// Range is the keys k with From <= k < To, in descending order if Reverse is set.
type Range struct {
	From, To []byte
	Reverse  bool
}

// Prefix is the range of all keys that start with p. p must not be all 0xff.
func Prefix(p []byte) Range {
	to := bytes.Clone(p)
	for i := len(to) - 1; i >= 0; i-- {
		if to[i]++; to[i] != 0 {
			return Range{From: p, To: to[:i+1]}
		}
	}
	return Range{From: p}
}

// Backwards is the same range in the opposite order.
func (r Range) Backwards() Range {
	r.Reverse = !r.Reverse
	return r
}

// ErrNoHome means that the directory has no home yet. Nothing was written.
var ErrNoHome = errors.New("there is no vise home here")

// Errors of a transaction.
var (
	// errDamaged means that the ledger's file does not read as what was written.
	errDamaged = errors.New("the ledger is damaged")
	// ErrUnknown means that a commit failed, and may or may not have happened.
	ErrUnknown = errors.New("the outcome of the commit is unknown")
	// errReplaced means that the ledger's file, or its lock, was replaced during the
	// transaction.
	errReplaced = errors.New("the ledger was replaced while in use")

	errReadOnlyTxn = errors.New("write in a transaction that only reads")
	errEmptyKey    = errors.New("empty key")
)

// Busy is the error of a transaction that did not get the ledger's lock in time.
type Busy = lock.Busy

// noHome is an ErrNoHome that names the directory.
func noHome(dir string) error { return fmt.Errorf("%w: %s", ErrNoHome, dir) }

// Refusal is the error for a file of a home that must not be used as it is.
type Refusal struct {
	What string // the thing and what is wrong with it
	Hint string // what to do
}

func (r *Refusal) Error() string { return r.What }

// restoreHint is the hint for a home without a usable ledger.
const restoreHint = "vise restore --dry-run says what can be restored"

func refuse(hint, format string, args ...any) error {
	return &Refusal{What: fmt.Sprintf(format, args...), Hint: hint}
}

// damage is an errDamaged with the step that found it.
type damage struct {
	step  string
	cause any
}

func (d *damage) Error() string { return fmt.Sprintf("%s: %v", d.step, d.cause) }

func (d *damage) Is(target error) bool { return target == errDamaged }

func lostChanges(revision, known uint64) string {
	return fmt.Sprintf("it ends at revision %d, and this home has seen %d", revision, known)
}

// memory is a Backend that keeps its keys in memory. It serves tests, and is the simplest
// implementation of the contract.
type memory struct {
	news    news
	writing sync.Mutex // allows one Update at a time
	now     atomic.Pointer[memState]
}

// memState is the committed keys and the number of commits. Its tree never changes.
type memState struct {
	tree *btree.BTreeG[pair]
	mark uint64
}

// NewMemory returns an empty memory.
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

// news tells waiting goroutines of a commit. A goroutine that takes the channel, then
// reads, then waits for the channel misses no commit.
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
