package lock

// GivenUp is closed when the last wait that f gave up has had its turn.
func GivenUp(f *File) <-chan struct{} { return f.waiter.ended }
