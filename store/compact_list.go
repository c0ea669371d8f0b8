package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"vise/store/files"
)

// A compaction copies the ledger while others write to it. They list the keys that they
// write in a file beside the ledger, which is there as long as the compaction: before a
// commit, so that no commit is missing whoever dies when. A commit that is not listed (by a
// program that knows no lists, or on a full disk) leaves a gap in the transaction numbers.
//
// An entry is the length and the CRC32C of what follows: the transaction's number, then
// each key behind its length.
const (
	listEnd = ".changed"
	// maxList bounds, in bytes, what a compaction that has died leaves behind, and what a
	// living one is willing to catch up with.
	maxList = 64 << 20
	// abandoned is how long a draft that somebody works at is not written to, at most.
	abandoned   = time.Hour
	entryHeader = 8
)

// listed reports whether a compaction wants to know. With the lock held that does not change.
func (b *Bolt) listed() bool {
	_, err := os.Lstat(b.path + listEnd)
	return err == nil
}

// tell lists what the session is about to commit. It fails no commit: where there is no
// list any more, the compaction begins anew.
func (b *Bolt) tell(s *session) {
	f, err := os.OpenFile(b.path+listEnd, os.O_WRONLY|os.O_APPEND|noFollow, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() < maxList && b.drafting() {
		_, err = b.machine.File(f).Write(listEntry(uint64(s.tx.ID()), s.touched))
	} else {
		err = errOvertaken
	}
	if err != nil {
		_ = b.machine.Remove(b.path + listEnd)
	}
}

// drafting reports whether a compaction may be at work on its draft. One that has died
// leaves it behind.
func (b *Bolt) drafting() bool {
	info, err := os.Lstat(b.path + draftEnd)
	return err == nil && b.machine.Now().Sub(info.ModTime()) < abandoned
}

func listEntry(txid uint64, keys [][]byte) []byte {
	e := make([]byte, entryHeader, 64*(len(keys)+1))
	e = binary.BigEndian.AppendUint64(e, txid)
	for _, k := range keys {
		e = append(binary.AppendUvarint(e, uint64(len(k))), k...)
	}
	binary.BigEndian.PutUint32(e, uint32(len(e)-entryHeader))
	binary.BigEndian.PutUint32(e[4:], checksum(e[entryHeader:]))
	return e
}

// changeList is the list of a compaction.
type changeList struct {
	file    *files.File
	read    int64  // how far it was read
	txid    uint64 // the last transaction that was read, or that needs no entry
	pending map[string]bool
}

// errOvertaken: the compaction does not know what has changed, or another has begun.
var errOvertaken = errors.New("the ledger was changed by a program that does not say what it changes")

// startList begins a list after a transaction. The caller holds the lock.
func startList(m *files.Machine, path string, txid uint64) (*changeList, error) {
	f, err := m.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, fileMode)
	if err != nil {
		return nil, err
	}
	return &changeList{file: f, txid: txid, pending: map[string]bool{}}, nil
}

// mine reports whether the list is still the one that writers write to.
func (l *changeList) mine() bool {
	have, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(l.file.Name())
	return err == nil && os.SameFile(have, there)
}

// catchUp reads what was listed since. An entry that is not whole is being written, and is
// left for the next time.
func (l *changeList) catchUp() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	raw := make([]byte, info.Size()-l.read)
	if n, err := l.file.ReadAt(raw, l.read); err != nil && !errors.Is(err, io.EOF) {
		return err
	} else {
		raw = raw[:n]
	}
	for len(raw) >= entryHeader {
		n := int64(binary.BigEndian.Uint32(raw)) + entryHeader
		if n > int64(len(raw)) {
			return nil
		}
		if err := l.enter(raw[:n]); err != nil {
			return err
		}
		raw, l.read = raw[n:], l.read+n
	}
	return nil
}

// enter takes an entry in. A transaction that failed has its number used again.
func (l *changeList) enter(e []byte) error {
	body := e[entryHeader:]
	if checksum(body) != binary.BigEndian.Uint32(e[4:]) || len(body) < 8 {
		return errOvertaken
	}
	txid := binary.BigEndian.Uint64(body)
	if txid != l.txid && txid != l.txid+1 {
		return fmt.Errorf("%w: transaction %d follows %d", errOvertaken, txid, l.txid)
	}
	l.txid = txid
	for body = body[8:]; len(body) > 0; {
		n, w := binary.Uvarint(body)
		if w <= 0 || n > uint64(len(body)-w) {
			return errOvertaken
		}
		l.pending[string(body[w:w+int(n)])] = true
		body = body[w+int(n):]
	}
	return nil
}

// complete reports whether the list knows of all up to a transaction. The caller holds the
// lock, so that nobody is writing an entry.
func (l *changeList) complete(txid uint64) bool {
	info, err := l.file.Stat()
	return err == nil && info.Size() == l.read && (l.txid == txid || l.txid == txid+1) && l.mine()
}

// take hands out up to n keys that have changed.
func (l *changeList) take(n int) []string {
	keys := make([]string, 0, min(n, len(l.pending)))
	for k := range l.pending {
		if len(keys) == n {
			break
		}
		keys = append(keys, k)
		delete(l.pending, k)
	}
	return keys
}

// end takes the list away, so that nobody writes to it any more.
func (l *changeList) end(m *files.Machine) error {
	err := l.file.Close()
	if rm := m.Remove(l.file.Name()); !errors.Is(rm, fs.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
