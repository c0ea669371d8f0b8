package files

import (
	"bytes"
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

// CreatePlan creates an item's plan with seed as its text, and the directories above it. If the name exists, CreatePlan changes nothing and
// created is false, so that a retry is safe. This is the only function with which vise itself writes a plan; SavePlan writes for the
// operator.
//
// A seed is on the disk before its change is saved, with its file name and directory name: three syncs. An empty plan costs no sync. A
// power cut can remove it, and vise then reports it as missing.
func (h Home) CreatePlan(agent model.AgentID, id model.ItemID, seed string) (created bool, err error) {
	if len(seed) > model.MaxPlanBytes {
		err = fmt.Errorf("%d bytes are more than a plan may have (%d)", len(seed), model.MaxPlanBytes)
	} else {
		created, err = h.createFile(agent, id, planFile, seed, seed != "")
	}
	if err != nil {
		return false, fmt.Errorf("plan of %s/%s: %w", agent, id, err)
	}
	return created, nil
}

// CreateAhead is CreatePlan for an item that can still be refused. It creates only the item's own directory and file. It fails if the agent
// has no directory of items yet: that one is shared, so it has to be on the disk before another item's change is saved. After a failure
// nothing is left, so that CreatePlan writes and syncs everything again.
func (h Home) CreateAhead(agent model.AgentID, id model.ItemID, seed string) (created bool) {
	items, err := h.guarded(validIDs(agent, id), aboveItems(agent))
	if err != nil {
		return false
	}
	defer items.Close()
	created, err = h.createIn(items, id, planFile, seed, seed != "")
	if err != nil {
		h.removeIn(items, id, seed)
	}
	return created && err == nil
}

// RemovePlan removes the plan and the directory that CreateAhead created. It keeps a plan that does not read as seed, and a directory with
// anything else in it. What it cannot remove is a plan without an item, which does no harm.
func (h Home) RemovePlan(agent model.AgentID, id model.ItemID, seed string) {
	items, err := h.guarded(validIDs(agent, id), aboveItems(agent))
	if err != nil {
		return
	}
	defer items.Close()
	h.removeIn(items, id, seed)
}

func (h Home) removeIn(items *os.Root, id model.ItemID, seed string) {
	dir, err := enter(items, string(id))
	if err != nil {
		return
	}
	raw, _, err := readSettled(dir, planFile)
	if err == nil && raw != nil && string(raw) == seed {
		remove(h.machine, dir, planFile)
	}
	dir.Close()
	remove(h.machine, items, string(id))
}

// CreatePlans is CreatePlan for many items of one agent, with one flush for all of them where the system has such a call. It stops at the
// first failure, and returns the items that had a plan already.
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

// CreateReport writes a report beside an item's plan. The name is derived from the content, so an existing file of that name has the same
// content.
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

// makeItems opens the directory of an agent's items, and creates it if it is missing.
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
	dir, err := makeDir(h.machine, items, string(id), sync)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	return createNew(h.machine, dir, name, []byte(seed), sync)
}

var errNoSuchID = errors.New(noSuchID)

// flush writes everything below the home to the disk.
func (h Home) flush() error {
	dir, err := os.Open(h.dir)
	if err != nil {
		return fmt.Errorf("home: %w", err)
	}
	defer dir.Close()
	return flushAll(dir)
}

// makeDir opens the directory name in at, and creates it if it is missing. With sync, a new directory is on the disk when makeDir returns.
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

// createNew creates the file name with the content data, all or nothing, if the name does not exist. Neither a reader nor a crash ever sees
// a part of the content.
func createNew(m *Machine, dir *os.Root, name string, data []byte, sync bool) (created bool, err error) {
	if _, err := dir.Lstat(name); err == nil {
		return false, nil
	}
	err = put(m, dir, name, data, fileMode, sync, nameNew)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return err == nil, nil
}

// nameNew renames the file temp to name, unless name exists. If the file system has no such rename, nameNew makes a link and then removes
// temp.
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

// ErrMoved means that a plan changed since the operator began to edit it.
var ErrMoved = errors.New("the plan changed since")

