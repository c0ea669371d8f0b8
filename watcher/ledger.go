package watcher

import (
	"encoding/binary"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"vise/model"
	"vise/store/files"
)

// ledger is the watcher's view of the ledger's file.
type ledger struct {
	path string
	mark mark
	// due is when to read the file, or zero. notified is when the last notice was sent.
	due, notified time.Time
}

// touch notes that the file may have changed. The file is read now, or a frame after the
// last notice.
func (l *ledger) touch(now time.Time) {
	if l.path != "" && l.due.IsZero() {
		l.due = slices.MaxFunc([]time.Time{now, l.notified.Add(frame)}, time.Time.Compare)
	}
}

// moved reads the file if that is due, and reports whether it has changed. The first
// events of a commit are for its data; the mark changes only with the meta page.
func (l *ledger) moved(now time.Time) bool {
	if l.due.IsZero() || now.Before(l.due) {
		return false
	}
	l.due = time.Time{}
	m := markOf(l.path)
	if m == l.mark {
		return false
	}
	l.mark, l.notified = m, now
	return true
}

// mark differs between two states of a ledger file. It contains the transaction numbers of
// the two meta pages, which change exactly with a commit, even if a coarse clock does not.
// For a file without meta pages it contains size and times.
type mark struct {
	condition     model.PlanCondition
	inode, device uint64
	meta          [2]meta
	other         files.Stat
}

// meta is the transaction number and checksum of a bbolt meta page, as raw bytes. They are
// only compared.
type meta [16]byte

// Offsets in a bbolt page: the page size is at 24, the transaction number and checksum
// from 64 to 80 (16 bytes of page header, then magic, version, page size, flags, root,
// freelist, high water mark).
const (
	pageSizeAt = 24
	metaAt     = 64
	maxPage    = 64 << 10
)

func markOf(path string) mark {
	stat := files.StatPath(path)
	m := mark{condition: stat.Condition, inode: stat.Inode, device: stat.Device}
	if stat.Mode.IsRegular() {
		m.meta = metasOf(path)
	}
	if m.meta == [2]meta{} {
		m.other = stat
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

func earlier(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }
