// Package watcher notifies of files that have changed: the ledger, by whichever process, and the
// plans of the items that its user is interested in (Watcher); the settings, the threads and HEAD
// of a repository, and the file todos of a session (Changes).
//
// Events of the file system are hints. They can be lost, late, early or about nothing,
// so each one only makes the watcher compare: the ledger's transaction number, or the files
// of a directory that has been quiet for a moment. Independent of events, a sweep compares size
// and times of everything; it finds what has no events and is all there is where the
// system has no events to give.
//
// A caller waits in Next and calls it again after each answer.
package watcher

import (
	"context"
	"errors"
	"maps"
	"time"

	"vise/model"
	"vise/store/files"
)

// The watcher's times. Quiet, cap and grace are measured on what editors do: most write a
// file in several steps within 20 ms, some leave it empty or away for up to 200 ms.
const (
	frame      = 16 * time.Millisecond  // at most one word of the ledger in a frame of the screen
	quiet      = 100 * time.Millisecond // without an event, before a plan is read
	arrival    = 4 * time.Millisecond   // without a write, before a plan that was renamed into place is read
	rewriteGap = 250 * time.Millisecond // between two readings of a plan that is written as a whole again and again
	soonMost   = 4                      // so many readings of it in a second may come sooner
	quietCap   = time.Second            // however busy it is, a plan is read this often
	grace      = 500 * time.Millisecond // how long a plan may be empty or gone before that is news
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second  // instead of sweepEvery, without events
	retryEvery = 30 * time.Second // between two attempts to get events again
)

// ErrClosed is what Next returns once the watcher has ended.
var ErrClosed = errors.New("watcher: closed")

// Config says what a Watcher watches from the start.
type Config struct {
	Home files.Home
	// Ledger is the absolute path of the ledger's file; empty if it has none.
	Ledger string
}

// Item names a WorkItem whose plan is watched.
type Item struct {
	Agent model.AgentID
	ID    model.ItemID
}

// Watcher is the one watcher of a process. Its methods may be called from any goroutine,
// and none but Next and Close waits.
type Watcher struct {
	requests *requests
	news     *news
	stop     context.CancelFunc
	ended    chan struct{}
}

// Start watches until ctx ends or Close is called. Whatever happens to the ledger after
// it returned is notified. Without events from the system it polls, and Mode says so; that is
// no error.
func Start(ctx context.Context, c Config) (*Watcher, error) {
	if c.Home.Dir() == "" {
		return nil, errors.New("watcher: no home")
	}
	return start(ctx, c, homeDisk{c.Home}, openWithCloses), nil
}

func start(ctx context.Context, c Config, d disk, open opener) *Watcher {
	ctx, stop := context.WithCancel(ctx)
	w := &Watcher{requests: newRequests(), news: newNews(), stop: stop, ended: make(chan struct{})}
	e := newEngine(c, d, open, w.requests, w.news)
	go func() {
		defer close(w.ended)
		defer w.news.close()
		e.run(ctx)
	}()
	return w
}

// Set makes items the ones whose plans are watched; their values are what the caller
// knows of each plan (zero: nothing). A plan that turns out to differ is news. For an
// item that is watched already the value is not used: see Known.
func (w *Watcher) Set(items map[Item]model.PlanArtifact) { w.requests.set(maps.Clone(items)) }

// Known replaces what the watcher takes for known of a watched item's plan, and has the
// file read again: news follows if it differs. Of an item that is not watched it says nothing.
func (w *Watcher) Known(item Item, plan model.PlanArtifact) { w.requests.know(item, plan) }

// Next waits until something has happened since the last call, and returns all of it at
// once. It is for one caller at a time: what one gets, another does not. The error is
// ctx's, or ErrClosed.
func (w *Watcher) Next(ctx context.Context) (event, error) { return w.news.next(ctx) }

// CaughtUp returns when all that had happened before the call has been read, and is in what Next
// returns: a file of the watcher's own, made after it, has come by the events. Without events
// everything is compared instead.
func (w *Watcher) CaughtUp(ctx context.Context) error {
	select {
	case <-w.requests.ask():
		return nil
	case <-w.ended:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Mode says how the watcher learns of changes now.
func (w *Watcher) Mode() Mode {
	w.news.mu.Lock()
	defer w.news.mu.Unlock()
	return w.news.mode
}

// Close ends the watcher and returns when all its goroutines have ended.
func (w *Watcher) Close() {
	w.stop()
	<-w.ended
}
