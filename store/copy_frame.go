package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// copiedChange is one change in the journal's copy: its revision, and what the ledger's journal
// keeps of it, in order.
type copiedChange struct {
	revision uint64
	values   []copiedValue
}

// copiedValue is what lies in the ledger's journal at place n of a revision.
type copiedValue struct {
	n     uint32
	bytes []byte
}

// A change is a head (mark, length), the payload, and a tail (CRC32C, length, revision,
// mark) by which it is found from the end of the file too. The payload is the revision and
// then each value as its place, its length and its bytes; numbers are big-endian.
const (
	headMark  = 0x766a6672 // "vjfr"
	tailMark  = 0x72666a76
	headSize  = 8
	tailSize  = 20
	maxChange = 256 << 20 // more is damage, not a change
)

var (
	headMarkBytes = binary.BigEndian.AppendUint32(nil, headMark)

	errTorn = errors.New("no whole change")
)

// appendChange appends c to b as the copy's files hold it.
func appendChange(b []byte, c copiedChange) []byte {
	be := binary.BigEndian
	size := 8
	for _, v := range c.values {
		size += 8 + len(v.bytes)
	}
	b = slices.Grow(b, headSize+size+tailSize)
	b = be.AppendUint32(b, headMark)
	b = be.AppendUint32(b, uint32(size))
	begin := len(b)
	b = be.AppendUint64(b, c.revision)
	for _, v := range c.values {
		b = be.AppendUint32(b, v.n)
		b = be.AppendUint32(b, uint32(len(v.bytes)))
		b = append(b, v.bytes...)
	}
	b = be.AppendUint32(b, checksum(b[begin:]))
	b = be.AppendUint32(b, uint32(size))
	b = be.AppendUint64(b, c.revision)
	return be.AppendUint32(b, tailMark)
}

// parseChange reads the change that b begins with, and how long it is.
func parseChange(b []byte) (c copiedChange, n int, err error) {
	be := binary.BigEndian
	if len(b) < headSize || be.Uint32(b) != headMark {
		return c, 0, errTorn
	}
	size := be.Uint32(b[4:])
	if size < 8 || size > maxChange || len(b) < headSize+int(size)+tailSize {
		return c, 0, errTorn
	}
	n = headSize + int(size) + tailSize
	payload, tail := b[headSize:n-tailSize], b[n-tailSize:n]
	c.revision = be.Uint64(payload)
	if be.Uint32(tail) != checksum(payload) || be.Uint32(tail[4:]) != size || be.Uint64(tail[8:]) != c.revision || be.Uint32(tail[16:]) != tailMark {
		return c, 0, errTorn
	}
	for rest := payload[8:]; len(rest) > 0; {
		if len(rest) < 8 || uint64(be.Uint32(rest[4:])) > uint64(len(rest)-8) {
			return c, 0, errTorn
		}
		end := 8 + be.Uint32(rest[4:])
		c.values = append(c.values, copiedValue{be.Uint32(rest), rest[8:end]})
		rest = rest[end:]
	}
	return c, n, nil
}

// eachChange visits the changes in b. Behind a damaged one it goes
// on with the next that is whole; then, or when the last is cut, not all of b was.
func eachChange(b []byte, visit func(copiedChange) error) (whole bool, err error) {
	whole = true
	for at := 0; at < len(b); {
		c, n, err := parseChange(b[at:])
		if err != nil {
			whole = false
			if n = bytes.Index(b[at+1:], headMarkBytes) + 1; n == 0 {
				break
			}
		} else if err := visit(c); err != nil {
			return whole, err
		}
		at += n
	}
	return whole, nil
}
