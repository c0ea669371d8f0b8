package store

import (
	"encoding/binary"
	"fmt"
	"sync"

	"vise/model"
	"vise/store/checksum"
	"vise/store/codec"
)

// A value is its payload, JSON but for index rows, followed by a CRC32C of key and
// payload: bbolt has no checksums of its own, and 312 of 2,100 random damages read wrong
// data while its own check was clean. A key without a value needs none.

const checksumSize = 4

// frame appends the checksum to payload, in place when it has room.
func frame(key, payload []byte) []byte {
	return binary.BigEndian.AppendUint32(payload, checksum.Of(key, payload))
}

// unframe returns the payload of what lies at key.
func unframe(key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum.Of(key, value[:n]) {
		return nil, &damage{"read", fmt.Sprintf("the value of %q does not match its checksum", key)}
	}
	return value[:n], nil
}

// encode is v as JSON, with room for a frame.
func encode(v any) ([]byte, error) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	b, err := codec.Append((*scratch)[:0], v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	if cap(b) <= maxScratch {
		*scratch = b
	}
	return append(make([]byte, 0, len(b)+checksumSize), b...), nil
}

// scratches are where values are encoded before their length is known.
var scratches = sync.Pool{New: func() any {
	b := make([]byte, 0, 2<<10)
	return &b
}}

const maxScratch = 1 << 20 // a tick's commit has some hundred kilobytes

// decode reads a payload into v, which points to a zero value.
func decode(key, payload []byte, v any) error {
	if err := codec.Decode(payload, v); err != nil {
		return &damage{"read", fmt.Sprintf("the value of %q: %v", key, err)}
	}
	return nil
}

// decodeRecord reads a record of a kind.
func decodeRecord(kind model.RecordKind, key, payload []byte) (model.Record, error) {
	switch kind {
	case model.KindAgent:
		return decodeAs[model.Agent](key, payload)
	case model.KindItem:
		return decodeAs[model.WorkItem](key, payload)
	case model.KindWait:
		return decodeAs[model.Wait](key, payload)
	case model.KindTask:
		return decodeAs[model.Task](key, payload)
	case model.KindBrief:
		return decodeAs[model.Brief](key, payload)
	case model.KindDelivery:
		return decodeAs[model.Delivery](key, payload)
	case model.KindMessage:
		return decodeAs[model.Message](key, payload)
	case model.KindAttempt:
		return decodeAs[model.Attempt](key, payload)
	case model.KindTrace:
		return decodeAs[model.Trace](key, payload)
	case model.KindIngress:
		return decodeAs[model.Ingress](key, payload)
	case model.KindSeen:
		return decodeAs[model.Seen](key, payload)
	case model.KindOffers:
		return decodeAs[model.ReportOffers](key, payload)
	case model.KindDelegation:
		return decodeAs[model.Delegation](key, payload)
	}
	return nil, &damage{"read", fmt.Sprintf("%q: unknown kind of record %q", key, kind)}
}

func decodeAs[R model.Record](key, payload []byte) (model.Record, error) {
	var r R
	err := decode(key, payload, &r)
	return r, err
}
