package watcher

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Changes notifies that some files may have changed: the settings, a repository's threads, a
// work tree, or a session's file todos. Its methods may be called from any goroutine.
type Changes struct {
	// news holds at most one value, for all changes since the last Next.
	news  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}

	// Only the goroutine of run calls the functions. dirs returns the directories whose events currently matter. The sweep covers those
	// that do not exist or cannot be watched.
	dirs func() []string
	// changed compares the files with their state at the last call, or at the start.
	changed func() bool
}

// watchPrint watches files by a fingerprint, which differs between two states. The state at the
// start is no news.
func watchPrint(ctx context.Context, dirs func() []string, print func() string) *Changes {
	seen := print()
	return watch(ctx, dirs, func() bool {
		before := seen
		seen = print()
		return seen != before
	})
}

// watch compares until ctx ends or Close is called.
func watch(ctx context.Context, dirs func() []string, changed func() bool) *Changes {
	ctx, stop := context.WithCancel(ctx)
	w := &Changes{news: make(chan struct{}, 1), stop: stop, ended: make(chan struct{}), dirs: dirs, changed: changed}
	go w.run(ctx)
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

// Close ends the watch and waits for its goroutine.
func (w *Changes) Close() {
	w.stop()
	<-w.ended
}

func (w *Changes) run(ctx context.Context) {
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
	w.compare(source)
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			if settled == nil {
				since = time.Now()
			}
			settled = time.After(min(quiet, max(0, quietCap-time.Since(since))))
		case <-trouble: // events were lost, so anything may have changed
			settled = time.After(quiet)
		case <-settled:
			settled = nil
			w.compare(source)
		case <-sweep.C:
			w.compare(source)
		}
	}
}

// compare compares and notifies of a change. A directory that is newly watched may have changed
// just before, so then it compares once more.
func (w *Changes) compare(s *system) {
	s.follow(w.dirs())
	changed := w.changed()
	if s.follow(w.dirs()) && w.changed() || changed {
		signal(w.news)
	}
}

// follow watches directories, and reports whether one of them is newly watched. Without a source
// it reports false. It ends no watch: there are few, and in fsnotify 1.10 Remove waits for ever
// if the directory has moved.
func (s *system) follow(dirs []string) bool {
	if s == nil {
		return false
	}
	before := len(s.fs.WatchList())
	for _, d := range dirs {
		_ = s.Add(d, false) // needed if the directory was created again; otherwise it changes nothing
	}
	return len(s.fs.WatchList()) > before
}
