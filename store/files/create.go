package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"vise/model"
)

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// CreatePlan creates an item's plan with seed as its text, and the directories that
// lead to it. What already has the name wins and is left alone, whatever it is; created
// is then false, so that a retry is safe. This is the only time that vise writes a plan.
//
// A seed is on the disk before it is true, with the names that lead to it: three syncs. An empty
// plan costs none, since a ledger creates plans under its lock: a power cut can take that away
// again, and it is then missing, which is said.
func (h Home) CreatePlan(agent model.AgentID, id model.ItemID, seed string) (created bool, err error) {
	created, err = h.createFile(agent, id, planFile, seed, seed != "")
	if err != nil {
		return false, fmt.Errorf("plan of %s/%s: %w", agent, id, err)
	}
	return created, nil
}

// CreatePlans is CreatePlan for many items of one agent at once, with one flush for all of them where the system can do
// that. It stops at the first that cannot be made, and names the items that had a plan already.
func (h Home) CreatePlans(agent model.AgentID, plans []model.NewPlan) (had []model.ItemID, err error) {
	items, err := h.makeItems(agent)
	if err != nil {
		return nil, fmt.Errorf("plans of %s: %w", agent, err)
	}
	defer items.Close()
	for _, p := range plans {
		created, err := h.createIn(items, p.ItemID, cmp.Or(p.Name, planFile), p.Seed.Raw(), !flushesAll && p.Seed != "")
		if err != nil {
			return had, fmt.Errorf("plan of %s/%s: %w", agent, p.ItemID, err)
		}
		if !created && p.Name == "" {
			had = append(had, p.ItemID)
		}
	}
	return had, h.flush()
}

// CreateReport keeps a report beside an item's plan, under a name that stands for its content: one
// that is there already is the same.
func (h Home) CreateReport(agent model.AgentID, id model.ItemID, name, text string) (created bool, err error) {
	created, err = h.createFile(agent, id, name, text, true)
	if err != nil {
		return false, fmt.Errorf("%s of %s/%s: %w", name, agent, id, err)
	}
	return created, nil
}

func (h Home) createFile(agent model.AgentID, id model.ItemID, name, seed string, sync bool) (bool, error) {
	items, err := h.makeItems(agent)
	if err != nil {
		return false, err
	}
	defer items.Close()
	return h.createIn(items, id, name, seed, sync)
}

// makeItems opens the directory in which an agent's items lie, and makes it first if it is missing.
func (h Home) makeItems(agent model.AgentID) (*os.Root, error) {
	if !model.ValidID(string(agent)) {
		return nil, errNoSuchID
	}
	return h.descend(aboveItems(agent), func(at *os.Root, name string) (*os.Root, error) { return makeDir(h.machine, at, name, true) })
}

func (h Home) createIn(items *os.Root, id model.ItemID, name, seed string, sync bool) (bool, error) {
	if !model.ValidID(string(id)) {
		return false, errNoSuchID
	}
	if len(seed) > model.MaxPlanBytes {
		return false, fmt.Errorf("%d bytes are more than a plan may have (%d)", len(seed), model.MaxPlanBytes)
	}
	dir, err := makeDir(h.machine, items, string(id), sync)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	return createNew(h.machine, dir, name, []byte(seed), sync)
}

var errNoSuchID = errors.New(noSuchID)

// flush puts all that was written below the home on the disk.
func (h Home) flush() error {
	dir, err := os.Open(h.dir)
	if err != nil {
		return fmt.Errorf("home: %w", err)
	}
	defer dir.Close()
	return flushAll(dir)
}

// makeDir opens the directory name in at, and creates it first if it is missing; with sync it is
// on the disk then.
func makeDir(m *Machine, at *os.Root, name string, sync bool) (*os.Root, error) {
	err := m.do(Op{Kind: Mkdir, Path: pathIn(at, name)}, func() error { return at.Mkdir(name, dirMode) })
	if err == nil && sync {
		err = syncDir(m, at)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	dir, err := enter(at, name)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", name, err)
	}
	return dir, nil
}

