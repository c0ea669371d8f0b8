package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"

	"vise/store/files"
)

// openChecked opens a ledger file after asking what bbolt does not ask: whether it is a
// regular file of ours, and long enough for what its meta page says of it.
func openChecked(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := openLedger(path, flag)
	if err != nil {
		return nil, nil, err
	}
	info, err := checkLedger(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func openLedger(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|files.NoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(restoreHint, "the ledger %s is missing from a home that was in use", path)
	}
	if info, statErr := os.Lstat(path); err != nil && statErr == nil && !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	return f, err
}

func irregular(path string) error {
	return refuse("look at it, then move it away; "+restoreHint, "%s is not a regular file", path)
}

func checkLedger(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, irregular(f.Name())
	case info.Size() == 0:
		return nil, refuse(restoreHint, "the ledger %s is empty, and was not", f.Name())
	}
	m, err := readMeta(f)
	if err != nil {
		return nil, err
	}
	if need := int64(max(m.pages, 4)) * int64(m.pageSize); info.Size() < need {
		return nil, &damage{"open", fmt.Sprintf("%s is %d bytes long and should be %d", f.Name(), info.Size(), need)}
	}
	_, err = m.freePages(f)
	return info, err
}

// boltMeta is what a bbolt meta page says of its file.
type boltMeta struct {
	pageSize        uint32
	freelist, pages uint64
	txid            uint64
	// alone: the other meta page does not read.
	alone bool
}

const (
	pageHeader = 16
	metaSize   = 64
	boltMagic  = 0xED0CDAED
	noFreelist = ^uint64(0)
)

// readMeta reads the newer of the two meta pages whose checksum holds. It needs no lock:
// a meta page that is just being written fails its checksum, and the other one counts.
func readMeta(f io.ReaderAt) (boltMeta, error) {
	best, found := metaAt(f, 0)
	sizes := []uint32{best.pageSize}
	if !found {
		sizes = []uint32{uint32(os.Getpagesize()), 4 << 10, 16 << 10, 64 << 10}
	}
	for _, size := range sizes {
		m, ok := metaAt(f, int64(size))
		ok = ok && m.pageSize == size
		alone := found != ok
		if ok && (!found || m.txid > best.txid) {
			best, found = m, true
		}
		best.alone = alone
	}
	if !found {
		return best, &damage{"open", "no readable meta page"}
	}
	return best, nil
}

func metaAt(f io.ReaderAt, at int64) (boltMeta, bool) {
	var page [pageHeader + metaSize]byte
	if n, _ := f.ReadAt(page[:], at); n < len(page) {
		return boltMeta{}, false
	}
	b := page[pageHeader:]
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	u := binary.NativeEndian
	if u.Uint32(b) != boltMagic || u.Uint64(b[metaSize-8:]) != sum.Sum64() {
		return boltMeta{}, false
	}
	return boltMeta{pageSize: u.Uint32(b[8:]), freelist: u.Uint64(b[32:]), pages: u.Uint64(b[40:]), txid: u.Uint64(b[48:])}, true
}

// freePages is how many pages the list of free pages has. A length that cannot be is refused
// before bbolt asks for that much memory.
func (m boltMeta) freePages(f io.ReaderAt) (uint64, error) {
	if m.freelist == noFreelist {
		return 0, nil
	}
	var page [pageHeader + 8]byte
	if _, err := f.ReadAt(page[:], int64(m.freelist)*int64(m.pageSize)); err != nil {
		return 0, &damage{"open", fmt.Errorf("list of free pages: %w", err)}
	}
	u := binary.NativeEndian
	count := uint64(u.Uint16(page[10:]))
	if count == 0xffff {
		count = u.Uint64(page[pageHeader:])
	}
	room := (uint64(u.Uint32(page[12:])) + 1) * uint64(m.pageSize)
	if count > m.pages || count*8 > room {
		return 0, &damage{"open", fmt.Sprintf("%d free pages of %d", count, m.pages)}
	}
	return count, nil
}
