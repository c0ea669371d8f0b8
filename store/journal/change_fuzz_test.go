package journal

import (
	"bytes"
	"testing"
)

// Whatever a file of the journal's copy holds, reading a change ends. If the bytes are accepted as a change, writing it
// gives the same bytes.
func FuzzCopiedChange(f *testing.F) {
	whole := AppendChange(nil, Change{Revision: 7, Values: []Value{{Part: "ada", Bytes: []byte("a")}, {Part: "bob", Bytes: nil}}})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(append([]byte("x"), whole...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, n, err := parseChange(raw)
		if err != nil {
			return
		}
		if again := AppendChange(nil, c); !bytes.Equal(again, raw[:n]) {
			t.Errorf("%d bytes read as %+v, which is written as %x", n, c, again)
		}
	})
}
