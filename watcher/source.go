package watcher

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// source is where events of directories come from.
type source interface {
	// Events is closed if no more can come.
	Events() <-chan fsnotify.Event
	// Trouble has an error if events may have been lost.
	Trouble() <-chan error
	Add(dir string) error
	// Remove is silent about a directory that is not watched.
	Remove(dir string)
	Close()
}

type opener func() (source, error)

// system is the operating system's source.
type system struct {
	fs      *fsnotify.Watcher
	trouble chan error
	pump    sync.WaitGroup
}

// openSource opens the operating system's source. Its errors are drained in a goroutine
// of their own, because fsnotify may hold its lock while it sends one, and a caller of
// Add or Remove that reads errors afterwards would wait for ever. One error stands for
// all that are not yet read.
func openSource() (source, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &system{fs: fs, trouble: make(chan error, 1)}
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

func (s *system) Events() <-chan fsnotify.Event { return s.fs.Events }
func (s *system) Trouble() <-chan error         { return s.trouble }
func (s *system) Add(dir string) error          { return s.fs.Add(dir) }
func (s *system) Remove(dir string)             { _ = s.fs.Remove(dir) }

func (s *system) Close() {
	_ = s.fs.Close()
	s.pump.Wait()
}
