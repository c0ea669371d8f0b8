package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// A process that runs for a while does the maintenance each minute. A process that runs one command takes a snapshot only of a small
// ledger, which is copied and checked in some ten milliseconds.
const (
	maintainEvery = time.Minute
	maintainLimit = 30 * time.Second
	quickBytes    = 4 << 20
	// compressAge keeps the compression away from files that another process may be closing.
	compressAge = 10 * time.Minute
)

// Maintain keeps the data for recovery up to date until ctx ends: the history's copy on the disk, which it compresses, the reserve, and
// what snapshot makes. For a ledger on a cluster it notes the revision that was seen. It retries a failure a minute later; meanwhile Lag
// reports it.
func (l *Ledger) Maintain(ctx context.Context, snapshot func(context.Context, *Ledger) error) {
	if l.journal == nil && l.cluster == nil {
		return
	}
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.cluster != nil {
			l.noteCluster()
			continue
		}
		if err := l.maintain(ctx, snapshot); ctx.Err() == nil {
			l.lag.note(err)
		}
	}
}

func (l *Ledger) maintain(ctx context.Context, snapshot func(context.Context, *Ledger) error) error {
	ctx, stop := context.WithTimeout(ctx, maintainLimit)
	defer stop()
	err := l.healOnce(ctx)
	archiveErr := l.journal.Compress(ctx, compressAge)
	return errors.Join(l.journal.Sync(), err, archiveErr, l.Reserve(), snapshot(ctx, l))
}

// Space reads the ledger's file without its lock.
func (l *Ledger) Space() (kv.Space, error) {
	s, err := kv.SpaceOf(l.home.Path(LedgerFile))
	return s, Explain(err)
}

// Compact replaces the ledger's file by one without free pages and with its older history packed, and compresses the copy of the journal.
// Other processes continue meanwhile and open the new file next, because each checks with the lock whether the file is still the same. A
// compaction that ends early leaves the ledger as it was.
func (l *Ledger) Compact(ctx context.Context) (before, after kv.Space, err error) {
	b := l.Can.File
	if b == nil {
		return before, after, errors.ErrUnsupported
	}
	if before, err = l.Space(); err != nil {
		return before, after, err
	}
	err = b.Compact(ctx)
	if kv.Full(err) && l.giveUpReserve() {
		err = b.Compact(ctx)
	}
	if err != nil {
		return before, after, Explain(fmt.Errorf("compact: %w", err))
	}
	archiveErr := l.journal.Compress(ctx, 0)
	after, err = l.Space()
	return before, after, errors.Join(err, archiveErr, l.Reserve())
}

// formatName names the layout of homes and ledgers. Until 0.1.0 is released each change of the layout gives it another name, and the
// schema stays 1: nobody's ledger is migrated, and one with another name is refused. From then on the name stays, and changes are
// migrations.
const formatName = "vise-2026-12"

// firstSchema is the schema of a ledger without migrations.
const firstSchema = 1

// migration changes a ledger from one schema to the next.
type migration = func(Txn) error

// migrations lead from firstSchema to this program's schema, oldest first. They run in one transaction, the first one that meets an older
// ledger.
var migrations = []migration{}

// knownFormat refuses a thing whose format has another name, or none, as all had that were made before formats had names.
func knownFormat(what, name string) error {
	if name == formatName {
		return nil
	}
	return model.Refuse(model.CodeFormat, "%s has the format %q, and this vise reads only %q: nothing was changed", model.Text(what),
		model.Text(name), formatName).At("home",
		"the vise that wrote it reads it (without a name: build 36d8b116); docs/how-to.md#update-vise says how its work comes "+
			"into a new home")
}

var (
	errOldSchema = errors.New("the ledger has an older schema")
	errNewer     = errors.New("the ledger has a newer schema")
)

// schema is the schema that this program writes.
func (l *Ledger) schema() int { return firstSchema + len(l.steps) }

// learnSchema notes how the ledger's schema compares with this program's. It fails for a ledger whose format has another name.
func (l *Ledger) learnSchema(f *Facts) {
	var name string
	found := 0
	f.JSON(KeyFormat, &name)
	f.Fail(knownFormat("the ledger", name))
	if !f.JSON(KeySchema, &found) || found < firstSchema {
		f.Fail(kv.Damaged("open", "no schema"))
		return
	}
	l.age.Store(int32(found - l.schema()))
}

