package watcher

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// source is where events of directories come from: the system, or a test.
type source interface {
	Events() <-chan fsnotify.Event
	Trouble() <-chan error
	// Whole has the path of a file that is whole, of the directories that were added with
	// wholes; it is nil where the system does not notify of that.
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
	closes  closes // nil where there is none
}

// openSystem opens the operating system's source. Its errors are drained in a goroutine of
// their own, because fsnotify may hold its lock while it sends one, and a caller of Add or Remove
// that reads errors afterwards would wait for ever. One error stands for all that are not
// yet read.
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

// openWithCloses opens the system's source, with notices of whole files.
func openWithCloses() (source, error) {
	s, err := openSystem()
	if err != nil {
		return nil, err
	}
	s.closes = openCloses()
	return s, nil
}

// Events is closed if no more can come.
func (s *system) Events() <-chan fsnotify.Event { return s.fs.Events }

// Trouble has an error if events may have been lost.
func (s *system) Trouble() <-chan error { return s.trouble }

// Whole is part of source.
func (s *system) Whole() <-chan string {
	if s.closes == nil {
		return nil
	}
	return s.closes.Whole()
}

// Add watches a directory; again does no harm.
func (s *system) Add(dir string, wholes bool) error {
	err := s.fs.Add(dir)
	if err == nil && wholes && s.closes != nil {
		s.closes.Add(dir)
	}
	return err
}

// Remove is silent about a directory that is not watched.
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

// closes notifies when a file of some directories is whole: a writer has closed it, or it was
// renamed to its name. Where the system does not, a file that is written is read when
// it has been quiet.
type closes interface {
	// Whole brings paths. What is not taken in time may be left out: there are events of writes too.
	Whole() <-chan string
	Add(dir string)
	Remove(dir string)
	Close()
}

// maxCloses bounds the directories that are watched so: those of the plans on screen, and more. A system's watches are not ours alone.
const maxCloses = 256
