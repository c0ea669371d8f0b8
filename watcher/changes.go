package watcher

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Changes notifies that some files may have changed: of the settings, of a repository's threads,
// or of a session's todos. Its methods may be called from any goroutine.
type Changes struct {
	// news is a level: any number of changes that Next has not returned are one.
	news  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

// compared is what Changes compares. One goroutine calls it.
type compared struct {
	// dirs are the directories whose events matter as things are now. One that is not
	// there, or cannot be watched, is found by the sweep.
	dirs func() []string
	// changed compares with what was there at the last call, or at the start.
	changed func() bool
}

// watchPrint watches what has a fingerprint, which differs between two states. What is there
// already is no news.
func watchPrint(ctx context.Context, dirs func() []string, print func() string) *Changes {
	seen := print()
	return watch(ctx, compared{dirs, func() bool {
		before := seen
		seen = print()
		return seen != before
	}})
}

// watch compares until ctx ends or Close is called.
func watch(ctx context.Context, c compared) *Changes {
	ctx, stop := context.WithCancel(ctx)
	w := &Changes{news: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	go w.run(ctx, c)
	return w
}

// Next waits until something may have changed. It returns ctx's error, or ErrClosed.
func (w *Changes) Next(ctx context.Context) error {
	select {
	case <-w.news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		return ErrClosed
	}
}

// Close ends the watch and waits until it has.
func (w *Changes) Close() {
	w.stop()
	<-w.ended
}

func (w *Changes) run(ctx context.Context, c compared) {
	defer close(w.ended)
	var events <-chan fsnotify.Event
	var trouble <-chan error
	every := pollEvery
	source, err := openSystem()
	if err == nil {
		defer source.Close()
		events, trouble, every = source.Events(), source.Trouble(), sweepEvery
	}
	sweep := time.NewTicker(every)
	defer sweep.Stop()
	var settled <-chan time.Time
	var since time.Time
	w.compare(c, source)
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			if settled == nil {
				since = time.Now()
			}
			settled = time.After(min(quiet, max(0, quietCap-time.Since(since))))
		case <-trouble: // events were lost: nothing is known but that something happened
			settled = time.After(quiet)
		case <-settled:
			settled = nil
			w.compare(c, source)
		case <-sweep.C:
			w.compare(c, source)
		}
	}
}

// compare notifies of what changed. A directory that is watched from now on may have changed
// just before, so then it compares once more.
func (w *Changes) compare(c compared, s *system) {
	s.follow(c.dirs())
	changed := c.changed()
	if s.follow(c.dirs()) && c.changed() || changed {
		signal(w.news)
	}
}

// follow watches directories, and reports whether one of them was not watched before; without a
// source there is none. It lets none go: there are few, and Remove of a directory that has moved
// waits for ever in fsnotify 1.10.
func (s *system) follow(dirs []string) bool {
	if s == nil {
		return false
	}
	before := len(s.fs.WatchList())
	for _, d := range dirs {
		_ = s.Add(d, false) // again after the directory was made anew; else it changes nothing
	}
	return len(s.fs.WatchList()) > before
}
