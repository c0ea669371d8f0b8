package watcher

import (
	"sync"

	"vise/model"
)

// requests are the requests that the engine has not handled yet.
type requests struct {
	mu    sync.Mutex // protects the fields down to asked
	items map[Item]model.PlanArtifact
	isSet bool
	known map[Item]model.PlanArtifact
	asked []chan struct{} // closed once the engine has caught up

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

func (w *requests) ask() <-chan struct{} {
	answer := make(chan struct{})
	w.mu.Lock()
	w.asked = append(w.asked, answer)
	w.mu.Unlock()
	signal(w.fresh)
	return answer
}

// take returns the newest set, if there is one, the plans that became known since, and the
// waiting callers of CaughtUp.
func (w *requests) take() (items map[Item]model.PlanArtifact, isSet bool, known map[Item]model.PlanArtifact, asked []chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items, isSet, known, asked = w.items, w.isSet, w.known, w.asked
	w.items, w.isSet, w.known, w.asked = nil, false, map[Item]model.PlanArtifact{}, nil
	return items, isSet, known, asked
}
