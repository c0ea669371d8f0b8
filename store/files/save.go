package files

import (
	"errors"
	"fmt"

	"vise/model"
)

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
	return WriteAtomicIn(dir, planFile, data)
}

// SaveBeside writes data next to an item's plan, under a name that nothing has, and gives
// its path.
func (h Home) SaveBeside(agent model.AgentID, id model.ItemID, data []byte) (path string, err error) {
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