// using calls fn, which uses the ledger, unless fits refuses. A file is asked before. A cluster is asked afterwards, because its answer
// comes with the first read; what fn returned or wrote is of no use if it refuses.
func (l *Ledger) using(t Txn, writing bool, fn func(Txn) error) error {
	if l.Can.Cluster != nil {
		err := fn(t)
		return cmp.Or(l.fits(t, writing), err)
	}
	if err := l.fits(t, writing); err != nil {
		return err
	}
	return fn(t)
}

// fits refuses another ledger than this home has seen, writes to a newer one, all use of an older one until it is migrated, and use of one
// that is elsewhere or moves.
func (l *Ledger) fits(t Txn, writing bool) error {
	if err := l.compareCluster(t); err != nil {
		return err
	}
	switch age := l.age.Load(); {
	case age < 0:
		return errOldSchema
	case age > 0 && writing:
		return errNewer
	}
	f := NewFacts(t)
	s := f.Status()
	return cmp.Or(f.Err, s.Permits(writing))
}

// migrate runs the migrations that an older ledger lacks, all or none.
func (l *Ledger) migrate(ctx context.Context) error {
	var found int
	err := WriteFacts(ctx, l.backend, func(f *Facts) error {
		f.JSON(KeySchema, &found)
		for ; f.Err == nil && found < l.schema(); found++ {
			if err := l.steps[found-firstSchema](f.Txn); err != nil {
				return fmt.Errorf("migrate the ledger from schema %d: %w", found, err)
			}
			f.PutJSON(KeySchema, found+1)
		}
		return nil
	})
	if err == nil {
		l.age.Store(int32(found - l.schema()))
	}
	return err
}

// conditions caches the conditions for conditionsHold.
type conditions struct {
	mu    sync.Mutex // protects until and found
	until time.Time
	found []model.Condition
}

const (
	conditionsHold = 2 * time.Second
	// clockSlack is how far the clock may be behind the newest change without a condition.
	clockSlack = 2 * time.Minute
	// minFree is the free space below which the disk counts as full.
	minFree = 16 << 20
	// minFiles is the number of free inodes below which it does.
	minFiles = 64
)

// Conditions lists the problems that limit the use of the ledger; usually there are none. A frontend may call it for every frame.
func (l *Ledger) Conditions(ctx context.Context) []model.Condition {
	found := l.backend.Conditions()
	if l.home.Dir == "" {
		return found
	}
	l.conditions.mu.Lock()
	defer l.conditions.mu.Unlock()
	if now := time.Now(); now.After(l.conditions.until) {
		l.conditions.until, l.conditions.found = now.Add(conditionsHold), l.findConditions(ctx)
	}
	found = append(found, l.conditions.found...)
	if x := l.Damage(); len(x) > 0 {
		found = append(found, model.Condition{Code: model.CodeDamaged, Hint: DamageHint,
			Message: fmt.Sprintf("%d damaged, the first: %s", len(x), x[0])})
	}
	return found
}

// newestChange is the time of the newest change. Where each agent has a history of its own, their heads have it.
func (f *Facts) newestChange() (newest time.Time) {
	if !f.Txn.Counts() {
		f.history("", 0, true, func(o Outline) bool {
			newest = o.At
			return false
		})
		return newest
	}
	f.EachHead(func(_ model.AgentID, h PartHead) {
		if h.At.After(newest) {
			newest = h.At
		}
	})
	return newest
}

