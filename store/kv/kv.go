// Package kv keeps ordered keys with transactions: in memory, and in one file that many processes share without a daemon. It knows no
// rule of a ledger.
//
// Reading order: kv.go has the contract, cluster.go what it says of several machines and alone.go what a backend on one machine answers to
// that, memory.go its simplest implementation, bolt.go the file behind its lock, bolt_session.go one opening of the file and what bbolt's
// trust in it costs, bolt_txn.go the transactions, bolt_pages.go the pages, bolt_pack.go the older history in frames, compact.go how a
// file without free pages takes the place of one in use, and copy.go copies for long reads.
package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"

	"vise/model"
	"vise/store/lock"
)

// Backend is a set of ordered keys with transactions. It is all that a ledger needs of
// its storage; keepsTheContract in the tests is the contract. Only what Can returns differs between backends.
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
	// Wake says that another process may have committed.
	Wake()

	// ReadCopy returns the backend as it is now, for reading, while others write. The caller closes it.
	ReadCopy(ctx context.Context) (Backend, error)

	// Limits are how many operations and bytes one Update can have.
	Limits() (ops, bytes int)
	// SpaceUsed is the share of the space that is in use, in percent, as it was found a short while ago. known is false if there is no
	// limit, or no answer came.
	SpaceUsed(ctx context.Context) (percent int64, known bool)
	// Conditions are the problems that limit the use of the backend.
	Conditions() []model.Condition
	// OnlyReads reports whether this user may change nothing.
	OnlyReads(ctx context.Context) (bool, error)
	// Shards returns the claims of a scheduler of this process, which is called name.
	Shards(name string) Shards

	// Can is what this backend can do and others cannot.
	Can() Capabilities

	// Close waits for this process's transactions and releases all resources.
	Close() error
}

// Capabilities are what some backends can do and others cannot. What a backend cannot do is nil or false.
type Capabilities struct {
	// File is the backend in one file, which is copied and compacted as a file.
	File *Bolt
	// Cluster is the backend on a cluster, which has members and users.
	Cluster Cluster
	// User is the name in the certificate that the cluster accepts; empty without one.
	User model.Text
	// Mirrors: views ask nobody. What they read may be old, and then Conditions says so.
	Mirrors bool
	// OneMeta: it is a copy of a file in use that has only one readable meta page. The newest commit may be missing.
	OneMeta bool
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

	order
	leases
}

// order is in which order changes were committed.
type order interface {
	// Counts reports whether the backend itself counts the ledger's revision. It then counts more than the changes of the ledger: several
	// can have one revision, and a revision can have none. A commit can come later than one of a greater revision. If it is false, the
	// ledger counts, its history has the order, and the other methods have no answer.
	Counts() bool
	// Changed returns the parts that the last commits wrote, of as many revisions.
	Changed(revisions uint64) ([]model.AgentID, error)
	// SavedAt returns the revision at which a value was committed, if there is one. now is the ledger's revision.
	SavedAt(key []byte, now uint64) (revision uint64, ok bool, err error)
	// Saved returns the first changes that were committed after a revision, of a part or of all, in their order. more is set if there are
	// others.
	Saved(part model.AgentID, after, now uint64, limit int) (list []Saved, more bool, err error)
}

// leases are those of turns: a turn lives as long as the lease of its holder is renewed. What a transaction asks of a turn is also asked
// at the commit, which is refused as stale if the turn is over by then. A backend without leases does nothing: there time ends a turn.
type leases interface {
	// Lives reports whether a turn lives; nil without leases. The commit does not depend on it.
	Lives(agent model.AgentID, turn int) (*bool, error)
	// Claim makes a turn live, with a new lease, unless another turn of the agent does.
	Claim(agent model.AgentID, turn int, holder model.Text, lease time.Duration) error
	// Holds makes the commit depend on a turn that lives.
	Holds(agent model.AgentID, turn int) error
	// Renew renews the lease of a turn at once. It is no change of the ledger.
	Renew(agent model.AgentID, turn int) error
	// End ends a turn that lives.
	End(agent model.AgentID, turn int) error
}

