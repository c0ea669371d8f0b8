package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"vise/model"
)

// Ledger is the one way in: it stamps a command, lets the model judge it inside one
// transaction, and saves what comes of it. Its methods may be called concurrently.
type Ledger struct {
	// Now and NewID are where the clock and fresh ULIDs come from; tests set their own.
	Now   func() time.Time
	NewID func() string

	backend Backend
	plans   PlanFiles
	home    home
	// journal is the journal's copy beside the ledger; nil for one without a home. lag is
	// why it is behind, if it is.
	journal *journalCopy
	lag     lag
	// bound is home.json's, as this process knows it.
	bound atomic.Uint64
	// conditions are kept for a moment, since every frame of a console asks.
	conditions conditions
	findings   findings
	followed   *knownRevision
	// steps are the migrations that this program knows.
	steps []migration
	// age is negative while the ledger waits for migrations, positive when a newer program
	// wrote it.
	age atomic.Int32
}

// PlanFiles creates the plan file that an item is born with.
type PlanFiles interface {
	// CreatePlan reports false, and leaves the file alone, when there is one already.
	CreatePlan(agent model.AgentID, item model.ItemID, seed string) (created bool, err error)
	// CreateReport does the same with a report under a name of its own beside the plan.
	CreateReport(agent model.AgentID, item model.ItemID, name, text string) (created bool, err error)
}

func newLedger(b Backend, plans PlanFiles) *Ledger {
	return &Ledger{
		Now:     time.Now,
		NewID:   NewID,
		backend: b, plans: plans, steps: migrations, followed: newKnownRevision(),
	}
}

// NewID makes an id, or a key, that nobody has made before.
func NewID() string { return strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String()) }

// NewLedger is the ledger on a backend, an empty one if nothing is there yet. plans may be
// nil: then no plan file is made.
func NewLedger(ctx context.Context, b Backend, plans PlanFiles) (*Ledger, error) {
	l := newLedger(b, plans)
	err := b.Update(ctx, func(t Txn) error {
		if v, err := t.Get(keyHead); err != nil || v != nil {
			return cmp.Or(err, l.inspect(t))
		}
		return l.initialize(t)
	})
	return l, explain(err)
}

// NewMem is an empty ledger that lives in memory.
func NewMem(plans PlanFiles) *Ledger {
	l, err := NewLedger(context.Background(), NewMemory(), plans)
	if err != nil {
		panic(err) // memory does not fail
	}
	return l
}

// Home is the directory that the ledger lies in; zero for one without.
func (l *Ledger) Home() home { return l.home }

// Close lets go of the backend. A ledger can be closed at any time and loses nothing.
func (l *Ledger) Close() error { return l.backend.Close() }

// Apply judges one command and saves what comes of it. It may be called again with the
// same envelope, also after an error: the key makes sure that it happens once, and then
// the receipt says that it was replayed. A refusal is a *model.Error and changes nothing.
func (l *Ledger) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	return l.ApplyThen(ctx, e, nil)
}

// ApplyThen is Apply, and then reads what the command left in the same transaction. then may
// be called again when the transaction is tried again, and as little as fn of View. What it
// cannot read is a warning of the receipt: the change is saved all the same.
func (l *Ledger) ApplyThen(ctx context.Context, e model.Envelope, then func(model.Reader, model.Receipt)) (model.Receipt, error) {
	if err := checkEnvelope(e); err != nil {
		return model.Receipt{}, err
	}
	fp, err := fingerprint(e)
	if err != nil {
		return model.Receipt{}, err
	}
	// One stamp serves every try, so that a retry judges the same command.
	at := model.Stamp{At: l.Now().UTC().Round(0), NewID: l.NewID(), Actor: e.Actor, Agent: e.Agent}
	var receipt model.Receipt
	var unread error
	try := func(t Txn) error {
		var err error
		if receipt, err = l.judge(t, at, e, fp); err != nil {
			return err
		}
		unread = l.after(newFacts(t), receipt, then)
		return nil
	}
	err = l.update(ctx, try)
	reserve := diskFull(err) && l.giveUpReserve()
	if reserve {
		err = l.update(ctx, try)
	}
	if errors.Is(err, ErrUnknown) {
		return l.outcome(ctx, e, fp, err, then)
	}
	if err != nil {
		return model.Receipt{}, explain(err)
	}
	if reserve {
		receipt.Warnings = append(slices.Clone(receipt.Warnings), reserveWarning())
	}
	l.followed.committed(receipt.Revision)
	return withUnread(receipt, unread), nil
}

// after has then read what a command left, and returns what could not be read.
func (l *Ledger) after(f *facts, receipt model.Receipt, then func(model.Reader, model.Receipt)) error {
	if then != nil {
		then(l.reader(f), receipt)
	}
	return f.err
}

// Answered is the receipt of the command that a key was used for, if it was.
func (l *Ledger) Answered(ctx context.Context, key string) (in model.Receipt, ok bool, err error) {
	err = l.view(ctx, func(f *facts) error {
		known, found := f.answer(key)
		in, ok = known.Receipt, found
		return nil
	})
	return in, ok, explain(err)
}

// withUnread is a receipt that says what of its answer could not be read.
func withUnread(receipt model.Receipt, err error) model.Receipt {
	if err != nil {
		receipt.Warnings = append(slices.Clone(receipt.Warnings), model.Warning{Kind: model.WarnAnswerIncomplete,
			Message: "saved; the answer could not be read whole: " + explain(err).Error()})
	}
	return receipt
}