// createNew gives name the content data, whole or not at all, and only if nothing has
// that name. A reader never sees half of it, nor does a crash leave half of it.
func createNew(m *Machine, dir *os.Root, name string, data []byte, sync bool) (created bool, err error) {
	if len(data) == 0 && !sync {
		return createEmpty(m, dir, name)
	}
	if _, err := dir.Lstat(name); err == nil {
		return false, nil
	}
	temp, err := writeTemp(m, dir, data, fileMode, sync)
	if err != nil {
		return false, err
	}
	err = m.do(Op{Kind: Rename, Path: pathIn(dir, temp), To: pathIn(dir, name)}, func() error { return nameNew(dir, temp, name) })
	if err != nil {
		removeTemp(m, dir, temp)
	} else if sync {
		err = syncDir(m, dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return err == nil, nil
}

// createEmpty is createNew for an empty file, which is whole as soon as it has its name.
func createEmpty(m *Machine, dir *os.Root, name string) (created bool, err error) {
	if err := m.Before(Op{Kind: create, Path: pathIn(dir, name)}); err != nil {
		return false, err
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// nameNew gives the file temp its name, unless that is taken. Where the file system
// cannot rename so, a link does the same; its second name is gone a moment later.
func nameNew(dir *os.Root, temp, name string) error {
	at, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer at.Close()
	err = renameNew(at, temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return linkNew(dir, temp, name)
}

func linkNew(dir *os.Root, temp, name string) error {
	if err := dir.Link(temp, name); err != nil {
		return err
	}
	return dir.Remove(temp)
}

// ErrMoved says that a plan is not what its editor began with.
var ErrMoved = errors.New("the plan changed since")

// SavePlan writes what the operator made of a plan in an editor of theirs, whole or not at
// all, if the file is still the one with the hash base; a missing plan has the empty hash.
// What else is there stays as it is, and ErrMoved says so. It is the operator's own hand:
// vise itself never writes a plan that is there.
func (h Home) SavePlan(agent model.AgentID, id model.ItemID, base string, data []byte) error {
	if len(data) > model.MaxPlanBytes {
		return fmt.Errorf("%d bytes are more than a plan may have (%d)", len(data), model.MaxPlanBytes)
	}
	now := h.Plan(agent, id)
	if now.Condition == model.PlanMissing && base == "" {
		created, err := h.CreatePlan(agent, id, string(data))
		if err == nil && !created {
			err = ErrMoved
		}
		return err
	}
	if now.Condition != model.PlanOK || now.Hash != base {
		return ErrMoved
	}
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return err
	}
	defer dir.Close()
	return writeAtomicIn(dir, planFile, data)
}

// SaveCopy writes data next to an item's plan, under a name that nothing has, and gives
// its path.
func (h Home) SaveCopy(agent model.AgentID, id model.ItemID, data []byte) (path string, err error) {
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	for n := 1; n < 1000; n++ {
		name := fmt.Sprintf("plan.mine-%d.md", n)
		created, err := createNew(h.machine, dir, name, data, true)
		if err != nil {
			return "", err
		}
		if created {
			return h.PlanDir(agent, id) + "/" + name, nil
		}
	}
	return "", errors.New("too many copies lie beside the plan")
}

// WriteNew writes a new file with 0600, whole or not at all. One that is there stays as it is.
func WriteNew(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	_, err = createNew(nil, dir, filepath.Base(path), data, true)
	return err
}

// WriteAtomic replaces the content of the file at path, so that any reader and any crash
// sees the old content or the new, whole. The file keeps its permissions; a new one has
// 0600. The directory must exist. What is there and is not a regular file, a symbolic
// link included, is refused: replacing a link would cut it, following it might lead out.
func WriteAtomic(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	return writeAtomicIn(dir, filepath.Base(path), data)
}

// writeAtomicIn is WriteAtomic for a file below root, which no part of name can lead out of.
func writeAtomicIn(root *os.Root, name string, data []byte) error {
	dir, err := root.OpenRoot(filepath.Dir(name) + "/.")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer dir.Close()
	if err := replace(dir, filepath.Base(name), data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func replace(dir *os.Root, name string, data []byte) error {
	mode := fileMode
	old, err := dir.Lstat(name)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp, err := writeTemp(nil, dir, data, mode, true)
	if err != nil {
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		dir.Remove(temp)
		return err
	}
	return syncDir(nil, dir)
}

// writeTemp writes data to a new file in dir, on the disk if sync, and returns its name.
// After an error nothing is left of it.
func writeTemp(m *Machine, dir *os.Root, data []byte, mode fs.FileMode, sync bool) (string, error) {
	name := fmt.Sprintf(".vise-%016x.tmp", rand.Uint64())
	if err := m.Before(Op{Kind: create, Path: pathIn(dir, name)}); err != nil {
		return "", err
	}
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	f := m.File(file)
	_, err = f.Write(data)
	if err == nil && mode != fileMode {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		removeTemp(m, dir, name)
		return "", err
	}
	return name, nil
}

func removeTemp(m *Machine, dir *os.Root, name string) {
	_ = m.do(Op{Kind: Remove, Path: pathIn(dir, name)}, func() error { return dir.Remove(name) })
}

func pathIn(dir *os.Root, name string) string { return filepath.Join(dir.Name(), name) }

// syncDir puts the entries of dir on the disk: without it a new name may not outlive a
// power cut, although its file would.
func syncDir(m *Machine, dir *os.Root) error {
	return m.do(Op{Kind: SyncDir, Path: filepath.Clean(dir.Name())}, func() error {
		d, err := dir.Open(".")
		if err != nil {
			return err
		}
		defer d.Close()
		return syncNames(d)
	})
}
