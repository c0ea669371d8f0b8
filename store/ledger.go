package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"vise/model"
	"vise/store/journal"
	"vise/store/kv"
)

// Ledger is the only interface to the stored data. It stamps a command, lets the model judge it
// inside one transaction, and saves the result. Its methods may be called concurrently.
type Ledger struct {
	// Now returns the time and NewID a fresh ULID. Tests set their own.
	Now   func() time.Time
	NewID func() string
	// Keep is how many changes of each agent Archive leaves on a cluster. Tests set less.
	Keep uint64
	// Can is what the backend can do and others cannot.
	Can Capabilities
	// Person is who the operator is at this machine; nil or "" if nobody knows.
	Person func() model.Text

	backend Backend
	plans   PlanFiles
	home    Home
	cluster *clusterHome // nil for a ledger that is on no cluster
	// journal is the journal's copy beside the ledger; nil for a ledger without a home. lag is
	// why it is behind, if it is.
	journal *journal.Copy
	lag     lag
	// bound is the bound in home.json, as this process last knew it.
	bound atomic.Uint64
	// conditions are cached for conditionsHold, because every frame of a console asks for them.
	conditions conditions
	findings   findings
	followed   *knownRevision
	// steps are the migrations that this program has.
	steps []migration
	// age is negative if the ledger needs migrations, and positive if a newer program wrote it.
	age atomic.Int32
}

// PlanFiles creates the plan file of a new item.
type PlanFiles interface {
	// CreatePlan returns false and changes nothing if the file exists.
	CreatePlan(agent model.AgentID, item model.ItemID, seed string) (created bool, err error)
	// CreateAhead is CreatePlan for an item that can still be refused. It creates nothing that
	// other items share, and fails if that is missing.
	CreateAhead(agent model.AgentID, item model.ItemID, seed string) (created bool)
	// RemovePlan removes what CreateAhead created, unless it was changed since.
	RemovePlan(agent model.AgentID, item model.ItemID, seed string)
	// CreateReport does the same for a report under the given name beside the plan.
	CreateReport(agent model.AgentID, item model.ItemID, name, text string) (created bool, err error)
}

// LedgerOn is the ledger on a backend, of which nothing is read yet.
func LedgerOn(b Backend, plans PlanFiles) *Ledger {
	if b == nil { // only its files are used
		b = kv.NewMemory()
	}
	can := b.Can()
	return &Ledger{
		Now:     time.Now,
		NewID:   NewID,
		Keep:    keepChanges,
		backend: b, Can: can, plans: plans, steps: migrations, followed: newKnownRevision(can.Mirrors),
	}
}

// keepChanges is how many changes of each agent stay on a cluster. When there are a quarter more, they are archived together: each time
// costs waits for the disk.
const keepChanges = 256

// NewID returns a new unique id, also used for keys.
func NewID() string { return strings.ToLower(ulid.MustNew(ulid.Now(), rand.Reader).String()) }

// NewLedger returns the ledger on a backend, and initializes an empty backend. If plans is nil,
// no plan files are created.
func NewLedger(ctx context.Context, b Backend, plans PlanFiles) (*Ledger, error) {
	l := LedgerOn(b, plans)
	err := WriteFacts(ctx, b, func(f *Facts) error {
		if f.Payload(KeyHead) == nil && f.Err == nil {
			l.home.ID = l.NewID()
			return l.initialize(f.Txn)
		}
		f.JSON(KeyHome, &l.home.ID)
		return l.inspect(f.Txn)
	})
	return l, Explain(err)
}

// NewMem returns an empty ledger in memory.
func NewMem(plans PlanFiles) *Ledger {
	l, err := NewLedger(context.Background(), kv.NewMemory(), plans)
	if err != nil {
		panic(err) // memory does not fail
	}
	return l
}

// Home is the directory of the ledger; zero for a ledger without one.
func (l *Ledger) Home() Home { return l.home }

// Backend is what the ledger is on. What is written to it passes by the ledger, its rules and its history: that is for moving and restoring
// a ledger whole.
func (l *Ledger) Backend() Backend { return l.backend }

// PlanFiles are those that were given when the ledger was opened; nil if none were.
func (l *Ledger) PlanFiles() PlanFiles { return l.plans }

// Close closes the backend. A ledger can be closed at any time without loss.
func (l *Ledger) Close() error {
	l.noteCluster()
	return l.backend.Close()
}

// Apply judges one command and saves the result. It may be called again with the same envelope,
// also after an error. The key ensures that the command is carried out once; the receipt then
// says that it was replayed. A refusal is a *model.Error and changes nothing.
func (l *Ledger) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	return l.ApplyThen(ctx, e, nil)
}

