// Package todos tells a door when the file todos of a session have changed, whoever
// changed them: another console, the command line, an agent's program, an editor.
//
// Events of the file system are hints: each one only makes the eye look again, when the
// session has been quiet for a moment. Independent of events a sweep looks every few
// seconds; where the system has no events to give, it is all there is.
package todos

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"vise/store/files/todos"
)

// The eye's times. Quiet and cap are what editors need to write a file in several steps;
// a sweep of 10,000 unchanged files costs less than a tenth of a second.
const (
	quiet      = 100 * time.Millisecond
	quietCap   = time.Second
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second // instead of sweepEvery, without events
)

// ErrClosed is what Next returns once the eye has ended.
var ErrClosed = errors.New("the eye on the todos is closed")

// News is the session as it is now, or why it cannot be read: then the next news may be
// that it can.
type News struct {
	Snapshot todos.Snapshot
	Err      error
}

// Eye watches one session. Its methods may be called from any goroutine.
type Eye struct {
	session *todos.Session
	// news holds the latest that Next has not told; it is a level, so an older one is dropped.
	news  chan News
	stop  context.CancelFunc
	ended chan struct{}
}

// Watch watches a session until ctx ends or Close is called. Seen is what its owner has
// read already: only what differs from it is news. The session must outlive the eye.
func Watch(ctx context.Context, s *todos.Session, seen todos.Snapshot) *Eye {
	ctx, stop := context.WithCancel(ctx)
	e := &Eye{session: s, news: make(chan News, 1), stop: stop, ended: make(chan struct{})}
	go e.run(ctx, seen)
	return e
}

// Next waits for news. It returns ctx's error, or ErrClosed.
func (e *Eye) Next(ctx context.Context) (News, error) {
	select {
	case n := <-e.news:
		return n, nil
	case <-ctx.Done():
		return News{}, ctx.Err()
	case <-e.ended:
		return News{}, ErrClosed
	}
}

// Close ends the eye and waits until it has.
func (e *Eye) Close() {
	e.stop()
	<-e.ended
}

func (e *Eye) run(ctx context.Context, seen todos.Snapshot) {
	defer close(e.ended)
	events, errs, close := e.listen()
	defer close()
	look := look{eye: e, seen: seen, hints: events}
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	if events.w == nil {
		sweep.Reset(pollEvery)
	}
	look.again()
	var settle <-chan time.Time
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case ev := <-events.c:
			if strings.HasPrefix(filepath.Base(ev.Name), ".") {
				continue
			}
			if settle == nil {
				since = time.Now()
			}
			settle = time.After(min(quiet, max(0, quietCap-time.Since(since))))
		case <-errs:
			// An overflow: events were lost, so nothing is known but that something changed.
			settle = time.After(quiet)
		case <-settle:
			settle = nil
			look.again()
		case <-sweep.C:
			look.again()
		}
	}
}

// look is what the eye saw last.
type look struct {
	eye   *Eye
	hints hints
	seen  todos.Snapshot
	err   error
}

// again reads what changed and tells it. A directory that is watched from now on may have
// changed just before, so then it reads once more.
func (l *look) again() {
	l.hints.follow(l.eye.session.Path(), l.seen.Sources)
	l.once()
	if l.hints.follow(l.eye.session.Path(), l.seen.Sources) {
		l.once()
	}
}

func (l *look) once() {
	now, err := l.eye.session.Reload(l.seen)
	if err != nil {
		if l.err == nil {
			l.eye.tell(News{Snapshot: l.seen, Err: err})
		}
		l.err = err
		return
	}
	if l.err == nil && now.Same(l.seen) {
		return
	}
	l.err, l.seen = nil, now
	l.eye.tell(News{Snapshot: now})
}

// tell puts news in the place of older news. Only run calls it.
func (e *Eye) tell(n News) {
	select {
	case <-e.news:
	default:
	}
	e.news <- n
}

// hints are the file system's events, or nothing where there are none.
type hints struct {
	w *fsnotify.Watcher
	c <-chan fsnotify.Event
}

func (e *Eye) listen() (hints, <-chan error, func()) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return hints{}, nil, func() {}
	}
	return hints{w, w.Events}, w.Errors, func() { _ = w.Close() }
}

// follow watches the session's directory, those of its sources, and the one above, which
// alone tells of the session's removal while the session is open. It reports whether one of
// them was not watched before. A directory that cannot be watched, and one that is no
// more, is the sweep's business.
func (h hints) follow(base string, sources []string) bool {
	if h.w == nil {
		return false
	}
	before := len(h.w.WatchList())
	_ = h.w.Add(filepath.Dir(base))
	_ = h.w.Add(base)
	for _, s := range sources {
		_ = h.w.Add(filepath.Join(base, s))
	}
	return len(h.w.WatchList()) > before
}
