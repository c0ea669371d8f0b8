package watcher

import (
	"github.com/fsnotify/fsnotify"

	"vise/watcher/hints"
)

// source is where events of directories come from: hints.Source, or a test's.
type source interface {
	Events() <-chan fsnotify.Event
	Trouble() <-chan error
	Add(dir string) error
	Remove(dir string)
	Close()
}

type opener func() (source, error)

func openSource() (source, error) { return hints.Open() }
