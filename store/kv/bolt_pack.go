package kv

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// bucketPacked holds the older part of the history. A compaction compresses many keys with their values into one frame. Transactions read
// through frames and get the same bytes. Packed keys come before unpacked keys, and are never written again.
//
// A frame is stored under the first of its keys. Its value is the last of its keys, the uncompressed size, the data compressed with zstd,
// and a CRC32C over the key and all of this. The data is each key and value in order, with their lengths; numbers are varints.
var bucketPacked = []byte("packed")

const (
	// frameSize limits the uncompressed data of a frame, unless it holds one larger value. A random read unpacks a whole frame, in 0.1 ms.
	// Frames four times as long would save 4 % of the space.
	frameSize = 128 << 10
	// looseBytes is how much of the newest history stays unpacked. Commands, undo and lists read it.
	looseBytes = 256 << 10
	// maxFrame is the largest uncompressed size that a frame may state. More means damage.
	maxFrame = 1 << 30
)

// packers compress at 800 MB/s and 17 : 1 on commits of one kind. The next level is slower, and its output is no smaller. A process
// that compresses once in ten minutes keeps no encoder meanwhile: a console kept 9 MB of its own for it.
var packers = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}}

// Pack appends the compressed bytes to a slice.
func Pack(raw, to []byte) []byte {
	e := packers.Get().(*zstd.Encoder)
	defer packers.Put(e)
	return e.EncodeAll(raw, to)
}

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// Unpack returns what Pack compressed.
func Unpack(packed []byte) ([]byte, error) { return unpacker().DecodeAll(packed, nil) }

// packFrame packs sorted pairs into a frame.
func packFrame(pairs []pair) pair {
	var raw []byte
	for _, p := range pairs {
		raw = append(binary.AppendUvarint(raw, uint64(len(p.key))), p.key...)
		raw = append(binary.AppendUvarint(raw, uint64(len(p.value))), p.value...)
	}
	key, last := pairs[0].key, pairs[len(pairs)-1].key
	value := append(binary.AppendUvarint(nil, uint64(len(last))), last...)
	value = binary.AppendUvarint(value, uint64(len(raw)))
	return pair{key, Frame(key, Pack(raw, value))}
}

// packAll packs pairs into frames.
func packAll(pairs []pair) (frames []pair) {
	for len(pairs) > 0 {
		n, size := 0, 0
		for n < len(pairs) && (n == 0 || size+len(pairs[n].key)+len(pairs[n].value) <= frameSize) {
			size += len(pairs[n].key) + len(pairs[n].value)
			n++
		}
		frames, pairs = append(frames, packFrame(pairs[:n])), pairs[n:]
	}
	return frames
}

// packed is a frame as it is stored.
type packed struct {
	first, last []byte
	size        int    // of the uncompressed data
	compressed  []byte // with its checksum
	value       []byte
}