// View reads at one revision. Records are copies and may be kept; the reader is of no use
// afterwards. fn must not call the ledger: it would wait for the lock that it holds. A long
// read belongs in ReadCopy. What is damaged is left out as far as the rest can be read: Damage.
func (l *Ledger) View(ctx context.Context, fn func(model.Reader) error) error {
	return explain(l.view(ctx, func(f *facts) error {
		r := l.reader(f)
		f.compareHead()
		err := fn(r)
		if f.damaged && errors.Is(err, &model.Error{Code: model.CodeNotFound}) {
			return &damage{"read", errors.Join(err, errors.New("it may be in what is damaged"))}
		}
		return err
	}))
}

// undoDepth bounds how many changes LastUndo looks through.
const undoDepth = 1000

// LastUndo is model.LastUndo of the operator's latest acts, of the whole ledger or of those that
// touch an item; ok is false where none is left among the last thousand changes.
func (l *Ledger) LastUndo(ctx context.Context, item model.ItemID, again bool) (in model.Receipt, ok bool, err error) {
	err = l.view(ctx, func(f *facts) error {
		in, ok = model.LastUndo(func(yield func(model.Receipt) bool) {
			for n, seen := f.head().Revision, 0; n > 0 && seen < undoDepth; n, seen = n-1, seen+1 {
				c, there := f.commitAt(n)
				if !there {
					return // older changes lie in an archive
				}
				undoable := c.Actor == model.Operator && c.Receipt.Inverse != nil
				if undoable && (item == "" || c.Receipt.Inverse.Touches(item)) && !yield(c.Receipt) {
					return
				}
			}
		}, again)
		return nil
	})
	return in, ok, explain(err)
}

// view is View for this package; an error of reading outranks what fn made of it.
func (l *Ledger) view(ctx context.Context, fn func(*facts) error) error {
	return l.migrated(ctx, func() error {
		return l.backend.View(ctx, func(t Txn) error {
			if err := l.fits(false); err != nil {
				return err
			}
			f := newFacts(t)
			err := fn(f)
			return cmp.Or(f.err, err)
		})
	})
}

func (l *Ledger) update(ctx context.Context, fn func(Txn) error) error {
	return l.migrated(ctx, func() error {
		return l.backend.Update(ctx, func(t Txn) error {
			if err := l.fits(true); err != nil {
				return err
			}
			return fn(t)
		})
	})
}

// migrated calls use, again after the migrations if it met an older ledger.
func (l *Ledger) migrated(ctx context.Context, use func() error) error {
	err := use()
	if !errors.Is(err, errOldSchema) {
		return err
	}
	if err := l.migrate(ctx); err != nil {
		return err
	}
	return use()
}

// outcome finds out what came of a commit with an unknown outcome, by its key.
func (l *Ledger) outcome(ctx context.Context, e model.Envelope, fp string, cause error,
	then func(model.Reader, model.Receipt)) (model.Receipt, error) {
	ctx = context.WithoutCancel(ctx)
	var known commit
	var ok bool
	var unread error
	err := l.view(ctx, func(f *facts) error {
		if known, ok = f.answer(e.Key); ok {
			unread = l.after(newFacts(f.txn), known.Receipt, then)
		}
		return nil
	})
	if err == nil && ok {
		return withUnread(known.Receipt, unread), mismatch(known, fp)
	}
	unknown := model.Refuse(model.CodeUnknownOutcome, "it is not known whether the change was saved").
		Because(errors.Join(cause, err)).WithHint("try again: the same key is carried out once at most")
	unknown.Key = e.Key
	return model.Receipt{}, unknown
}

// mismatch refuses a key that answered another command: its receipt would tell a lie.
func mismatch(c commit, fp string) error {
	if c.Print == fp {
		return nil
	}
	return model.Refuse(model.CodeInvalid, "this idempotency key has answered another command").At("key").
		WithHint("a key is for one command and its retries; make a new one")
}

const maxKey = 200

func checkEnvelope(e model.Envelope) error {
	switch {
	case e.Command == nil:
		return model.Refuse(model.CodeInvalid, "no command")
	case e.Key == "" || len(e.Key) > maxKey:
		return model.Refuse(model.CodeInvalid, "an idempotency key has 1 to %d bytes, this one %d", maxKey, len(e.Key)).At("key").
			WithHint("make one key for each command, and keep it for retries")
	}
	return nil
}

// fingerprint tells commands apart, short of an attack.
func fingerprint(e model.Envelope) (string, error) {
	raw, err := encode(e.Command)
	if err != nil {
		return "", fmt.Errorf("command %s: %w", e.Command.Name(), err)
	}
	sum := sha256.Sum256(append([]byte(e.Agent+" "+model.AgentID(e.Command.Name())+" "), raw...))
	return hex.EncodeToString(sum[:8]), nil
}

func (l *Ledger) createPlans(plans []model.NewPlan) error {
	if l.plans == nil {
		return nil
	}
	for _, p := range plans {
		err := error(nil)
		if p.Name != "" {
			_, err = l.plans.CreateReport(p.AgentID, p.ItemID, p.Name, p.Seed.Raw())
		} else {
			_, err = l.plans.CreatePlan(p.AgentID, p.ItemID, p.Seed.Raw())
		}
		if err != nil {
			return fmt.Errorf("plan of work item %s: %w", p.ItemID, err)
		}
	}
	return nil
}

// plansOf are the plans that a power cut could take something from; a report is on the disk
// before its record is.
func plansOf(plans []model.NewPlan) []plan {
	var out []plan
	for _, p := range plans {
		if p.Seed != "" && p.Name == "" {
			out = append(out, plan{p.AgentID, p.ItemID, p.Seed.Raw()})
		}
	}
	return out
}
