package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"vise/model"
	"vise/store/kv"
)

// Change is one change in the journal's copy: its revision, and its values in the
// ledger's journal, in order.
type Change struct {
	Revision uint64
	Values   []Value
}

// Value is the value in the ledger's journal of one part of a change.
type Value struct {
	Part  model.AgentID
	Bytes []byte
}

// A change is stored as a head (mark, length), the payload, and a tail (CRC32C, length,
// revision, mark). With the tail it can be found from the end of the file too. The payload is
// the revision and then each part's name and value, each after its length; numbers are big-endian.
const (
	headMark  = 0x766a6672 // "vjfr"
	tailMark  = 0x72666a76
	headSize  = 8
	tailSize  = 20
	maxChange = 256 << 20 // a larger one is damage
)

var (
	headMarkBytes = binary.BigEndian.AppendUint32(nil, headMark)

	errTorn = errors.New("no whole change")
)

// AppendChange appends c to b in the format of the copy's files.
func AppendChange(b []byte, c Change) []byte {
	be := binary.BigEndian
	size := 8
	for _, v := range c.Values {
		size += 8 + len(v.Part) + len(v.Bytes)
	}
	b = slices.Grow(b, headSize+size+tailSize)
	b = be.AppendUint32(b, headMark)
	b = be.AppendUint32(b, uint32(size))
	begin := len(b)
	b = be.AppendUint64(b, c.Revision)
	for _, v := range c.Values {
		b = append(be.AppendUint32(b, uint32(len(v.Part))), v.Part...)
		b = append(be.AppendUint32(b, uint32(len(v.Bytes))), v.Bytes...)
	}
	b = be.AppendUint32(b, kv.Checksum(b[begin:]))
	b = be.AppendUint32(b, uint32(size))
	b = be.AppendUint64(b, c.Revision)
	return be.AppendUint32(b, tailMark)
}

// parseChange reads the change at the start of b, and returns its length.
func parseChange(b []byte) (c Change, n int, err error) {
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
	c.Revision = be.Uint64(payload)
	if be.Uint32(tail) != kv.Checksum(payload) || be.Uint32(tail[4:]) != size || be.Uint64(tail[8:]) != c.Revision ||
		be.Uint32(tail[16:]) != tailMark {
		return c, 0, errTorn
	}
	values, rest := copiedValues(payload[8:])
	if len(rest) > 0 {
		return c, 0, errTorn
	}
	c.Values = values
	return c, n, nil
}

// copiedValues reads the whole values at the start of b. rest is what follows them.
func copiedValues(b []byte) (values []Value, rest []byte) {
	field := func(from []byte) (field, rest []byte, ok bool) {
		if len(from) < 4 || uint64(binary.BigEndian.Uint32(from)) > uint64(len(from)-4) {
			return nil, nil, false
		}
		end := 4 + binary.BigEndian.Uint32(from)
		return from[4:end], from[end:], true
	}
	for {
		part, after, ok := field(b)
		value, after, alsoOK := field(after)
		if !ok || !alsoOK {
			return values, b
		}
		values, b = append(values, Value{model.AgentID(part), value}), after
	}
}

// EachChange visits the changes in b. After a damaged one it continues at the next valid one.
// whole is false if any was damaged or the last one is incomplete.
func EachChange(b []byte, visit func(Change) error) (whole bool, err error) {
	return WalkChanges(b, visit, func([]byte) {})
}

// WalkChanges is EachChange. For each unreadable change it also calls torn with the rest of b
// from there.
func WalkChanges(b []byte, visit func(Change) error, torn func([]byte)) (whole bool, err error) {
	whole = true
	for at := 0; at < len(b); {
		c, n, err := parseChange(b[at:])
		if err != nil {
			whole = false
			torn(b[at:])
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

// TornChange reads a damaged or incomplete change at the start of b: its revision and the values
// that are complete. The caller checks the checksums of the values.
func TornChange(b []byte) (c Change, ok bool) {
	be := binary.BigEndian
	if len(b) < headSize+8 || be.Uint32(b) != headMark {
		return c, false
	}
	size := min(uint64(be.Uint32(b[4:])), uint64(len(b)-headSize))
	if size < 8 {
		return c, false
	}
	payload := b[headSize : headSize+size]
	c.Revision = be.Uint64(payload)
	c.Values, _ = copiedValues(payload[8:])
	return c, true
}
