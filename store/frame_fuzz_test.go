package store

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// Whatever a journal's file holds, reading a frame ends, and what is taken for one is, byte
// for byte, what writing it gives.
func FuzzFrame(f *testing.F) {
	whole := Append(nil, Frame{Revision: 7, Values: []Value{{N: 0, Bytes: []byte("a")}, {N: 1, Bytes: nil}}})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(append([]byte("x"), whole...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, n, err := next(bytes.NewReader(raw))
		if err != nil {
			if !errors.Is(err, errTorn) && !errors.Is(err, io.EOF) {
				t.Errorf("ended with %v", err)
			}
			return
		}
		if again := Append(nil, frame); !bytes.Equal(again, raw[:n]) {
			t.Errorf("%d bytes read as %+v, which is written as %x", n, frame, again)
		}
	})
}
