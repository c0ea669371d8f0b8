package store

import (
	"bytes"
	"errors"
	"path/filepath"

	"vise/store/files"
)

// PlansBack is what a restore from a backup does with the plans in it. No plan file that is
// there is touched: who wrote it may have gone on since.
type PlansBack struct {
	// Saved are in the backup, Same are as they are in the home.
	Saved int `json:"saved"`
	Same  int `json:"same"`
	// Missing are not in the home, and are made again.
	Missing int `json:"missing"`
	// Differ are other ones in the home, of which Newer were changed after the backup's. They
	// stay; the backup's are put into Aside.
	Differ int    `json:"differ"`
	Newer  int    `json:"newer"`
	Aside  string `json:"aside,omitempty"`
	// Damaged is what is wrong with the backup's plans; the others are carried over.
	Damaged string `json:"damaged,omitempty"`
}

// planPlans finds out what is to be done with the plans of the backup.
func (r *restore) planPlans() {
	r.Backup = r.From
	if r.From == "" || r.RestoreOptions.Plans == nil {
		return
	}
	out := &PlansBack{}
	err := eachPlan(r.From, func(p savedPlan) error {
		out.Saved++
		switch have, changed := r.RestoreOptions.Plans.ReadPlan(p.agent, p.item); {
		case have == nil:
			out.Missing++
		case bytes.Equal(have, p.raw):
			out.Same++
		default:
			out.Differ++
			if changed.After(p.changed) {
				out.Newer++
			}
		}
		return nil
	})
	if err != nil {
		out.Damaged = err.Error()
	}
	if out.Saved == 0 && err == nil {
		return
	}
	if out.Differ > 0 {
		out.Aside = r.home.asidePath("plans", "")
	}
	r.Recovery.Plans = out
}

// bringPlans makes the plans of the backup again that the home lacks, and puts those aside
// that differ. Cut short, it can be done again.
func (r *Recovery) bringPlans(h Home, plans PlanReader) error {
	if r.Plans == nil || plans == nil {
		return nil
	}
	var errs []error
	err := eachPlan(r.Backup, func(p savedPlan) error {
		have, _ := plans.ReadPlan(p.agent, p.item)
		if have != nil && bytes.Equal(have, p.raw) {
			return nil
		}
		created, err := plans.CreatePlan(p.agent, p.item, string(p.raw))
		if err == nil && !created {
			err = r.putAside(h, p)
		}
		errs = append(errs, err)
		return nil
	})
	if r.Plans.Damaged != "" {
		err = nil // said before
	}
	return errors.Join(append(errs, err)...)
}

// putAside writes a backup's plan into a directory that only its owner sees.
func (r *Recovery) putAside(h Home, p savedPlan) error {
	if r.Plans.Aside == "" {
		r.Plans.Aside = h.asidePath("plans", "")
	}
	dir := filepath.Join(r.Plans.Aside, string(p.agent))
	for _, d := range []string{filepath.Dir(r.Plans.Aside), r.Plans.Aside, dir} {
		if err := h.machine.Mkdir(d, dirMode); err != nil {
			return err
		}
	}
	return h.machine.Replace(filepath.Join(dir, string(p.item)+".md"), func(f *files.File) error {
		_, err := f.Write(p.raw)
		return err
	})
}
