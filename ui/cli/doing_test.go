package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestALongActSaysWhatItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		done := doingOn(&said, func() string { return "proving" })
		<-time.After(2500 * time.Millisecond)
		done()
		if want := "\r\x1b[Kproving: 1 s\r\x1b[Kproving: 2 s\r\x1b[K"; said.String() != want {
			t.Errorf("said %q, want %q", said.String(), want)
		}
		said.Reset()
		doingOn(&said, func() string { return "a short act" })()
		if said.String() != "" {
			t.Errorf("of a short act it said %q", said.String())
		}
	})
}
