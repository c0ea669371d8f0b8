package lock

// GivenUp is closed when the wait that f gave up last has had its turn.
func GivenUp(f *File) <-chan struct{} { return f.waiter.acquired }