// SavePlan writes what the operator made of a plan in an editor, all or nothing, if the file still has the hash base. The hash of a missing
// plan is empty. If the file is different, SavePlan changes nothing and returns ErrMoved. SavePlan writes for the operator; vise itself
// never writes an existing plan.
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

// SaveCopy writes data beside an item's plan, under a name that is unused or has the same content, and returns its path. A copy for an item
// without a directory lies below state, because the directory would make the plan file one of this home.
func (h Home) SaveCopy(agent model.AgentID, id model.ItemID, data []byte) (path string, err error) {
	dir, err := h.itemDir(agent, id)
	at := h.PlanDir(agent, id)
	if validIDs(agent, id) && !h.Has(agent, id) {
		names := []string{"state", "plans", string(agent), string(id)}
		at = filepath.Join(append([]string{h.dir}, names...)...)
		dir, err = h.descend(names, func(at *os.Root, name string) (*os.Root, error) { return makeDir(h.machine, at, name, true) })
	}
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
		if !created {
			raw, _, err := readSettled(dir, name)
			created = err == nil && raw != nil && bytes.Equal(raw, data)
		}
		if created {
			return filepath.Join(at, name), nil
		}
	}
	return "", errors.New("too many copies lie beside the plan")
}

// WriteNew writes a new file with mode 0600, all or nothing. It does not change an existing file.
func WriteNew(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	_, err = createNew(nil, dir, filepath.Base(path), data, true)
	return err
}

// WriteAtomic replaces the content of the file at path. Any reader, and any crash, sees either the whole old content or the whole new
// content. The file keeps its permissions; a new file has 0600. The directory must exist. WriteAtomic refuses anything other than a regular
// file. It also refuses a symbolic link, because replacing would destroy it and following it might lead out of the directory.
func WriteAtomic(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	return writeAtomicIn(dir, filepath.Base(path), data)
}

// writeAtomicIn is WriteAtomic for a file below root. No part of name can lead out of root.
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
	case !IsGone(err):
		return err
	}
	return put(nil, dir, name, data, mode, true, (*os.Root).Rename)
}

// put writes data to a new file in dir, which then gets its name by rename. With sync, file and name are on the disk. After an error there
// is no new file, unless only its name may not be on the disk.
func put(m *Machine, dir *os.Root, name string, data []byte, mode fs.FileMode, sync bool,
	rename func(dir *os.Root, temp, name string) error) error {
	temp := fmt.Sprintf(".vise-%016x.tmp", rand.Uint64())
	if err := m.Before(Op{Kind: create, Path: pathIn(dir, temp)}); err != nil {
		return err
	}
	file, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	f := m.File(file)
	_, err = f.Write(data)
	if err == nil && mode != fileMode {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = m.do(Op{Kind: Rename, Path: pathIn(dir, temp), To: pathIn(dir, name)}, func() error { return rename(dir, temp, name) })
	}
	if err != nil {
		remove(m, dir, temp)
	} else if sync {
		err = syncDir(m, dir)
	}
	return err
}

// remove removes a file or an empty directory, if it can.
func remove(m *Machine, dir *os.Root, name string) {
	_ = m.do(Op{Kind: Remove, Path: pathIn(dir, name)}, func() error { return dir.Remove(name) })
}

func pathIn(dir *os.Root, name string) string { return filepath.Join(dir.Name(), name) }

// syncDir writes the entries of dir to the disk. Without it a new name can be lost in a power cut, even if its file is not.
func syncDir(m *Machine, dir *os.Root) error {
	return m.do(Op{Kind: SyncDir, Path: filepath.Clean(dir.Name())}, func() error {
		d, err := dir.Open(".")
		if err != nil {
			return err
		}
		defer d.Close()
		return d.Sync()
	})
}

// IsGone reports whether an error says that there is no such file.
func IsGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// UnlessGone returns the error of a call for a file, and nil if there is no such file.
func UnlessGone(err error) error {
	if IsGone(err) {
		return nil
	}
	return err
}
