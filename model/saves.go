package model

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Bounds of an item's kept saves, which lie beside its plan.md.
const (
	MaxPlanSaves     = 200
	MaxPlanSaveBytes = 8 << 20
)

// PlanSave is one content of an item's plan.md in the journal (docs/lifecycle.md 13).
type PlanSave struct {
	// N counts the item's saves from 1, the plan at its creation.
	N  int       `json:"n"`
	At time.Time `json:"at"`
	// Actor noted the save: the watcher, if a file was found changed.
	Actor  Actor  `json:"actor"`
	Person Text   `json:"person,omitempty"`
	Hash   string `json:"hash"`
	// Revision is the ledger's revision of the save.
	Revision uint64 `json:"revision"`
	// Kept: its text can still be read.
	Kept bool `json:"kept"`
}

// By says who noted it: an agent, the operator, or nobody if the file was found changed on the disk.
func (s PlanSave) By() Text {
	if s.Actor == Watcher {
		return "on disk"
	}
	if agent, ok := s.Actor.Agent(); ok {
		return Text(agent)
	}
	return cmp.Or(s.Person, Text(s.Actor))
}

// PlanSaves are the saves in an item's events, oldest first; the events are given newest first. A plan that could not be read
// is not a save, nor is one with the same bytes as the save before it.
func PlanSaves(w WorkItem, events []Entry) []PlanSave {
	var saves []PlanSave
	first := w.PlanArtifact.Hash
	for i, e := range events {
		save := PlanSave{At: e.At, Actor: e.Actor, Person: e.Person, Revision: e.Revision}
		switch {
		case e.Kind == EventPlanRefreshed:
			d := DataOf[refreshed](e)
			first = d.PreviousHash
			if d.Condition == PlanOK {
				save.Hash = d.Hash
			}
		case e.Kind == EventWorkItemWritten && i == len(events)-1 && isBirth(e):
			save.Hash = first
		}
		if save.Hash != "" {
			saves = append(saves, save)
		}
	}
	slices.Reverse(saves)
	saves = slices.CompactFunc(saves, func(a, b PlanSave) bool { return a.Hash == b.Hash })
	for i := range saves {
		saves[i].N = i + 1
	}
	return saves
}

// isBirth reports whether an event is the creation of its item.
func isBirth(e Entry) bool {
	action := DataOf[Written](e).Action
	return action == "created" || action == "imported"
}

// SaveAt is the last save of a plan up to a time.
func SaveAt(saves []PlanSave, at time.Time) (PlanSave, bool) {
	for _, s := range slices.Backward(saves) {
		if !s.At.After(at) {
			return s, true
		}
	}
	return PlanSave{}, false
}

// SavesFit reports whether texts of these sizes can all be kept for one plan.
func SavesFit(sizes map[string]int64) bool {
	var bytes int64
	for _, n := range sizes {
		bytes += n
	}
	return len(sizes) <= MaxPlanSaves && bytes <= MaxPlanSaveBytes
}

// SurplusSaves are the hashes of the texts to drop; sizes are the sizes of all kept texts, by hash. If they do not fit, texts
// that no save names are dropped first. Then every second one of the older half is dropped, beginning with the oldest, again
// and again until the rest fits: the older the time, the fewer of its saves are kept. The newest always stays.
func SurplusSaves(saves []PlanSave, sizes map[string]int64) (surplus []string) {
	if SavesFit(sizes) {
		return nil
	}
	left := maps.Clone(sizes)
	drop := func(hash string) {
		surplus = append(surplus, hash)
		delete(left, hash)
	}
	order := keptOrder(saves, sizes)
	for _, hash := range slices.Sorted(maps.Keys(sizes)) {
		if !slices.Contains(order, hash) {
			drop(hash)
		}
	}
	for len(order) > 1 && !SavesFit(left) {
		var rest []string
		for i, hash := range order {
			if i < len(order)/2 && i%2 == 0 {
				drop(hash)
			} else {
				rest = append(rest, hash)
			}
		}
		order = rest
	}
	return surplus
}

// keptOrder are the kept hashes, in the order of the last save with each.
func keptOrder(saves []PlanSave, sizes map[string]int64) (order []string) {
	for _, s := range slices.Backward(saves) {
		if _, kept := sizes[s.Hash]; kept && !slices.Contains(order, s.Hash) {
			order = append(order, s.Hash)
		}
	}
	slices.Reverse(order)
	return order
}
