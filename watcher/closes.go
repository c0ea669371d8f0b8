package watcher

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