// cutField cuts the first field off b. Its length stands before it.
func cutField(b []byte) (field, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

func readPacked(key, value []byte) (p packed, err error) {
	last, rest, ok := cutField(value)
	size, n := binary.Uvarint(rest)
	if !ok || n <= 0 || size > maxFrame || bytes.Compare(last, key) < 0 {
		return p, Damaged("unpack", "the frame at %q has no head", key)
	}
	return packed{first: key, last: last, size: int(size), compressed: rest[n:], value: value}, nil
}

// unpack returns the pairs of a frame.
func (p packed) unpack() (pairs []pair, err error) {
	if _, err := Unframe(p.first, p.value); err != nil {
		return nil, err
	}
	raw, err := unpacker().DecodeAll(p.compressed[:len(p.compressed)-ChecksumSize], make([]byte, 0, p.size))
	if err != nil || len(raw) != p.size {
		return nil, Damaged("unpack", "the frame at %q: %d bytes of %d, %v", p.first, len(raw), p.size, err)
	}
	for len(raw) > 0 {
		var x pair
		var keyOK, valueOK bool
		x.key, raw, keyOK = cutField(raw)
		x.value, raw, valueOK = cutField(raw)
		if !keyOK || !valueOK {
			return nil, Damaged("unpack", "the frame at %q is cut", p.first)
		}
		pairs = append(pairs, x)
	}
	return pairs, nil
}

// frameAt finds the frame whose range includes key.
func (t *boltTxn) frameAt(key []byte) (p packed, found bool, err error) {
	var k, v []byte
	err = t.session.guard("get", func() error {
		c := t.packed.Cursor()
		if k, v = c.Seek(key); k == nil {
			k, v = c.Last()
		} else if !bytes.Equal(k, key) {
			k, v = c.Prev()
		}
		return nil
	})
	if err != nil || k == nil {
		return p, false, err
	}
	p, err = readPacked(k, v)
	return p, err == nil && bytes.Compare(key, p.last) <= 0, err
}

// unpacked returns the pairs of a frame. It keeps those of the last frame for the next read.
func (t *boltTxn) unpacked(p packed) ([]pair, error) {
	if t.open != nil && bytes.Equal(t.open[0].key, p.first) {
		return t.open, nil
	}
	pairs, err := p.unpack()
	if err == nil && (len(pairs) == 0 || !bytes.Equal(pairs[0].key, p.first)) {
		err = Damaged("unpack", "the frame at %q begins elsewhere", p.first)
	}
	if err == nil {
		t.open = pairs
	}
	return pairs, err
}

func compareKey(p pair, key []byte) int { return bytes.Compare(p.key, key) }

// getPacked returns the value that a frame has for key.
func (t *boltTxn) getPacked(key []byte) ([]byte, error) {
	p, found, err := t.frameAt(key)
	if err != nil || !found {
		return nil, err
	}
	pairs, err := t.unpacked(p)
	if err != nil {
		return nil, err
	}
	if i, there := slices.BinarySearchFunc(pairs, key, compareKey); there {
		return pairs[i].value, nil
	}
	return nil, nil
}

// scanPacked visits the packed keys of a range until visit returns false. goOn is the last result of visit.
func (t *boltTxn) scanPacked(r Range, visit func(key, value []byte) bool) (goOn bool, err error) {
	frames := r
	if first, found, err := t.frameAt(r.From); err != nil {
		return false, err
	} else if found {
		frames.From = first.first
	}
	goOn = true
	var inner error
	err = t.scanBucket(t.packed, frames, func(key, value []byte) bool {
		p, err := readPacked(key, value)
		var pairs []pair
		if err == nil {
			pairs, err = t.unpacked(p)
		}
		if err != nil {
			inner = err
			return false
		}
		for i := range pairs {
			x := pairs[i]
			if r.Reverse {
				x = pairs[len(pairs)-1-i]
			}
			if r.Holds(x.key) && !visit(x.key, x.value) {
				goOn = false
				return false
			}
		}
		return true
	})
	if inner != nil {
		err = inner
	}
	return goOn, err
}

// looseFrom is the first key of the history that a compaction leaves unpacked.
func (t *boltTxn) looseFrom() (key []byte, err error) {
	size := 0
	err = t.scanBucket(t.appended, Range{From: appendedTable, Reverse: true}, func(k, v []byte) bool {
		key = bytes.Clone(k)
		size += len(k) + len(v)
		return size < looseBytes
	})
	return key, err
}

// putFrames writes frames, in order.
func (t *boltTxn) putFrames(frames []pair) error {
	if len(frames) == 0 {
		return nil
	}
	return t.session.guard("put", func() (err error) {
		t.packed, err = t.session.tx.CreateBucketIfNotExists(bucketPacked)
		for _, p := range frames {
			if err == nil {
				t.packed.FillPercent = 1
				err = t.packed.Put(p.key, p.value)
				t.session.writes++
			}
		}
		return err
	})
}
