package hints

import (
	"context"
	"errors"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The eye's times. Quiet and cap are what programs need to write a file in several steps,
// the sweeps how long a change may go unseen that no event told of.
const (
	Quiet      = 100 * time.Millisecond
	quietCap   = time.Second
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second // instead of sweepEvery, without events
)

// ErrClosed is what Next returns once the eye has ended.
var ErrClosed = errors.New("the eye is closed")

// Sight is what an eye looks at. One goroutine calls it.
type Sight interface {
	// Dirs are the directories whose events matter as things are now. One that is not
	// there, or cannot be watched, is the sweep's business.
	Dirs() []string
	// Changed compares with what was there at the last call, or when the sight was made.
	Changed() bool
}

// Eye tells that what it looks at may have changed. Its methods may be called from any
// goroutine.
type Eye struct {
	// news is a level: any number of changes that Next has not told are one.
	news  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

// Print is what is looked at by a word for it, which differs between two states.
type Print interface {
	// Dirs is as of a Sight.
	Dirs() []string
	// Print is the word for the present state.
	Print() string
}

// printed is the Sight of a Print.
type printed struct {
	Print
	seen string
}

func (p *printed) Changed() bool {
	now := p.Print.Print()
	changed := now != p.seen
	p.seen = now
	return changed
}

// WatchPrint is Watch for what has a Print. What is there already is no news.
func WatchPrint(ctx context.Context, p Print) *Eye {
	return Watch(ctx, &printed{p, p.Print()})
}

// Watch looks until ctx ends or Close is called.
func Watch(ctx context.Context, s Sight) *Eye {
	ctx, stop := context.WithCancel(ctx)
	e := &Eye{news: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	go e.run(ctx, s)
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

func (e *Eye) run(ctx context.Context, s Sight) {
	defer close(e.ended)
	source, every := &listening{}, pollEvery
	if opened, err := Open(); err == nil {
		defer opened.Close()
		source, every = &listening{source: opened, events: opened.Events(), trouble: opened.Trouble()}, sweepEvery
	}
	sweep := time.NewTicker(every)
	defer sweep.Stop()
	var settle <-chan time.Time
	var since time.Time
	e.look(s, source)
	for {
		select {
		case <-ctx.Done():
			return
		case <-source.events:
			if settle == nil {
				since = time.Now()
			}
			settle = time.After(min(Quiet, max(0, quietCap-time.Since(since))))
		case <-source.trouble: // events were lost: nothing is known but that something happened
			settle = time.After(Quiet)
		case <-settle:
			settle = nil
			e.look(s, source)
		case <-sweep.C:
			e.look(s, source)
		}
	}
}

// look tells what changed. A directory that is watched from now on may have changed just
// before, so then it compares once more.
func (e *Eye) look(s Sight, l *listening) {
	l.follow(s.Dirs())
	changed := s.Changed()
	if l.follow(s.Dirs()) && s.Changed() || changed {
		select {
		case e.news <- struct{}{}:
		default:
		}
	}
}

// listening is the system's source with what it watches; without one it hears nothing.
type listening struct {
	source  *Source
	events  <-chan fsnotify.Event
	trouble <-chan error
	watched int
}

// follow watches directories, and reports whether one of them was not watched before. It
// lets none go: there are few, and Remove of a directory that has moved waits for ever in
// fsnotify 1.10.
func (l *listening) follow(dirs []string) bool {
	if l.source == nil {
		return false
	}
	for _, d := range dirs {
		_ = l.source.Add(d) // again after the directory was made anew; else it changes nothing
	}
	before := l.watched
	l.watched = len(l.source.fs.WatchList())
	return l.watched > before
}