// ApplyThen is Apply, and then calls then with the result, in the same transaction. then may be
// called again if the transaction is repeated. Like fn of View, it must not call the ledger. If
// it cannot read something, the receipt has a warning; the change is saved all the same.
func (l *Ledger) ApplyThen(ctx context.Context, e model.Envelope, then func(model.Reader, model.Receipt)) (model.Receipt, error) {
	if err := checkEnvelope(e); err != nil {
		return model.Receipt{}, err
	}
	fp, err := fingerprint(e)
	if err != nil {
		return model.Receipt{}, err
	}
	// Every try uses the same stamp, so that a retry judges the same command.
	at := model.Stamp{At: l.Now().UTC().Round(0), NewID: l.NewID(), Actor: e.Actor, Agent: e.Agent}
	if e.Actor == model.Operator {
		if at.Person = l.Can.User; at.Person == "" && l.Person != nil {
			at.Person = l.Person()
		}
	}
	ahead := l.createAhead(at, e.Command)
	var receipt model.Receipt
	var unread error
	try := func(f *Facts) error {
		var err error
		if receipt, err = l.judge(ctx, f.Txn, at, e, fp, ahead); err != nil {
			return err
		}
		unread = l.after(NewFacts(f.Txn), receipt, then)
		return nil
	}
	err = l.Update(ctx, try)
	reserve := kv.DiskFull(err) && l.giveUpReserve()
	if reserve {
		err = l.Update(ctx, try)
	}
	if errors.Is(err, ErrUnknown) {
		return l.outcome(ctx, e, fp, err, then)
	}
	if ahead.ItemID != "" && (err != nil || receipt.Replayed) {
		l.plans.RemovePlan(ahead.AgentID, ahead.ItemID, ahead.Seed.Raw())
	}
	if err != nil {
		return model.Receipt{}, Explain(err)
	}
	if reserve {
		receipt.Warnings = append(slices.Clone(receipt.Warnings), reserveWarning())
	}
	l.followed.committed(receipt.Revision)
	return withUnread(receipt, unread), nil
}

// after calls then with the result of a command, and returns the error of its reads.
func (l *Ledger) after(f *Facts, receipt model.Receipt, then func(model.Reader, model.Receipt)) error {
	if then != nil {
		then(l.Reader(f), receipt)
	}
	return f.Err
}

// withUnread adds a warning to a receipt if part of its answer could not be read.
func withUnread(receipt model.Receipt, err error) model.Receipt {
	if err != nil {
		receipt.Warnings = append(slices.Clone(receipt.Warnings), model.Warning{Kind: model.WarnAnswerIncomplete,
			Message: "saved; the answer could not be read whole: " + Explain(err).Error()})
	}
	return receipt
}

// View reads at one revision. Records are copies and may be kept; the reader is not valid
// afterwards. fn must not call the ledger: it would wait for the lock that it holds. Use
// ReadCopy for a long read. View leaves out damaged data if it can read the rest: see Damage.
func (l *Ledger) View(ctx context.Context, fn func(model.Reader) error) error {
	return Explain(l.ViewFacts(ctx, func(f *Facts) error {
		r := l.Reader(f)
		if !f.Txn.Counts() {
			f.compareHead()
		}
		err := fn(r)
		if f.damaged && model.HasCode(err, model.CodeNotFound) {
			return kv.Damaged("read", "%v; it may be in what is damaged", err)
		}
		return err
	}))
}

// undoDepth is how many changes LastUndo searches.
const undoDepth = 1000

// LastUndo is model.LastUndo of the operator's acts among the last undoDepth changes, of the whole ledger or of one item.
func (l *Ledger) LastUndo(ctx context.Context, item model.ItemID, again bool) (last, before model.Receipt, err error) {
	err = l.ViewFacts(ctx, func(f *Facts) error {
		last, before = model.LastUndo(func(yield func(model.Receipt) bool) {
			seen := 0
			f.history("", 0, true, func(o Outline) bool { // older changes are in an archive
				if seen++; seen > undoDepth || o.Actor != model.Operator {
					return seen <= undoDepth
				}
				p, _ := f.portionAt(o.Revision, o.Agent)
				in := p.Receipt
				of := in != nil && (item == "" || in.WorkItemID == item || in.Inverse != nil && in.Inverse.Touches(item))
				return !of || yield(*in)
			})
		}, again)
		return nil
	})
	return last, before, Explain(err)
}

// ViewFacts is View for the packages of store.
func (l *Ledger) ViewFacts(ctx context.Context, fn func(*Facts) error) error {
	return l.migrated(ctx, func() error {
		return l.backend.View(ctx, func(t Txn) error { return l.using(t, false, withFacts(fn)) })
	})
}

