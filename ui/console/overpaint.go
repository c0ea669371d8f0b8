package console

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// overpaint is the terminal as Bubble Tea writes to it after the first frame was painted.
// Its own first frame would clear the screen and draw everything again, in a write that a
// terminal takes in pieces. Instead it is drawn over what stands there: nothing is cleared
// but the lines that have changed since.
type overpaint struct {
	*os.File

	mu     sync.Mutex // protects what follows
	stands []string   // lines on the terminal; nil once Bubble Tea has drawn
	next   string     // the newest frame
}

// enters begins Bubble Tea's first frame, clears empties the screen for it.
const (
	enters = ansi.SetModeAltScreenSaveCursor
	clears = ansi.CursorHomePosition + ansi.EraseEntireScreen
)

// framed notes a frame that Bubble Tea is given.
func (o *overpaint) framed(frame string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stands != nil {
		o.next = frame
	}
}

// Write is what Bubble Tea writes with.
func (o *overpaint) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.File.Write(o.over(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// over is b as it goes out: changed where it is the first frame. If that begins otherwise than
// is known here, it is passed on as all the rest. o.mu is held.
func (o *overpaint) over(b []byte) []byte {
	if o.stands == nil || !bytes.Contains(b, []byte(enters)) {
		return b
	}
	if head, frame, ok := bytes.Cut(b, []byte(clears)); ok {
		head = bytes.Replace(head, []byte(enters), nil, 1)
		b = slices.Concat(head, []byte(o.cleared()), []byte(ansi.CursorHomePosition), frame)
	}
	o.stands, o.next = nil, ""
	return b
}

// WriteString hides that of os.File, which would pass Write by.
func (o *overpaint) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// cleared empties the lines that the next frame has otherwise than they stand. A frame that
// is overtaken by a newer one here is completed by that.
func (o *overpaint) cleared() string {
	var b strings.Builder
	next := strings.Split(o.next, "\n")
	for i, line := range o.stands {
		if i >= len(next) || next[i] != line {
			b.WriteString("\x1b[" + strconv.Itoa(i+1) + "H" + ansi.EraseEntireLine)
		}
	}
	return b.String()
}
