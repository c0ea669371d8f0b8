// Package recovery is for a ledger that is lost or damaged: what is kept for that day, and how the ledger is made again.
//
// Kept are hourly snapshots in the home (snapshot.go) and backups, which also have the plan files (backup.go). The copy of the history,
// which follows each commit, is of the ledger itself: see store and its package journal.
//
// A restore is planned first. It finds the home's id and which revision the home had reached (home.go, loss.go), takes a source, and makes
// the changes of the journal again, each compared byte by byte with its copy (source.go). The result is a checked draft beside the ledger,
// and what is lost is said before anything is changed (restore.go); moment.go makes a new home of an earlier moment. Nothing is deleted.
package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
)

// RestoreOptions are a frontend's options for a restore.
type RestoreOptions struct {
	// From is the backup to start from. If it is empty, the restore starts from the newest snapshot that passes its check.
	From string
	// To is the last revision wanted; 0 means as far as possible. At is a time instead: the last change until then.
	To uint64
	At time.Time
	// Copy creates a new home at the moment of To or At, in Into, or beside the home if Into is empty. It does not change the home.
	Copy bool
	Into string
	// Blind skips the present ledger, because reading it may make bbolt run for ever.
	Blind bool
	// Plans are the home's plan files; if nil, the plans of a backup are not restored. NewPlans are the plan files of a new home.
	Plans    planReader
	NewPlans planReader
	Command  string
	Machine  *files.Machine
}

// Recovery is what a restore would do. Its draft is a checked ledger beside the present one. Apply puts the draft in place; Discard deletes
// it.
type Recovery struct {
	Home string `json:"home"`
	// Ledger is what is wrong with the present ledger; empty if nothing is.
	Ledger string `json:"ledger,omitempty"`
	// Known is the newest revision of which the home has a trace.
	Known uint64 `json:"known_revision"`
	// Source is what the restore starts from, at SourceRevision. Revision is what it reaches with Replayed changes from the journal.
	Source         string `json:"source"`
	SourceRevision uint64 `json:"source_revision"`
	Revision       uint64 `json:"revision"`
	Replayed       uint64 `json:"replayed"`
	// Lost is what cannot be restored.
	Lost Loss `json:"lost"`
	// Diverged is the revision from which the history of the ledger, or of the named backup, differs from the journal's. Two copies of one
	// home were then changed separately. The restore uses one of them, named by Keeps, and keeps the other aside.
	Diverged uint64 `json:"diverged_at,omitempty"`
	Keeps    string `json:"keeps,omitempty"`
	// Into is the directory of the new home, Made the time of its last change, and Copied the number of its plan files.
	Into   string    `json:"into,omitempty"`
	Made   time.Time `json:"made,omitzero"`
	Copied int       `json:"plans_copied,omitempty"`
	// Passed are the sources that could not be used, and why.
	Passed []string `json:"passed_over,omitempty"`
	// Aside is the path to which the present ledger goes. Nothing is deleted.
	Aside string `json:"aside,omitempty"`
	// NewHome reports that home.json is missing or unreadable, and is created again.
	NewHome bool `json:"home_json_made_again,omitempty"`
	// Fresh means that there was no home, and the backup becomes one, with its id.
	Fresh bool `json:"new_home,omitempty"`
	// Backup is the named file from which the restore starts, and Plans what it does with the plans in it.
	Backup string     `json:"backup,omitempty"`
	Plans  *PlansBack `json:"plans,omitempty"`
	// Dir is the directory of the draft.
	Dir string `json:"draft"`
}

// Needed reports whether the present ledger is worse than what the restore makes.
func (r *Recovery) Needed() bool { return r.Ledger != "" || r.NewHome }

const draftPrefix = ".restoring-"

// restore is a restore while it is planned.
type restore struct {
	RestoreOptions
	*Recovery
	home    store.Home
	journal *journal.Copy
	best    *draft

	traces []trace
	// copied are the revisions in the journal's copy. torn are the changes of which the copy has only a part.
	copied []uint64
	torn   []journal.Change
	// present is the revision of the present ledger, as far as it is readable. alone means that it may have had one more.
	present uint64
	alone   bool
	// keepsCopy means that, of two histories, the restore uses the journal's.
	keepsCopy bool
}

