package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"vise/store/files"
)

// The tables live in two buckets. What is only ever appended fills its pages to nine
// tenths: 1 M entries take 420 MB then, 705 MB otherwise. The rest takes inserts anywhere,
// yet most come at the end of a table: at seven tenths 30,000 items take 63 MB, at bbolt's
// half 91.
var (
	bucketAppended = []byte("journal")
	bucketState    = []byte("state")
	appendedTable  = []byte("journal/")
)

const (
	appendedFill = 0.9
	stateFill    = 0.7
)

// boltTxn is a session's transaction as a Txn.
type boltTxn struct {
	session  *session
	appended *bbolt.Bucket
	state    *bbolt.Bucket
	packed   *bbolt.Bucket // of the history's older part; nil where nothing was packed
	open     []pair        // of the frame that was read last
}

func (t *boltTxn) openTables() error {
	return t.session.guard("open tables", func() error {
		t.appended, t.state = t.session.tx.Bucket(bucketAppended), t.session.tx.Bucket(bucketState)
		t.packed = t.session.tx.Bucket(bucketPacked)
		if t.appended == nil || t.state == nil {
			return refuse(restoreHint, "the file is a bbolt database, but no ledger")
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

// hasPacked reports whether some of the table that key is of is packed.
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
	kept := append([]byte{}, value...) // bbolt copies the key alone, and reads nil back as nothing
	return t.write(key, func() error { return t.bucket(key).Put(key, kept) })
}

func (t *boltTxn) Delete(key []byte) error {
	return t.write(key, func() error { return t.bucket(key).Delete(key) })
}

func (t *boltTxn) write(key []byte, call func() error) error {
	if len(key) == 0 {
		return errEmptyKey
	}
	err := t.session.guard("put", call)
	if errors.Is(err, berrors.ErrTxNotWritable) {
		return errReadOnlyTxn
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

// scanBucket scans one bucket. Keys that do not go one way mean damaged pages, which could lead
// in a circle.
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
		if err != nil || key == nil || r.excludes(key) {
			return err
		}
		if before != nil && (bytes.Compare(before, key) < 0) == r.Reverse {
			return &damage{"scan", fmt.Sprintf("keys out of order at %q", key)}
		}
		before = key
		if !visit(key, value) {
			return nil
		}
	}
}

// seekBefore finds the last key below to.
func seekBefore(c *bbolt.Cursor, to []byte) ([]byte, []byte) {
	if to == nil {
		return c.Last()
	}
	if key, _ := c.Seek(to); key == nil {
		return c.Last()
	}
	return c.Prev()
}

// excludes reports whether a scan that started inside the range has left it at key.
func (r Range) excludes(key []byte) bool {
	if r.Reverse {
		return bytes.Compare(key, r.From) < 0
	}
	return r.To != nil && bytes.Compare(key, r.To) >= 0
}

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
	f, err := files.OpenRegular(path, flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(restoreHint, "the ledger %s is missing from a home that was in use", path)
	}
	return f, err
}

func checkLedger(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() == 0:
		return nil, refuse(restoreHint, "the ledger %s is empty, and was not", f.Name())
	}
	m, err := readMeta(f)
	if err != nil {
		return nil, err
	}
	// Who reads without the lock may meet a file that grows: its pages are there before its head says so.
	if info, err = f.Stat(); err != nil {
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
	pageSize              uint32
	root, freelist, pages uint64
	txid                  uint64
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
	return boltMeta{pageSize: u.Uint32(b[8:]), root: u.Uint64(b[16:]), freelist: u.Uint64(b[32:]), pages: u.Uint64(b[40:]),
		txid: u.Uint64(b[48:])}, true
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
	capacity := (uint64(u.Uint32(page[12:])) + 1) * uint64(m.pageSize)
	if count > m.pages || count*8 > capacity {
		return 0, &damage{"open", fmt.Sprintf("%d free pages of %d", count, m.pages)}
	}
	return count, nil
}