// Saved is a change of a part in the journal, and the revision at which it was committed.
type Saved struct {
	Key, Value []byte
	Revision   uint64
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

// Holds reports whether a key is in the range.
func (r Range) Holds(key []byte) bool {
	return bytes.Compare(key, r.From) >= 0 && (r.To == nil || bytes.Compare(key, r.To) < 0)
}

// pair is a key and its value. A nil value deletes the key.
type pair struct{ key, value []byte }

// Errors of a transaction.
var (
	// ErrDamaged means that the ledger's file does not read as what was written.
	ErrDamaged = errors.New("the ledger is damaged")
	// ErrUnknown means that a commit failed, and may or may not have happened.
	ErrUnknown = errors.New("the outcome of the commit is unknown")
	// errReplaced means that the ledger's file, or its lock, was replaced during the
	// transaction.
	errReplaced = errors.New("the ledger was replaced while in use")

	// ErrReadOnly means that a View was to write.
	ErrReadOnly = errors.New("write in a transaction that only reads")
	// ErrEmptyKey means that an empty key was to be written.
	ErrEmptyKey = errors.New("empty key")
)

// Busy is the error of a transaction that did not get the ledger's lock in time.
type Busy = lock.Busy

// Refusal is the error for a file of a home that must not be used as it is.
type Refusal struct {
	What string // the thing and what is wrong with it
	Hint string // what to do
}

func (r *Refusal) Error() string { return r.What }

// RestoreHint is the hint for a home without a usable ledger.
const RestoreHint = "vise restore --dry-run says what can be restored"

// Refuse is a Refusal.
func Refuse(hint, format string, args ...any) error {
	return &Refusal{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Damage is an ErrDamaged with the step that found it.
type Damage struct {
	step  string
	Cause any
}

func (d *Damage) Error() string { return fmt.Sprintf("%s: %v", d.step, d.Cause) }

func (d *Damage) Is(target error) bool { return target == ErrDamaged }

// Damaged is the error of a step that found damage.
func Damaged(step, format string, args ...any) error {
	return &Damage{step, fmt.Sprintf(format, args...)}
}

// ChecksumSize is how many bytes a checksum has.
const ChecksumSize = 4

// Checksum is the CRC32C of the joined parts.
func Checksum(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli) // made once, at the first call
	var sum uint32
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

// Frame appends the checksum to payload, in place if its capacity allows.
func Frame(key, payload []byte) []byte {
	return binary.BigEndian.AppendUint32(payload, Checksum(key, payload))
}

// Unframe checks the value at key and returns its payload.
func Unframe(key, value []byte) ([]byte, error) {
	n := len(value) - ChecksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != Checksum(key, value[:n]) {
		return nil, Damaged("read", "the value of %q does not match its checksum", key)
	}
	return value[:n], nil
}

// diskSpace is how many of noSpace concern the disk: a full disk and a full quota. The last
// is a limit on the size of files.
const diskSpace = 2

var noSpace = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// Full reports whether an error means that a disk, a quota or MaxSize leaves no space. When
// the file cannot grow, bbolt passes the cause on only as text.
func Full(err error) bool { return errors.Is(err, berrors.ErrMaxSizeReached) || isAny(err, noSpace) }

// DiskFull reports the cases of Full in which freeing space on the disk helps.
func DiskFull(err error) bool { return isAny(err, noSpace[:diskSpace]) }

func isAny(err error, numbers []syscall.Errno) bool {
	if err == nil {
		return false
	}
	var n syscall.Errno
	if errors.As(err, &n) {
		return slices.Contains(numbers, n)
	}
	said := err.Error()
	return slices.ContainsFunc(numbers, func(n syscall.Errno) bool { return strings.HasSuffix(said, n.Error()) })
}
