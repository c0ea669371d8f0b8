// Package threads tells a door when the Work State of a repository, or the head of the
// repository itself, may have changed, whoever changed it: another console, AICTX, an
// editor, git.
//
// Events of the file system are hints: each one only makes the eye compare again, when it
// has been quiet for a moment. Independent of events a sweep compares every few seconds;
// where the system has no events to give, it is all there is. Changes of the work tree's
// own files are not watched: there are too many of them.
package threads

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"vise/store/files/threads"
)

// The eye's times: what programs need to write a file in several steps, and how long a
// change may go unseen that no event told of.
const (
	quiet      = 100 * time.Millisecond
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second // instead of sweepEvery, without events
)

// ErrClosed is what Next returns once the eye has ended.
var ErrClosed = errors.New("the eye on the threads is closed")

// Eye watches one repository. Its methods may be called from any goroutine.
type Eye struct {
	at place
	// news is a level: any number of changes that Next has not told are one.
	news  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

// Watch watches a repository until ctx ends or Close is called. What is there already is
// no news.
func Watch(ctx context.Context, repo threads.Repo) *Eye {
	ctx, stop := context.WithCancel(ctx)
	e := &Eye{at: placeOf(repo), news: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	seen := e.at.print()
	go e.run(ctx, seen)
	return e
}

// Next waits until something may have changed. It returns ctx's error, or ErrClosed.
func (e *Eye) Next(ctx context.Context) error {
	select {
	case <-e.news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ended:
		return ErrClosed
	}
}

// Close ends the eye and waits until it has.
func (e *Eye) Close() {
	e.stop()
	<-e.ended
}

func (e *Eye) run(ctx context.Context, seen string) {
	defer close(e.ended)
	hints, trouble, done := listen()
	defer done()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	if hints.w == nil {
		sweep.Reset(pollEvery)
	}
	var settle <-chan time.Time
	for {
		hints.follow(e.at.dirs())
		if now := e.at.print(); settle == nil && now != seen {
			seen = now
			e.tell()
		}
		select {
		case <-ctx.Done():
			return
		case <-hints.c:
			if settle == nil {
				settle = time.After(quiet)
			}
		case <-trouble: // events may have been lost
			settle = time.After(quiet)
		case <-settle:
			settle = nil
		case <-sweep.C:
		}
	}
}

func (e *Eye) tell() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// hints are the file system's events, or nothing where there are none.
type hints struct {
	w *fsnotify.Watcher
	c <-chan fsnotify.Event
}

func listen() (hints, <-chan error, func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return hints{}, nil, func() {}
	}
	return hints{w, w.Events}, w.Errors, func() { _ = w.Close() }
}

// follow watches the directories; one that is not there, or cannot be watched, is the
// sweep's business.
func (h hints) follow(dirs []string) {
	if h.w == nil {
		return
	}
	for _, d := range dirs {
		_ = h.w.Add(filepath.Clean(d))
	}
}
