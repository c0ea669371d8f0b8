package files

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"vise/model"
)

// Stored lists the items that have a directory, by their agents. An error says that there may be more.
func (h Home) Stored() (map[model.AgentID][]model.ItemID, error) {
	out := map[model.AgentID][]model.ItemID{}
	agents, err := idsIn[model.AgentID](h.guarded(true, []string{agentsDir}))
	for _, a := range agents {
		ids, idsErr := idsIn[model.ItemID](h.guarded(true, aboveItems(a)))
		if out[a] = ids; idsErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", a, idsErr))
		}
	}
	return out, err
}

// idsIn lists the names in a directory that are valid ids, and closes it. A missing directory has none.
func idsIn[ID ~string](dir *os.Root, fault error) (ids []ID, err error) {
	if fault != nil {
		return nil, UnlessGone(fault)
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
