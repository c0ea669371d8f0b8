// Package watcher notifies of changed files. Watcher is for the ledger, whichever process changes it, and for the plans of chosen items.
// Changes is for the settings, the threads and HEAD of a repository, a work tree, and the file todos of a session. A caller waits in Next
// and calls it again after each answer.
//
// Events of the file system are hints. They can be lost, late, early or without a cause. So an event only makes the watcher compare: the
// ledger's transaction number, or a plan's file with what the caller knows of it. Independent of events, a sweep compares the size and
// times of everything every 5 s, or of more than 250 plans the next 250. It finds changes without events.
//
// One goroutine, the engine, does all of this. It has these states.
//
// The source of events. With it the mode is "watching". Without it a sweep of at most 2,000 plans comes every 2 s, and the mode says why:
//
//	        no watchers left, no events on this system,
//	        events fail again and again, or do not arrive
//	events ─────────────────────────────────────────────► polling
//	       ◄─────────────────────────────────────────────
//	        tried again every 30 s
//
// If only some watches are missing (short), there are events for the others, and the mode is polling too.
//
// A plan. dirty holds the plans to read, each with the time when its read is due:
//
//	clean ──event──► due after 100 ms without events ──read──► the same as known ─► clean
//	  ▲                 4 ms, if another file took the name     it differs ────────► news, clean
//	  │                 now, if its writer closed it            empty or missing ──► wait at most 500 ms, read again
//	  └── constant events: a read each second; frequent saves: one each 250 ms, and four a second sooner
//
// An editor empties or removes a file for a moment while it saves. So an empty or missing plan becomes news only after the last wait.
//
// The ledger. An event has the transaction number in its file read: at once, or a frame of the screen (16 ms) after the last notice, so
// that a thousand commits are one notice for each frame. There is a notice only if the number has changed.
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
// Next and Close wait.
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