// Update writes keys without a command, for the packages of store: what lies beside the records, and what replaces them as they were.
func (l *Ledger) Update(ctx context.Context, fn func(*Facts) error) error {
	return l.migrated(ctx, func() error {
		return l.backend.Update(ctx, func(t Txn) error { return l.using(t, true, withFacts(fn)) })
	})
}

// migrated calls use. If use meets an older ledger, it runs the migrations and calls use again.
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

// outcome finds out, by the key, whether a commit with an unknown outcome was saved.
func (l *Ledger) outcome(ctx context.Context, e model.Envelope, fp string, cause error,
	then func(model.Reader, model.Receipt)) (model.Receipt, error) {
	ctx = context.WithoutCancel(ctx)
	var known Portion
	var ok bool
	var unread error
	err := l.ViewFacts(ctx, func(f *Facts) error {
		if known, ok = f.answer(e.Key, fp, ""); ok {
			unread = l.after(NewFacts(f.Txn), *known.Receipt, then)
		}
		return nil
	})
	if err == nil && ok {
		return withUnread(*known.Receipt, unread), mismatch(known, fp)
	}
	unknown := model.Refuse(model.CodeUnknownOutcome, "it is not known whether the change was saved").
		Because(errors.Join(cause, err)).WithHint("try again: the same key is carried out once at most")
	unknown.Key = e.Key
	return model.Receipt{}, unknown
}

// mismatch refuses a key that another command has used, because the receipt would be false.
func mismatch(p Portion, fp string) error {
	if p.Print == fp {
		return nil
	}
	return model.Invalid("this idempotency key has answered another command").At("key",
		"a key is for one command and its retries; make a new one")
}

const maxKey = 200

func checkEnvelope(e model.Envelope) error {
	switch {
	case e.Command == nil:
		return model.Invalid("no command")
	case e.Key == "" || len(e.Key) > maxKey:
		return model.Invalid("an idempotency key has 1 to %d bytes, this one %d", maxKey, len(e.Key)).At("key",
			"make one key for each command, and keep it for retries")
	}
	return nil
}

// fingerprint distinguishes commands. It does not resist an attack.
func fingerprint(e model.Envelope) (string, error) {
	if e.Request != "" {
		return printOf("request " + e.Request), nil
	}
	raw, err := Encode(e.Command)
	if err != nil {
		return "", fmt.Errorf("command %s: %w", model.CommandName(e.Command), err)
	}
	return printOf(string(e.Agent) + " " + model.CommandName(e.Command) + " " + string(raw)), nil
}

func printOf(request string) string { return model.Hash(request)[:16] }

// createAhead creates the plan of a new item before its transaction, so that nobody else waits
// for it under the lock, and several callers wait for the disk together. It returns the plan, or
// the zero value if it created none; the transaction creates what is missing.
func (l *Ledger) createAhead(at model.Stamp, c model.Command) (ahead model.NewPlan) {
	p, ok := model.PlanAhead(at, c)
	if !ok || l.plans == nil || !l.plans.CreateAhead(p.AgentID, p.ItemID, p.Seed.Raw()) {
		return ahead
	}
	return p
}

// manyPlans are plan files that can be created at once for many items of one agent.
type manyPlans interface {
	CreatePlans(agent model.AgentID, plans []model.NewPlan) (had []model.ItemID, err error)
}

// plansOneByOne is up to how many plans are created, and written to the disk, one by one.
const plansOneByOne = 16

// createPlans creates the plans of a change, except the one that was created ahead.
func (l *Ledger) createPlans(plans []model.NewPlan, ahead model.NewPlan) error {
	if l.plans == nil {
		return nil
	}
	others := func(p model.NewPlan) bool { return p.AgentID != plans[0].AgentID }
	if many, ok := l.plans.(manyPlans); ok && len(plans) > plansOneByOne && !slices.ContainsFunc(plans, others) {
		_, err := many.CreatePlans(plans[0].AgentID, plans)
		return err
	}
	for _, p := range plans {
		err := error(nil)
		switch {
		case p == ahead:
		case p.Name != "":
			_, err = l.plans.CreateReport(p.AgentID, p.ItemID, p.Name, p.Seed.Raw())
		default:
			_, err = l.plans.CreatePlan(p.AgentID, p.ItemID, p.Seed.Raw())
		}
		if err != nil {
			return fmt.Errorf("plan of work item %s: %w", p.ItemID, err)
		}
	}
	return nil
}

// plansOf returns the plans that a power cut could damage. A report is on the disk before its
// record is.
func plansOf(plans []model.NewPlan) []plan {
	var out []plan
	for _, p := range plans {
		if p.Seed != "" && p.Name == "" {
			out = append(out, plan{p.AgentID, p.ItemID, p.Seed.Raw()})
		}
	}
	return out
}
