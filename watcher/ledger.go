package watcher

import (
	"encoding/binary"
	"io"
	"os"
	"syscall"
	"time"

	"vise/store/files"
)

// ledger is the ledger's file as the watcher sees it.
type ledger struct {
	path string
	mark mark
	// due is when its next move is told, zero if none is to be; told is when the last was.
	due, told time.Time
}

// touch notes that the file was written to. The first of a burst is told at once, the
// rest once a frame: an event comes for the data before it comes for the commit, so the
// last of them must not be swallowed.
func (l *ledger) touch(now time.Time) {
	if l.due.IsZero() {
		l.due = later(now, l.told.Add(frame))
	}
}

// tell reports whether a move is to be told now.
func (l *ledger) tell(now time.Time) bool {
	if l.due.IsZero() || now.Before(l.due) {
		return false
	}
	l.due, l.told = time.Time{}, now
	l.mark = markOf(l.path)
	return true
}

// sweep notes a move that no event told of.
func (l *ledger) sweep(now time.Time) {
	if l.path != "" && markOf(l.path) != l.mark {
		l.touch(now)
	}
}

// mark differs between two states of a ledger file. The transaction numbers in its two
// meta pages tell commits apart that leave the size alone and fall into one tick of a
// coarse clock.
type mark struct {
	stat files.Stat
	meta [2]meta
}

// meta is the transaction number and checksum of a bbolt meta page, as raw bytes: they
// are compared, never understood.
type meta [16]byte

// Where bbolt keeps things in a page: page size at 24, transaction number and checksum
// from 64 to 80 (16 bytes of page header, then magic, version, page size, flags, root,
// freelist, high water mark).
const (
	pageSizeAt = 24
	metaAt     = 64
	maxPage    = 64 << 10
)

func markOf(path string) mark {
	m := mark{stat: files.StatPath(path)}
	if m.stat.Mode.IsRegular() {
		m.meta = metasOf(path)
	}
	return m
}

func metasOf(path string) (m [2]meta) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return m
	}
	defer f.Close()
	var size [4]byte
	if _, err := f.ReadAt(size[:], pageSizeAt); err != nil && err != io.EOF {
		return m
	}
	page := binary.NativeEndian.Uint32(size[:])
	_, _ = f.ReadAt(m[0][:], metaAt)
	if page <= maxPage {
		_, _ = f.ReadAt(m[1][:], int64(page)+metaAt)
	}
	return m
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
