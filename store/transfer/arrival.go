package transfer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
)

// noteMoving notes in home.json, before the ledger moves, to where it does. So a restore of a home whose ledger cannot be read does not
// open it a second time.
func noteMoving(ctx context.Context, l *store.Ledger, to string) error {
	b := l.Can.File
	if b == nil {
		return nil
	}
	if err := b.Lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.Lock.Release()
	h, err := store.OpenHome(l.Home().Machine, l.Home().Dir)
	if err != nil || h.Moving == to {
		return err
	}
	h.Moving = to
	return h.Save()
}

// Arrival is a directory that gets a ledger. The ledger arrives in a draft beside the place that it will have.
type Arrival struct {
	*kv.Bolt
	home store.Home
}

// movingDir is the directory of the draft.
const movingDir = ".moving"

// Arrive prepares a directory for the ledger of a home with this id. It can have that ledger from before it moved away, and the plan files.
func Arrive(dir, id string, o store.Options) (*Arrival, error) {
	a := &Arrival{home: store.NewHome(o.Machine, dir, id)}
	in, err := a.place()
	if err != nil {
		return nil, store.Explain(err)
	}
	a.Bolt = store.OpenIn(o.Machine, in, o.Command)
	return a, nil
}

// place finds the directory in which the ledger arrives, or has arrived.
func (a *Arrival) place() (dir string, err error) {
	h := a.home
	ledger, moving := h.Path(store.LedgerFile), h.Path(movingDir)
	draft := filepath.Join(moving, store.LedgerFile)
	present := false
	if _, err := os.Lstat(ledger); err == nil {
		present = true
		here, err := store.Identify(ledger)
		if err == nil && here.Home != h.ID {
			err = kv.Refuse("name another directory", "%s is the home of another ledger (%s)", h.Dir, model.Text(here.Home))
		}
		if err != nil {
			return "", err
		}
	}
	if _, err := os.Lstat(draft); err == nil {
		return moving, nil
	}
	if present {
		if a, err := store.Identify(ledger); err != nil || a.State != store.StateMoved {
			return h.Dir, err // it has arrived; or the move finds that there is a ledger
		}
	}
	for _, d := range []string{h.Dir, moving} {
		if err := store.MakeDir(h.Machine, d); err != nil {
			return "", err
		}
	}
	return moving, kv.CreateBolt(h.Machine, draft, func(store.Txn) error { return nil })
}

// Discard removes the draft of a ledger that does not come.
func (a *Arrival) Discard() error {
	return errors.Join(a.Close(), os.RemoveAll(a.home.Path(movingDir)))
}

// DiscardEmpty removes the draft if nothing of a ledger has arrived in it.
func (a *Arrival) DiscardEmpty(ctx context.Context) error {
	empty := false
	err := store.ReadFacts(ctx, a, func(f *store.Facts) error {
		empty = f.Payload(store.KeyHead) == nil
		return nil
	})
	if err != nil || !empty {
		return err
	}
	return a.Discard()
}

// Finish makes the home ready, when its ledger has moved there. It can be repeated.
func (a *Arrival) Finish(ctx context.Context) error {
	h := a.home
	if err := a.Close(); err != nil {
		return err
	}
	if err := h.Machine.Remove(h.Path(store.ClusterFile)); err != nil && !files.IsGone(err) {
		return err
	}
	if err := store.FillCopy(ctx, h.Dir, "vise admin move", h.Machine); err != nil {
		return err
	}
	return os.RemoveAll(h.Path(movingDir))
}

// Install gives the ledger that has arrived its place. An earlier one is kept aside, and so is a copy of the history that is not this
// ledger's. It can be repeated.
func (a *Arrival) Install(ctx context.Context, arrived Arrived) error {
	return a.home.Alone(ctx, "vise admin move", func() error { return a.install(arrived) })
}

func (a *Arrival) install(arrived Arrived) error {
	h := a.home
	was := store.Home{Dir: h.Dir}
	if was.Read() == nil && was.ID == h.ID {
		h.Created, h.Bound = was.Created, was.Bound
		h.Revision = was.Revision
	}
	h.Revision, h.Since, h.Moving = max(h.Revision, arrived.Revision), arrived.Revision, ""
	if err := h.Make(); err != nil {
		return err
	}
	if err := a.takePlace(); err != nil {
		return err
	}
	return cmp.Or(a.settleCopy(), h.Machine.SyncDir(h.Dir))
}

// takePlace renames the draft. Without a draft, that was done.
func (a *Arrival) takePlace() error {
	h := a.home
	ledger, draft := h.Path(store.LedgerFile), h.Path(filepath.Join(movingDir, store.LedgerFile))
	if _, err := os.Lstat(draft); files.IsGone(err) {
		return nil
	}
	if _, err := os.Lstat(ledger); err == nil {
		aside := h.Aside("ledger-before-move", ".db")
		if err := h.Machine.Mkdir(filepath.Dir(aside)); err != nil {
			return err
		}
		if err := os.Link(ledger, aside); err != nil {
			return err
		}
	}
	return h.Machine.Rename(draft, ledger)
}

// settleCopy keeps a copy of another history aside, and one with changes that are in the archive now.
func (a *Arrival) settleCopy() error {
	h := a.home
	x, err := ArchivedIn(h.Path(store.LedgerFile))
	if err == nil && x.Changes == 0 && store.Continued(h) == nil {
		return nil
	}
	return h.History().SetAside(h.Aside("journal-before-move", ""))
}
