package watcher

import (
	"slices"
	"time"

	"vise/store/kv"
)

// ledger is the watcher's view of the ledger's file.
type ledger struct {
	path string
	mark uint64 // changes with each commit
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

// markOf is the mark of the ledger's file, zero if it has none.
func markOf(path string) uint64 {
	mark, _ := kv.MarkAt(path)
	return mark
}

func earlier(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }
