package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"vise/store/files"
)

// The tables are stored in two buckets. A table that only grows at its end fills its pages to nine tenths: 1 M entries then take 420 MB,
// otherwise 705 MB. The other tables take inserts anywhere, and most at the end of a table: filled to seven tenths, 30,000 items take 63
// MB; filled to bbolt's half, 91 MB.
var (
	bucketAppended = []byte("journal")
	bucketState    = []byte("state")
	appendedTable  = []byte("journal/")
)

const (
	appendedFill = 0.9
	stateFill    = 0.7
)

// boltTxn implements Txn for a session's transaction.
type boltTxn struct {
	aloneTxn
	session  *session
	appended *bbolt.Bucket
	state    *bbolt.Bucket
	packed   *bbolt.Bucket // the history's older part; nil if nothing was packed
	open     []pair        // of the last frame read
}

func (t *boltTxn) openTables() error {
	return t.session.guard("open tables", func() error {
		t.appended, t.state = t.session.tx.Bucket(bucketAppended), t.session.tx.Bucket(bucketState)
		t.packed = t.session.tx.Bucket(bucketPacked)
		if t.appended == nil || t.state == nil {
			return Refuse(RestoreHint, "the file is a bbolt database, but no ledger")
		}
		t.appended.FillPercent, t.state.FillPercent = appendedFill, stateFill
		if t.packed != nil {
			t.packed.FillPercent = 1
		}
		return nil
	})
}

func (t *boltTxn) bucket(key []byte) *bbolt.Bucket {
	if bytes.HasPrefix(key, appendedTable) {
		return t.appended
	}
	return t.state
}

// hasPacked reports whether part of key's table is packed.
func (t *boltTxn) hasPacked(key []byte) bool {
	return t.packed != nil && bytes.HasPrefix(key, appendedTable)
}

func (t *boltTxn) Get(key []byte) (value []byte, err error) {
	err = t.session.guard("get", func() error {
		value = t.bucket(key).Get(key)
		return nil
	})
	if err == nil && value == nil && t.hasPacked(key) {
		return t.getPacked(key)
	}
	return value, err
}

func (t *boltTxn) Put(key, value []byte) error {
	kept := append([]byte{}, value...) // bbolt copies only the key, and does not return nil for an empty value
	return t.write(key, func() error { return t.bucket(key).Put(key, kept) })
}

func (t *boltTxn) Delete(key []byte) error {
	return t.write(key, func() error { return t.bucket(key).Delete(key) })
}

func (t *boltTxn) write(key []byte, call func() error) error {
	if len(key) == 0 {
		return ErrEmptyKey
	}
	err := t.session.guard("put", call)
	if errors.Is(err, berrors.ErrTxNotWritable) {
		return ErrReadOnly
	}
	if err == nil {
		t.session.writes++
	}
	return err
}

// Scan implements Txn.
func (t *boltTxn) Scan(r Range, visit func(key, value []byte) bool) (err error) {
	if !t.hasPacked(r.From) {
		return t.scanBucket(t.bucket(r.From), r, visit)
	}
	goOn := true
	if !r.Reverse {
		goOn, err = t.scanPacked(r, visit)
	}
	if err == nil && goOn {
		err = t.scanBucket(t.appended, r, func(key, value []byte) bool {
			goOn = visit(key, value)
			return goOn
		})
	}
	if r.Reverse && err == nil && goOn {
		_, err = t.scanPacked(r, visit)
	}
	return err
}

// scanBucket scans one bucket. Keys out of order mean damaged pages, which could form a cycle.
func (t *boltTxn) scanBucket(b *bbolt.Bucket, r Range, visit func(key, value []byte) bool) error {
	c := b.Cursor()
	step, first := c.Next, func() ([]byte, []byte) { return c.Seek(r.From) }
	if r.Reverse {
		step, first = c.Prev, func() ([]byte, []byte) { return seekBefore(c, r.To) }
	}
	var before []byte
	for move := first; ; move = step {
		var key, value []byte
		err := t.session.guard("scan", func() error {
			key, value = move()
			return nil
		})
		if err != nil || key == nil || !r.Holds(key) {
			return err
		}
		if before != nil && (bytes.Compare(before, key) < 0) == r.Reverse {
			return Damaged("scan", "keys out of order at %q", key)
		}
		before = key
		if !visit(key, value) {
			return nil
		}
	}
}

// seekBefore moves to the last key below to.
func seekBefore(c *bbolt.Cursor, to []byte) ([]byte, []byte) {
	if to == nil {
		return c.Last()
	}
	if key, _ := c.Seek(to); key == nil {
		return c.Last()
	}
	return c.Prev()
}

// openChecked opens a ledger file after checks that bbolt does not make: that it is a regular file, and at least as long as its meta page
// says.
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
	f, err := files.OpenRegular(path, flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Refuse(RestoreHint, "the ledger %s is missing from a home that was in use", path)
	}
	return f, err
}

func checkLedger(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() == 0:
		return nil, Refuse(RestoreHint, "the ledger %s is empty, and was not", f.Name())
	}
	m, err := readMeta(f)
	if err != nil {
		return nil, err
	}
	// A reader without the lock may meet a growing file. The file gets its pages before its meta page counts them, so the size is read
	// again.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if need := int64(max(m.pages, 4)) * int64(m.pageSize); info.Size() < need {
		return nil, Damaged("open", "%s is %d bytes long and should be %d", f.Name(), info.Size(), need)
	}
	_, err = m.freePages(f)
	return info, err
}

// boltMeta is the content of a bbolt meta page.
type boltMeta struct {
	pageSize              uint32
	root, freelist, pages uint64
	txid                  uint64
	// alone reports that the other meta page is unreadable.
	alone bool
}

const (
	pageHeader = 16
	metaSize   = 64
	boltMagic  = 0xED0CDAED
	noFreelist = ^uint64(0)
)

// readMeta reads the newer of the meta pages whose checksum is right. It needs no lock: the checksum of a meta page that is being written
// is wrong, and the other page counts.
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
		return best, Damaged("open", "no readable meta page")
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
	return boltMeta{pageSize: u.Uint32(b[8:]), root: u.Uint64(b[16:]), freelist: u.Uint64(b[32:]), pages: u.Uint64(b[40:]),
		txid: u.Uint64(b[48:])}, true
}

// freePages is the length of the list of free pages. An impossible length is refused before bbolt allocates that much memory.
func (m boltMeta) freePages(f io.ReaderAt) (uint64, error) {
	if m.freelist == noFreelist {
		return 0, nil
	}
	var page [pageHeader + 8]byte
	if _, err := f.ReadAt(page[:], int64(m.freelist)*int64(m.pageSize)); err != nil {
		return 0, Damaged("open", "list of free pages: %v", err)
	}
	u := binary.NativeEndian
	count := uint64(u.Uint16(page[10:]))
	if count == 0xffff {
		count = u.Uint64(page[pageHeader:])
	}
	capacity := (uint64(u.Uint32(page[12:])) + 1) * uint64(m.pageSize)
	if count > m.pages || count*8 > capacity {
		return 0, Damaged("open", "%d free pages of %d", count, m.pages)
	}
	return count, nil
}