// The values of Recovery.Keeps.
const (
	keepsJournal = "journal"
	keepsFile    = "file"
)

// draft is a ledger that is being rebuilt.
type draft struct {
	dir      string
	source   string
	from, to uint64
}

func (d *draft) path() string { return filepath.Join(d.dir, store.LedgerFile) }

// PlanRestore finds a source for the ledger, rebuilds the ledger beside the present one, and checks it. It changes nothing else in the
// home.
func PlanRestore(ctx context.Context, dir string, o RestoreOptions) (*Recovery, error) {
	r := &restore{RestoreOptions: o, Recovery: &Recovery{Home: dir}}
	err := r.plan(ctx)
	if err != nil {
		err = errors.Join(err, r.Discard())
	}
	return r.Recovery, store.Explain(err)
}

func (r *restore) plan(ctx context.Context) error {
	if err := r.findHome(); err != nil {
		return err
	}
	r.examine(ctx)
	if err := r.remains(); err != nil {
		return err
	}
	if err := r.aim(); err != nil {
		return err
	}
	sources, err := r.sources()
	if err != nil {
		return err
	}
	want := r.Known
	if r.To > 0 {
		want = min(want, r.To)
	}
	for _, s := range sources {
		if r.best != nil && r.best.to >= want {
			break
		}
		d, err := r.attempt(ctx, s)
		if said := (*model.Error)(nil); r.From != "" && errors.As(err, &said) {
			return err
		}
		if err != nil {
			r.Passed = append(r.Passed, fmt.Sprintf("%s: %v", s.name, err))
			continue
		}
		r.better(d)
	}
	if r.Copy && (r.best == nil || r.best.to != r.To) {
		if r.best != nil {
			os.RemoveAll(r.best.dir)
		}
		return r.holds(r.To)
	}
	if r.best == nil {
		if r.From != "" {
			return model.Refused("this file cannot be restored: %v", r.Passed).At("file", backupHint)
		}
		return kv.Refuse("copy the home as it is; vise cannot restore it", "no file in %s is enough for a ledger: %v", r.Home, r.Passed)
	}
	r.report()
	r.planPlans(ctx)
	return ctx.Err()
}

// remains refuses to restore the ledger of a home from which it has moved, or moves: it would be open at two places.
func (r *restore) remains() error {
	var a store.About
	err := errors.ErrUnsupported
	if !r.Blind {
		a, err = store.Identify(r.home.Path(store.LedgerFile))
	}
	if other := cmp.Or(a.Other, r.home.Moving); !r.Copy && other != "" && (err != nil || a.State != store.StateOpen) {
		return kv.Refuse("vise restore --at makes a new home", "the ledger of this home moves, or has moved, to %s", model.Text(other))
	}
	return nil
}

// examine finds out what is wrong with the present ledger, and which revision the home had reached.
func (r *restore) examine(ctx context.Context) {
	r.searchTraces()
	if r.Fresh {
		return
	}
	if r.Blind {
		r.Ledger = "its check did not end"
		return
	}
	path := r.home.Path(store.LedgerFile)
	a, err := store.Identify(path)
	if err == nil && a.Home != r.home.ID {
		err = fmt.Errorf("it is the ledger of another home (%s)", a.Home)
	}
	if err == nil {
		r.present, r.alone = a.Revision, kv.MetaAlone(path)
		r.Diverged = store.Apart(path, r.home)
		r.keepsCopy = r.Diverged > 0 && r.From == ""
		b := store.OpenIn(nil, r.home.Dir, r.Command)
		var proof store.Health // of a copy, because other processes may use the ledger
		proof, err = store.Prove(ctx, b, r.home)
		switch {
		case err != nil:
		case r.Diverged > 0:
			err = fmt.Errorf("it and the journal are of two copies of this home that both went on: they diverge at revision %d", r.Diverged)
		case proof.Revision < r.Known:
			err = errors.New(store.LostChanges(proof.Revision, r.Known))
		}
		b.Close()
		if !r.keepsCopy {
			r.known(a.Revision, "%s: it is at revision %d", store.LedgerFile, a.Revision)
		}
	}
	if err != nil {
		r.Ledger = err.Error()
	}
}

