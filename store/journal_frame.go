// Package journal keeps a second copy of a ledger's history, in files of its own: one frame
// a change, with the bytes as the ledger keeps them, so that a lost or damaged ledger can be
// made again from it.
//
// A frame is written after its change was committed, under the ledger's lock, and is not
// waited for: the ledger is the truth, and lets the copy catch up by number whenever it
// lacks something. It is put on the disk each time that home.json is, and with each
// snapshot. So the copy is never ahead of the ledger; a ledger that ends before its copy
// has lost something.
package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
)

// Frame is one change: its revision, and what the ledger keeps of it, in order.
type Frame struct {
	Revision uint64
	Values   []Value
}

// Value is what lies in the ledger's journal at place N of a revision.
type Value struct {
	N     uint32
	Bytes []byte
}

// A frame is a head (mark, length), the payload, and a tail (CRC32C, length, revision,
// mark) by which it is found from the end of the file too. The payload is the revision and
// then each value as its place, its length and its bytes; numbers are big-endian.
const (
	headMark = 0x766a6672 // "vjfr"
	tailMark = 0x72666a76
	headSize = 8
	tailSize = 20
	maxFrame = 256 << 20 // more is damage, not a change
)

var errTorn = errors.New("no whole frame")

// Append appends f, framed, to b.
func Append(b []byte, f Frame) []byte {
	be := binary.BigEndian
	size := 8
	for _, v := range f.Values {
		size += 8 + len(v.Bytes)
	}
	b = slices.Grow(b, headSize+size+tailSize)
	b = be.AppendUint32(b, headMark)
	b = be.AppendUint32(b, uint32(size))
	begin := len(b)
	b = be.AppendUint64(b, f.Revision)
	for _, v := range f.Values {
		b = be.AppendUint32(b, v.N)
		b = be.AppendUint32(b, uint32(len(v.Bytes)))
		b = append(b, v.Bytes...)
	}
	b = be.AppendUint32(b, castagnoli(b[begin:]))
	b = be.AppendUint32(b, uint32(size))
	b = be.AppendUint64(b, f.Revision)
	return be.AppendUint32(b, tailMark)
}

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// next reads the frame that begins where r stands, and how long it is. io.EOF is the end;
// errTorn means that what follows is no whole frame.
func next(r io.Reader) (Frame, int64, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errTorn
		}
		return Frame{}, 0, err
	}
	size := binary.BigEndian.Uint32(head[4:])
	if binary.BigEndian.Uint32(head[:]) != headMark || size < 8 || size > maxFrame {
		return Frame{}, 0, errTorn
	}
	raw, err := readUpTo(r, int(size)+tailSize)
	if err != nil {
		return Frame{}, 0, err
	}
	if len(raw) < int(size)+tailSize {
		return Frame{}, 0, errTorn
	}
	f, err := parse(raw[:size], raw[size:])
	return f, headSize + int64(len(raw)), err
}

// readUpTo reads n bytes, or what there is. A length that lies costs little memory.
func readUpTo(r io.Reader, n int) ([]byte, error) {
	const atOnce = 1 << 20
	if n > atOnce {
		return io.ReadAll(io.LimitReader(r, int64(n)))
	}
	b := make([]byte, n)
	got, err := io.ReadFull(r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:got], err
}

func parse(payload, tail []byte) (Frame, error) {
	be := binary.BigEndian
	f := Frame{Revision: be.Uint64(payload)}
	if be.Uint32(tail) != castagnoli(payload) || be.Uint32(tail[4:]) != uint32(len(payload)) ||
		be.Uint64(tail[8:]) != f.Revision || be.Uint32(tail[16:]) != tailMark {
		return Frame{}, errTorn
	}
	for rest := payload[8:]; len(rest) > 0; {
		if len(rest) < 8 || uint64(be.Uint32(rest[4:])) > uint64(len(rest)-8) {
			return Frame{}, errTorn
		}
		n := be.Uint32(rest[4:])
		f.Values = append(f.Values, Value{be.Uint32(rest), rest[8 : 8+n]})
		rest = rest[8+n:]
	}
	return f, nil
}
