package recovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/transfer"
)

// planReader reads an item's plan file, and the files beside it, for a backup.
type planReader interface {
	store.PlanFiles
	// Stored lists the items that may have files.
	Stored() (map[model.AgentID][]model.ItemID, error)
	// Beside names the files beside an item's plan: long reports and saves.
	Beside(agent model.AgentID, item model.ItemID) ([]string, error)
	// ReadFile returns the bytes of a plan or, with a name, of a file beside it; nil if there is none. CreateFile writes them.
	ReadFile(agent model.AgentID, item model.ItemID, name string) (raw []byte, changed time.Time, err error)
	CreateFile(agent model.AgentID, item model.ItemID, name string, raw []byte) (created bool, err error)
}

// Backup writes a checked copy of the ledger to a new file at path, with the items' plan files, their saves and the long reports. What
// cannot be read of these is named in the copy and in the result.
func Backup(ctx context.Context, l *store.Ledger, path string) (Snapshot, error) {
	if _, err := os.Lstat(path); !files.IsGone(err) {
		return Snapshot{}, errors.Join(err, &fs.PathError{Op: "back up", Path: path, Err: fs.ErrExist})
	}
	plans := func(path string, s *Snapshot) error { return addPlans(ctx, l, path, s) }
	s, err := copyFile(ctx, l, filepath.Dir(path), func(Snapshot) string { return path }, plans)
	if err != nil {
		return s, store.Explain(store.NoSpaceToCopy(fmt.Errorf("back up: %w", err)))
	}
	x, err := transfer.ArchivedIn(path)
	if x.Changes > 0 {
		s.Archived = &x
	}
	return s, store.Explain(err)
}

// bucketPlans exists only in backups. Its key is <agent>/<item> for a plan, <agent>/<item>/<name> for a report. Its value is the time of
// the last change in nanoseconds since 1970, a checksum of key and text, and the text.
const bucketPlans = "plans"

// bucketSaves is the same for saves, by their hashes. A vise that does not know saves ignores it.
const bucketSaves = "saves"

// bucketMissing has what could not be read: by the same keys, why.
const bucketMissing = "missing"

const planHeader = 8 + kv.ChecksumSize

// addPlans adds the files of a copy's items to the copy, and counts and names them in s.
func addPlans(ctx context.Context, l *store.Ledger, path string, s *Snapshot) error {
	reader, ok := l.PlanFiles().(planReader)
	if !ok {
		return nil
	}
	stored, unread := reader.Stored()
	if len(stored) > 0 {
		if err := keepKnown(path, stored); err != nil {
			return err
		}
	}
	return kv.PutBeside(l.Home().Machine, path, func(put func(bucket string, key, value []byte) error) error {
		lack := func(of planOf, why error) error {
			if why == nil {
				return ctx.Err()
			}
			s.Missing = append(s.Missing, fmt.Sprintf("%s: %v", of.key(), why))
			return put(bucketMissing, of.key(), []byte(why.Error()))
		}
		err := lack(planOf{agent: store.AgentsDir}, unread)
		for _, agent := range slices.Sorted(maps.Keys(stored)) {
			for _, item := range stored[agent] {
				names, unread := reader.Beside(agent, item)
				for _, name := range append([]string{""}, names...) {
					of := planOf{agent, item, name}
					raw, changed, why := of.read(reader)
					if raw != nil {
						s.Plans++
						err = cmp.Or(err, savedPlan{of, raw, changed}.put(put))
					}
					if err = cmp.Or(err, lack(of, cmp.Or(why, unread))); err != nil {
						return err
					}
					unread = nil
				}
			}
		}
		return err
	})
}

// keepKnown drops the items that a copy does not have.
func keepKnown(path string, stored map[model.AgentID][]model.ItemID) error {
	return store.ViewFile(path, func(f *store.Facts) error {
		for agent, items := range stored {
			stored[agent] = slices.DeleteFunc(items, func(id model.ItemID) bool {
				w, ok := f.Item(id)
				return !ok || w.AgentID != agent
			})
		}
		return f.Err
	})
}

// planOf names the plan of an item or, with a name, a file beside it.
type planOf struct {
	agent model.AgentID
	item  model.ItemID
	name  string
}

func (p planOf) key() []byte {
	return []byte(path.Join(string(p.agent), string(p.item), p.name))
}

// namedBy is what has the key.
func namedBy(key []byte) planOf {
	agent, item, _ := strings.Cut(string(key), "/")
	item, name, _ := strings.Cut(item, "/")
	return planOf{model.AgentID(agent), model.ItemID(item), name}
}

func (p planOf) read(plans planReader) (raw []byte, changed time.Time, err error) {
	return plans.ReadFile(p.agent, p.item, p.name)
}

// is reports whether the file has the backup's content. An existing save has it, however it is compressed.
func (p savedPlan) is(have []byte) bool {
	return have != nil && (files.IsSave(p.name) || bytes.Equal(have, p.raw))
}

func itemsOf(path string) (out []planOf, err error) {
	err = store.ViewFile(path, func(f *store.Facts) error {
		for id, agent := range f.ItemIDs() {
			out = append(out, planOf{agent: agent, item: id})
		}
		return f.Err
	})
	return out, err
}

// savedPlan is a plan in a backup.
type savedPlan struct {
	planOf
	raw     []byte
	changed time.Time
}

func (p savedPlan) put(put func(bucket string, key, value []byte) error) error {
	in := bucketPlans
	if files.IsSave(p.name) {
		in = bucketSaves
	}
	value := binary.BigEndian.AppendUint64(make([]byte, 0, planHeader+len(p.raw)), uint64(p.changed.UnixNano()))
	value = binary.BigEndian.AppendUint32(value, kv.Checksum(p.key(), p.raw))
	return put(in, p.key(), append(value, p.raw...))
}

