package watcher

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// inotify is an instance beside fsnotify's, which does not report that a file was closed.
type inotify struct {
	file  *os.File
	whole chan string

	mu   sync.Mutex // protects dirs
	dirs map[int32]string
}

// openCloses returns nil if the system has no instance left. Without it the watcher notices
// a finished save later.
func openCloses() closes {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	n := &inotify{file: os.NewFile(uintptr(fd), "inotify"), whole: make(chan string, 64), dirs: map[int32]string{}}
	go n.run()
	return n
}

func (n *inotify) Whole() <-chan string { return n.whole }

func (n *inotify) Close() { n.file.Close() }

func (n *inotify) Add(dir string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.dirs) >= maxCloses {
		return
	}
	n.control(func(fd int) {
		id, err := unix.InotifyAddWatch(fd, dir, unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
		if err == nil {
			n.dirs[int32(id)] = dir
		}
	})
}

func (n *inotify) Remove(dir string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, at := range n.dirs {
		if at == dir {
			delete(n.dirs, id)
			n.control(func(fd int) { _, _ = unix.InotifyRmWatch(fd, uint32(id)) }) // the directory may be gone
		}
	}
}

// control calls do with the descriptor, unless it is closed.
func (n *inotify) control(do func(fd int)) {
	if c, err := n.file.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// run reads until the instance is closed.
func (n *inotify) run() {
	buf := make([]byte, 16<<10)
	for {
		got, err := n.file.Read(buf)
		if err != nil {
			return
		}
		n.notify(buf[:got])
	}
}

// notify parses events from the kernel: 16 bytes each, then a name padded with zeros.
func (n *inotify) notify(b []byte) {
	for len(b) >= unix.SizeofInotifyEvent {
		id := int32(binary.NativeEndian.Uint32(b))
		mask := binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		if end > len(b) {
			return
		}
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00"))
		b = b[end:]
		n.mu.Lock()
		dir, ok := n.dirs[id]
		if mask&unix.IN_IGNORED != 0 {
			delete(n.dirs, id)
		}
		n.mu.Unlock()
		if !ok || name != planFile {
			continue
		}
		select {
		case n.whole <- filepath.Join(dir, name):
		default: // the engine is busy; it also gets the events of the writes
		}
	}
}
