// Package watcher notifies of changed files. Watcher is for the ledger, whichever process changes
// it, and for the plans of chosen items. Changes is for the settings, the threads and HEAD of a
// repository, a work tree, and the file todos of a session.
//
// Events of the file system are hints. They can be lost, late, early or without a cause, so each
// one only makes the watcher compare: the ledger's transaction number, or the files of a
// directory that has been quiet for a moment. Independent of events, a sweep compares the size
// and times of everything. It finds changes without events, and is the only means where the
// system has no events.
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

// The watcher's times. quiet, quietCap and grace come from measurements of editors: most write a
// file in several steps within 20 ms, some leave it empty or missing for up to 200 ms.
const (
	frame      = 16 * time.Millisecond  // at most one notice of the ledger in a frame of the screen
	quiet      = 100 * time.Millisecond // without an event, before a plan is read
	arrival    = 4 * time.Millisecond   // without a write, before a plan that was renamed to its name is read
	rewriteGap = 250 * time.Millisecond // between two reads of a plan that is saved again and again
	soonMost   = 4                      // reads in a second that may come sooner than rewriteGap
	quietCap   = time.Second            // a plan with constant events is read this often
	grace      = 500 * time.Millisecond // how long a plan may be empty or missing before that is news
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second  // instead of sweepEvery, if there are no events
	retryEvery = 30 * time.Second // between two attempts to get events again
)

// ErrClosed is the error of Next after the watcher has ended.
var ErrClosed = errors.New("watcher: closed")

// Config says what a Watcher watches from the start.
type Config struct {
	Home files.Home
	// Ledger is the absolute path of the ledger's file; empty if there is none.
	Ledger string
}

// Item names a work item whose plan is watched.
type Item struct {
	Agent model.AgentID
	ID    model.ItemID
}

// Watcher is the one watcher of a process. Its methods may be called from any goroutine. Only
// Next, CaughtUp and Close wait.
type Watcher struct {
	requests *requests
	news     *news
	stop     context.CancelFunc
	ended    chan struct{}
}

// Start watches until ctx ends or Close is called. After Start returns, every change of the
// ledger is notified. If the system has no events, the watcher polls, which is no error; Mode
// tells.
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

// Set sets the items whose plans are watched. Each value is what the caller knows of the plan
// (zero: nothing). A plan that differs from it is news. For an item that is already watched, the
// value is ignored: see Known.
func (w *Watcher) Set(items map[Item]model.PlanArtifact) { w.requests.set(maps.Clone(items)) }

// Known replaces the known state of a watched item's plan, and has the file read again; a
// difference is news. It ignores an item that is not watched.
func (w *Watcher) Known(item Item, plan model.PlanArtifact) { w.requests.know(item, plan) }

// Next waits until something has happened since the last call, and returns all of it at once.
// Only one caller at a time may use it, because each event is returned once. The error is ctx's,
// or ErrClosed.
func (w *Watcher) Next(ctx context.Context) (event, error) { return w.news.next(ctx) }

// CaughtUp returns when everything that happened before the call has been read and is in what
// Next returns. For that, the engine creates a file of its own and waits for its event. Without
// events it compares everything instead.
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
