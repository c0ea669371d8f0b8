package kv

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

const (
	branchPage  = 1
	leafPage    = 2
	elementSize = 16

	// walkedBytes is the largest size of a file that each process walks whole; that takes at most
	// 0.2 ms.
	walkedBytes = 1 << 20
)

// checkPages refuses a file whose pages form a cycle. bbolt would follow it until the process has
// no stack or memory left and dies. Unless whole is set, checkPages walks only the path to the
// first key of each bucket.
func (s *session) checkPages(whole bool) error {
	m, err := readMeta(s.file)
	if err != nil {
		return err
	}
	w := pageWalk{session: s, meta: m, met: map[uint64]bool{}}
	if err := w.from(m.root, true); err != nil {
		return err
	}
	return s.guard("open", func() error {
		return s.tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			if b.Root() == 0 { // the bucket's keys are stored inside this leaf
				return nil
			}
			return w.from(uint64(b.Root()), whole)
		})
	})
}

// pageWalk visits pages of a file, none twice.
type pageWalk struct {
	*session
	meta boltMeta
	met  map[uint64]bool
}

// from walks down from a page, to all leaves if whole is set, otherwise to the first.
func (w pageWalk) from(id uint64, whole bool) error {
	if id >= w.meta.pages || w.met[id] {
		return w.damaged("page %d of %d is used twice, or does not exist", id, w.meta.pages)
	}
	w.met[id] = true
	at := int64(id) * int64(w.meta.pageSize)
	head := make([]byte, pageHeader)
	if _, err := w.file.ReadAt(head, at); err != nil {
		return w.damaged("page %d: %v", id, err)
	}
	u := binary.NativeEndian
	kind, count := u.Uint16(head[8:]), int(u.Uint16(head[10:]))
	if is := u.Uint64(head); is != id || kind != leafPage && (kind != branchPage || count == 0) {
		return w.damaged("page %d is marked as page %d of kind %d with %d elements", id, is, kind, count)
	}
	if kind == leafPage {
		return nil
	}
	if !whole {
		count = 1
	}
	elements := make([]byte, count*elementSize)
	if _, err := w.file.ReadAt(elements, at+pageHeader); err != nil {
		return w.damaged("page %d: %v", id, err)
	}
	for ; len(elements) > 0; elements = elements[elementSize:] {
		if err := w.from(u.Uint64(elements[8:]), whole); err != nil {
			return err
		}
	}
	return nil
}

func (w pageWalk) damaged(format string, args ...any) error {
	return Damaged("open", "%s: %s", w.file.Name(), fmt.Sprintf(format, args...))
}
