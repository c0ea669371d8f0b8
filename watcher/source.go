package watcher

import (
	"github.com/fsnotify/fsnotify"

	"vise/watcher/hints"
)

// source is where events of directories come from: the system, or a test.
type source interface {
	Events() <-chan fsnotify.Event
	Trouble() <-chan error
	Add(dir string) error
	Remove(dir string)
	Close()
}

type opener func() (source, error)

// system is the operating system's source.
type system struct {
	*hints.Source
	closes closes // nil where it does not tell
}

func openSource() (source, error) {
	s, err := hints.Open()
	if err != nil {
		return nil, err
	}
	return system{s, openCloses()}, nil
}

func (s system) Close() {
	s.Source.Close()
	if s.closes != nil {
		s.closes.Close()
	}
}

// closesOf is what tells of whole files beside a source; nil if nothing does.
func closesOf(s source) closes {
	if s, ok := s.(system); ok {
		return s.closes
	}
	return nil
}
