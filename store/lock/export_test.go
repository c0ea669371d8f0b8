package lock

import "os"

// GivenUp is closed when the last wait that f gave up has had its turn.
func GivenUp(f *File) <-chan struct{} { return f.waiter.ended }

// Ending makes f have a wait that was given up and is about to unlock file, until end is called.
func Ending(f *File, file *os.File) (end func()) {
	w := &waiter{ended: make(chan struct{})}
	w.state.Store(over)
	f.file, f.waiter = file, w
	return func() { close(w.ended) }
}
