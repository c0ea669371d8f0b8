package watcher

import (
	"sync"

	"vise/model"
)

// wishes is what the door asked for and the eye has not taken up yet.
type wishes struct {
	mu    sync.Mutex // protects what follows
	items map[Item]model.PlanArtifact
	isSet bool
	known map[Item]model.PlanArtifact

	fresh chan struct{} // holds one if there may be a wish
}

func newWishes() *wishes {
	return &wishes{known: map[Item]model.PlanArtifact{}, fresh: make(chan struct{}, 1)}
}

func (w *wishes) set(items map[Item]model.PlanArtifact) {
	w.mu.Lock()
	w.items, w.isSet = items, true
	w.mu.Unlock()
	poke(w.fresh)
}

func (w *wishes) know(item Item, plan model.PlanArtifact) {
	w.mu.Lock()
	w.known[item] = plan
	w.mu.Unlock()
	poke(w.fresh)
}

// take returns the newest set, if one was wished for, and what became known since.
func (w *wishes) take() (items map[Item]model.PlanArtifact, isSet bool, known map[Item]model.PlanArtifact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items, isSet, known = w.items, w.isSet, w.known
	w.items, w.isSet, w.known = nil, false, map[Item]model.PlanArtifact{}
	return items, isSet, known
}