// better keeps the draft with the higher revision, or the first of two with the same.
func (r *restore) better(d *draft) {
	if r.best != nil && r.best.to >= d.to {
		os.RemoveAll(d.dir)
		return
	}
	if r.best != nil {
		os.RemoveAll(r.best.dir)
	}
	r.best = d
}

func (r *restore) report() {
	d := r.best
	r.Dir, r.Source, r.SourceRevision, r.Revision = d.dir, d.source, d.from, d.to
	r.Replayed = d.to - d.from
	if r.Copy {
		r.Lost.AtMost = new(uint64) // the home does not change
		r.Made = store.MadeAt(d.path(), d.to)
		return
	}
	if r.From != "" {
		r.Diverged = store.Apart(d.path(), r.home)
	}
	if r.Diverged > 0 {
		r.Keeps = keepsFile
		if r.keepsCopy {
			r.Keeps = keepsJournal
		}
	}
	r.countLoss()
	if _, err := os.Lstat(r.home.Path(store.LedgerFile)); err == nil {
		r.Aside = r.home.Aside("ledger", snapshotEnd)
	}
}

// Discard deletes the draft, and the directory of a new home if it is still empty.
func (r *Recovery) Discard() error {
	err := os.RemoveAll(r.Dir)
	if r.Into != "" {
		_ = os.Remove(r.Into)
	}
	if r.Fresh {
		_ = os.Remove(r.Home)
	}
	return err
}

// Apply puts the draft in the ledger's place. It keeps the present ledger aside, and also a journal that ends after the restored revision.
// If it was interrupted, it can run again.
func (r *Recovery) Apply(ctx context.Context, o RestoreOptions) error {
	if r.Into != "" {
		return store.Explain(r.applyCopy(ctx, o))
	}
	err := r.applyHere(ctx, o)
	if err == nil && r.Fresh {
		err = store.FillCopy(ctx, r.Home, o.Command, o.Machine)
	}
	return store.Explain(err)
}

func (r *Recovery) applyHere(ctx context.Context, o RestoreOptions) error {
	h := store.Home{Dir: r.Home, Machine: o.Machine}
	return h.Alone(ctx, o.Command, func() error {
		if r.Fresh && h.Used() {
			return model.Conflict("a home was made in %s meanwhile", model.Text(r.Home)).WithHint(otherHomeHint)
		}
		if err := r.apply(h); err != nil {
			return err
		}
		return errors.Join(r.bringPlans(ctx, h, o.Plans), r.Discard())
	})
}

func (r *Recovery) apply(h store.Home) error {
	d := &draft{dir: r.Dir}
	a, err := store.Identify(d.path())
	if err != nil {
		return err
	}
	if a.Revision != r.Revision {
		return fmt.Errorf("the draft %s is at revision %d, not %d", d.path(), a.Revision, r.Revision)
	}
	if err := r.keepAside(h); err != nil {
		return err
	}
	if err := h.Machine.Rename(d.path(), h.Path(store.LedgerFile)); err != nil {
		return err
	}
	if err := h.Machine.SyncDir(h.Dir); err != nil {
		return err
	}
	return r.settleHome(h, a.Home)
}

// keepAside gives the present ledger a second name, so that the path always has a ledger. Where links are not possible, it renames the
// ledger.
func (r *Recovery) keepAside(h store.Home) error {
	if r.Aside == "" {
		return nil
	}
	if err := h.Machine.Mkdir(filepath.Dir(r.Aside)); err != nil {
		return err
	}
	path := h.Path(store.LedgerFile)
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && os.Link(path, r.Aside) == nil {
		return nil
	}
	return h.Machine.Rename(path, r.Aside)
}
