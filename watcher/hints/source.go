// Package hints watches directories whose events are only hints: each one makes an eye
// compare what it sees with what it saw, when it has been quiet for a moment. Independent of
// events a sweep compares every few seconds; where the system has no events to give, it is
// all there is.
package hints

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Source is the operating system's events of directories.
type Source struct {
	fs      *fsnotify.Watcher
	trouble chan error
	pump    sync.WaitGroup
}

// Open opens the operating system's source. Its errors are drained in a goroutine of their
// own, because fsnotify may hold its lock while it sends one, and a caller of Add or Remove
// that reads errors afterwards would wait for ever. One error stands for all that are not
// yet read.
func Open() (*Source, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &Source{fs: fs, trouble: make(chan error, 1)}
	s.pump.Go(func() {
		for err := range fs.Errors {
			select {
			case s.trouble <- err:
			default:
			}
		}
	})
	return s, nil
}

// Events is closed if no more can come.
func (s *Source) Events() <-chan fsnotify.Event { return s.fs.Events }

// Trouble has an error if events may have been lost.
func (s *Source) Trouble() <-chan error { return s.trouble }

// Add watches a directory; again does no harm.
func (s *Source) Add(dir string) error { return s.fs.Add(dir) }

// Remove is silent about a directory that is not watched.
func (s *Source) Remove(dir string) { _ = s.fs.Remove(dir) }

// Close ends the events.
func (s *Source) Close() {
	_ = s.fs.Close()
	s.pump.Wait()
}
