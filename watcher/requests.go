package watcher

import (
	"sync"

	"vise/model"
)

// requests are the requests that the engine has not handled yet.
type requests struct {
	mu    sync.Mutex // protects the fields down to known
	items map[Item]model.PlanArtifact
	isSet bool
	known map[Item]model.PlanArtifact

	fresh chan struct{} // holds a value if there may be a request
}

func newRequests() *requests {
	return &requests{known: map[Item]model.PlanArtifact{}, fresh: make(chan struct{}, 1)}
}

func (w *requests) set(items map[Item]model.PlanArtifact) {
	w.mu.Lock()
	w.items, w.isSet = items, true
	w.mu.Unlock()
	signal(w.fresh)
}

func (w *requests) know(item Item, plan model.PlanArtifact) {
	w.mu.Lock()
	w.known[item] = plan
	w.mu.Unlock()
	signal(w.fresh)
}

// take returns the newest set, if there is one, and the plans that became known since.
func (w *requests) take() (items map[Item]model.PlanArtifact, isSet bool, known map[Item]model.PlanArtifact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items, isSet, known = w.items, w.isSet, w.known
	w.items, w.isSet, w.known = nil, false, map[Item]model.PlanArtifact{}
	return items, isSet, known
}