// eachPlan visits the plans in the backup at path; a ledger has none. If a plan is damaged, eachPlan visits all others and then returns an
// error.
func eachPlan(path string, visit func(savedPlan) error) error {
	var damaged error
	err := kv.EachBeside(path, func(key, value []byte) error {
		p, ok := planAt(key, value)
		if !ok {
			damaged = kv.Damaged("read", "the plan %q does not match its checksum", key)
			return nil
		}
		return visit(p)
	}, bucketPlans, bucketSaves)
	return errors.Join(err, damaged)
}

func planAt(key, value []byte) (p savedPlan, ok bool) {
	of := namedBy(key)
	if len(value) < planHeader || !model.ValidID(string(of.agent)) || !model.ValidID(string(of.item)) ||
		of.name != "" && !model.IsReportFile(of.name) && !files.IsSave(of.name) {
		return p, false
	}
	raw := value[planHeader:]
	p = savedPlan{of, bytes.Clone(raw), time.Unix(0, int64(binary.BigEndian.Uint64(value))).UTC()}
	return p, binary.BigEndian.Uint32(value[8:]) == kv.Checksum(key, raw)
}

// PlansBack is what a restore from a backup does with the plans, saves and reports in it. It never changes an existing plan file, because
// its author may have edited it since.
type PlansBack struct {
	// Saved counts the files in the backup, Same those that are equal in the home.
	Saved int `json:"saved"`
	Same  int `json:"same"`
	// Missing counts those that the home lacks. The restore creates them.
	Missing int `json:"missing"`
	// Differ counts those that are different in the home; Newer of them were changed after the backup's. The home's files stay, and the
	// restore writes the backup's into Aside.
	Differ int    `json:"differ"`
	Newer  int    `json:"newer"`
	Aside  string `json:"aside,omitempty"`
	// Lacking names what the backup could not read and the home lacks too, with the reason.
	Lacking []string `json:"lacking,omitempty"`
	// Damaged says what is wrong with the backup's plans. The others are restored.
	Damaged string `json:"damaged,omitempty"`
}

// planPlans finds out what a restore has to do with the plans of the backup.
func (r *restore) planPlans(ctx context.Context) {
	r.Backup = r.From
	if r.From == "" || r.RestoreOptions.Plans == nil {
		return
	}
	out := &PlansBack{}
	err := eachPlan(r.From, func(p savedPlan) error {
		out.Saved++
		switch have, changed, _ := p.read(r.RestoreOptions.Plans); {
		case have == nil:
			out.Missing++
		case p.is(have):
			out.Same++
		default:
			out.Differ++
			if changed.After(p.changed) {
				out.Newer++
			}
		}
		return ctx.Err()
	})
	if err != nil {
		out.Damaged = err.Error()
	}
	err = errors.Join(err, kv.EachBeside(r.From, func(key, why []byte) error {
		if have, _, _ := namedBy(key).read(r.RestoreOptions.Plans); have == nil {
			out.Lacking = append(out.Lacking, fmt.Sprintf("%s: %s", key, why))
		}
		return nil
	}, bucketMissing))
	if out.Saved == 0 && len(out.Lacking) == 0 && err == nil {
		return
	}
	if out.Differ > 0 {
		out.Aside = r.home.Aside("plans", "")
	}
	r.Recovery.Plans = out
}

// bringPlans creates the plans of the backup that the home lacks, and puts different ones aside. If it was interrupted, it can run again.
func (r *Recovery) bringPlans(ctx context.Context, h store.Home, plans planReader) error {
	if r.Plans == nil || plans == nil {
		return nil
	}
	var errs []error
	err := eachPlan(r.Backup, func(p savedPlan) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		have, _, _ := p.read(plans)
		if p.is(have) {
			return nil
		}
		created, err := plans.CreateFile(p.agent, p.item, p.name, p.raw)
		if err == nil && !created {
			err = r.putAside(h, p)
		}
		errs = append(errs, err)
		return nil
	})
	if r.Plans.Damaged != "" {
		err = nil // planPlans reported it
	}
	return errors.Join(append(errs, err)...)
}

// putAside writes a backup's plan into a directory that only its owner can read.
func (r *Recovery) putAside(h store.Home, p savedPlan) error {
	if r.Plans.Aside == "" {
		r.Plans.Aside = h.Aside("plans", "")
	}
	dir := filepath.Join(r.Plans.Aside, string(p.agent))
	for _, d := range []string{filepath.Dir(r.Plans.Aside), r.Plans.Aside, dir} {
		if err := h.Machine.Mkdir(d); err != nil {
			return err
		}
	}
	name := string(p.item) + ".md"
	if p.name != "" {
		name = string(p.item) + "-" + p.name
	}
	return h.Machine.WriteFile(filepath.Join(dir, name), p.raw)
}

// FilesOfBackup brings the plan files, saves and reports of a backup to a home that has its ledger elsewhere.
func FilesOfBackup(ctx context.Context, path, dir string, plans planReader) (*PlansBack, error) {
	h := store.Home{Dir: dir}
	r := &restore{RestoreOptions: RestoreOptions{From: path, Plans: plans}, Recovery: &Recovery{Home: dir}, home: h}
	if r.planPlans(ctx); r.Recovery.Plans == nil {
		return &PlansBack{}, nil
	}
	return r.Recovery.Plans, store.Explain(r.bringPlans(ctx, h, plans))
}
