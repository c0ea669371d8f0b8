package watcher

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// source is a source of events of directories: the system's, or a test's.
type source interface {
	Events() <-chan fsnotify.Event
	Trouble() <-chan error
	// Whole returns the paths of complete files in the directories that were added with wholes. It is nil if the system does not report
	// them.
	Whole() <-chan string
	Add(dir string, wholes bool) error
	Remove(dir string)
	Close()
}

type opener func() (source, error)

// system is the operating system's source.
type system struct {
	fs      *fsnotify.Watcher
	trouble chan error
	pump    sync.WaitGroup
	closes  closes // nil if the system has none
}

// openSystem opens the operating system's source. A goroutine of its own reads the errors, because fsnotify may hold its lock while it
// sends one; a caller of Add or Remove that reads the errors afterwards would wait for ever. One error stands for all unread errors.
func openSystem() (*system, error) {
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

// openWithCloses opens the system's source, with notices of complete files.
func openWithCloses() (source, error) {
	s, err := openSystem()
	if err != nil {
		return nil, err
	}
	s.closes = openCloses()
	return s, nil
}

// Events is closed when no more events can come.
func (s *system) Events() <-chan fsnotify.Event { return s.fs.Events }

// Trouble has an error if events may have been lost.
func (s *system) Trouble() <-chan error { return s.trouble }

// Whole implements source.
func (s *system) Whole() <-chan string {
	if s.closes == nil {
		return nil
	}
	return s.closes.Whole()
}

// Add watches a directory. Adding it again has no effect.
func (s *system) Add(dir string, wholes bool) error {
	err := s.fs.Add(dir)
	if err == nil && wholes && s.closes != nil {
		s.closes.Add(dir)
	}
	return err
}

// Remove ends the watch of a directory, if there is one.
func (s *system) Remove(dir string) {
	_ = s.fs.Remove(dir)
	if s.closes != nil {
		s.closes.Remove(dir)
	}
}

// Close ends the events.
func (s *system) Close() {
	_ = s.fs.Close()
	s.pump.Wait()
	if s.closes != nil {
		s.closes.Close()
	}
}

// closes notifies when a file is complete: its writer has closed it, or it was renamed to its name. Where the system does not report that,
// a file is read after a quiet time.
type closes interface {
	// Whole returns paths. It may leave out paths that are not received in time, because the writes cause events too.
	Whole() <-chan string
	Add(dir string)
	Remove(dir string)
	Close()
}

// maxCloses is how many directories are watched in this way: those of the plans on screen, and more. The system's watches are shared with
// other programs.
const maxCloses = 256
