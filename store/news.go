package store

import "sync"

// news tells whoever waits that something was committed. It is a level, not an edge:
// who takes the channel, then looks, then waits, misses nothing.
type news struct {
	mu      sync.Mutex // protects channel
	channel chan struct{}
}

func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel == nil {
		n.channel = make(chan struct{})
	}
	return n.channel
}

func (n *news) broadcast() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel != nil {
		close(n.channel)
		n.channel = nil
	}
}
