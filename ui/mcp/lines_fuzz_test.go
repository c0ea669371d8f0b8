package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// Whatever the input is, reading ends with it and not before, and a message on its own line after it is read.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "garbage", "{", "[]", "null", "\x00", "\xef\xbb\xbf{}", `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}`, strings.Repeat("[", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		l := newLines(strings.NewReader(in+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n"), io.Discard)
		n := 0
		for {
			err := l.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("reading ended with %v", err)
			}
			if l.rest != nil {
				n, l.rest = n+1, nil
			}
		}
		if n == 0 {
			t.Error("the message after it was not read")
		}
	})
}
