package files

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// Kept is a file that belongs to an item: its plan, which has no Name, a long report by its name, or a save of the plan by its hash. A save
// is compressed, and its time is zero.
type Kept struct {
	Name    string
	Raw     []byte
	Changed time.Time
}

// Stored lists the items that have a directory, by their agents.
func (h Home) Stored() (map[model.AgentID][]model.ItemID, error) {
	out := map[model.AgentID][]model.ItemID{}
	agents, err := idsIn[model.AgentID](h.guarded(true, []string{agentsDir}))
	for _, a := range agents {
		if err == nil {
			out[a], err = idsIn[model.ItemID](h.guarded(true, aboveItems(a)))
		}
	}
	return out, err
}

// idsIn lists the names in a directory that are valid ids, and closes it. A directory that could not be opened has none, like one that is
// missing.
func idsIn[ID ~string](dir *os.Root, fault error) (ids []ID, err error) {
	if fault != nil {
		return nil, nil
	}
	defer dir.Close()
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if model.ValidID(name) {
			ids = append(ids, ID(name))
		}
	}
	slices.Sort(ids)
	return ids, err
}

// EachKept visits the files that belong to some items of an agent, item by item, until visit fails.
func (h Home) EachKept(agent model.AgentID, items []model.ItemID, visit func(model.ItemID, Kept) error) error {
	list := h.Items(agent)
	defer list.Close()
	for _, id := range items {
		for _, k := range list.kept(id) {
			if err := visit(id, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// kept reads the files that belong to an item.
func (s *Items) kept(id model.ItemID) (out []Kept) {
	dir, err := s.open(id)
	if err != nil {
		return nil
	}
	defer dir.Close()
	add := func(name, file string) {
		if raw, info := readAgain(dir, file); raw != nil {
			out = append(out, Kept{name, raw, info.ModTime().UTC()})
		}
	}
	add("", planFile)
	found, _ := fs.ReadDir(dir.FS(), ".") // an unreadable directory has no reports
	for _, e := range found {
		switch name := e.Name(); {
		case model.IsReportFile(name):
			add(name, name)
		case name == savesDir:
			out = append(out, keptSaves(dir)...)
		}
	}
	return out
}

func keptSaves(item *os.Root) (out []Kept) {
	dir, err := enter(item, savesDir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	eachIn(dir, func(info fs.FileInfo) {
		hash := hashStart + strings.TrimSuffix(info.Name(), saveEnd)
		if saveName(hash) != info.Name() {
			return
		}
		if packed, _ := readAgain(dir, info.Name()); unpacked(packed, hash) != nil {
			out = append(out, Kept{Name: hash, Raw: packed})
		}
	})
	return out
}

// readAgain is readSettled, once more for a file that is being written. raw is nil if the file may not be read.
func readAgain(dir *os.Root, name string) (raw []byte, info fs.FileInfo) {
	raw, info, err := readSettled(dir, name)
	if raw == nil && err == nil {
		raw, info, err = readSettled(dir, name)
	}
	if err != nil {
		return nil, nil
	}
	return raw, info
}
