package watcher

import (
	"sync"

	"vise/model"
)

// requests is what was asked of the engine and it has not taken up yet.
type requests struct {
	mu    sync.Mutex // protects what follows
	items map[Item]model.PlanArtifact
	isSet bool
	known map[Item]model.PlanArtifact
	asked []chan struct{} // closed once the engine has caught up

	fresh chan struct{} // holds one if there may be a request
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

func (w *requests) ask() <-chan struct{} {
	answer := make(chan struct{})
	w.mu.Lock()
	w.asked = append(w.asked, answer)
	w.mu.Unlock()
	signal(w.fresh)
	return answer
}

// take returns the newest set, if one was asked for, what became known since, and who waits.
func (w *requests) take() (items map[Item]model.PlanArtifact, isSet bool, known map[Item]model.PlanArtifact, asked []chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items, isSet, known, asked = w.items, w.isSet, w.known, w.asked
	w.items, w.isSet, w.known, w.asked = nil, false, map[Item]model.PlanArtifact{}, nil
	return items, isSet, known, asked
}