func (l *Ledger) findConditions(ctx context.Context) []model.Condition {
	var out []model.Condition
	add := func(code model.Code, readOnly bool, hint, format string, args ...any) {
		out = append(out, model.Condition{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, ReadOnly: readOnly})
	}
	var newest time.Time
	var holes []string
	var moving error
	var s Status
	err := l.ViewFacts(ctx, func(f *Facts) error {
		s = f.Status()
		moving = s.Permits(true)
		newest = f.newestChange()
		if l.journal != nil {
			holes = l.journal.Holes(f.Head().Revision)
		}
		return nil
	})
	if err != nil {
		newest = time.Time{} // the read error is shown, not the clock
	}
	if l.age.Load() > 0 {
		add(model.CodeNewer, true, "install the newer vise", "a newer vise wrote this ledger: it is only read")
	}
	if x, ok := l.ReadOnly(); ok {
		out = append(out, x)
	}
	if moving != nil {
		add(model.CodeReadOnly, true, s.GoesOn(), "%v", moving)
	}
	space, inodes := files.Free(l.home.Dir)
	if space < minFree {
		add(model.CodeFull, false, "free some space; "+l.home.spaceHint(), "the disk has %d MB left", space>>20)
	}
	if inodes < minFiles {
		add(model.CodeFull, false, "remove files that nobody needs: each takes an inode, whatever its size; "+l.home.spaceHint(),
			"the disk has inodes for %d more files", inodes)
	}
	if ahead := newest.Sub(l.Now()); ahead > clockSlack {
		add(model.CodeClock, false, "set the clock; waits and timers count from it", "the clock is %v behind the newest change",
			ahead.Round(time.Second))
	}
	if name := l.home.network(); name != "" {
		add(model.CodeNetworkFS, false, "use one machine at a time, or move the home to a local disk",
			"the home lies on %s, where locks may fail", name)
	}
	if len(holes) > 0 {
		add(model.CodeLagging, false, "vise doctor --repair fills it from the ledger, which has all",
			"the copy of the history is not whole: it lacks %s", model.Text(strings.Join(holes, ", ")))
	}
	if err := l.Lag(); err != nil {
		add(model.CodeLagging, false, "nothing is lost; vise doctor says more", "the files for recovery are behind: %s",
			model.Text(err.Error()))
	}
	return out
}

// spaceHint says where the home's space is, and what of it vise does not need.
func (h Home) spaceHint() string {
	dir := model.Text(model.ShellLine([]string{h.Dir}))
	return fmt.Sprintf("du -sh %s/* shows what the home takes: what is in aside/ may go, and of snapshots/ all but the newest", dir)
}

// network names the network file system of the home; it is empty for a local one.
func (h Home) network() string {
	if h.Machine != nil && h.Machine.Network != nil {
		return h.Machine.Network(h.Dir)
	}
	return networkFS(h.Dir)
}

// ReadOnly returns the condition that the ledger can only be read, if it holds.
func (l *Ledger) ReadOnly() (x model.Condition, is bool) {
	if l.Can.File == nil {
		return x, false
	}
	err, unlocked := l.Can.File.ReadOnly()
	if err == nil {
		return x, false
	}
	said := "the ledger is only read: " + model.Text(err.Error()).String()
	if unlocked {
		said += "; its lock cannot be taken, and it is read without it"
	}
	return model.Condition{Code: model.CodeReadOnly, Message: said, ReadOnly: true,
		Hint: "make the home writable (chown, chmod, mount), or name another: --home"}, true
}

// A full disk cannot even take a completion, because a change needs pages before it frees any. So a home keeps some space in reserve, and
// gives it up to the first change that finds no other space. Work can then be finished, and its receipt says that the disk is full.

const (
	reserveFile  = "reserve"
	reserveBytes = 4 << 20
	// reserveAbove is how much must be free before the reserve is taken, so that the reserve itself fills no disk.
	reserveAbove = minFree + reserveBytes
)

// Reserve takes the reserve if it does not exist and there is space for it.
func (l *Ledger) Reserve() error {
	path := l.home.Path(reserveFile)
	if info, err := os.Lstat(path); err == nil && info.Size() >= reserveBytes {
		return nil
	}
	if space, _ := files.Free(l.home.Dir); space < reserveAbove {
		return nil
	}
	return l.home.Machine.Replace(path, func(f *files.File) error { return f.Allocate(reserveBytes) })
}

// giveUpReserve frees the reserve. False means that there is none.
func (l *Ledger) giveUpReserve() bool {
	if l.home.Dir == "" {
		return false
	}
	return l.home.Machine.Remove(l.home.Path(reserveFile)) == nil
}

func reserveWarning() model.Warning {
	return model.Warning{Kind: model.WarnDiskFull,
		Message: "the disk is full: this was saved in the reserve that vise keeps; free some space now, the next change may not fit"}
}
