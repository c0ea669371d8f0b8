package console

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// told is a view that never changes.
type told string

func (told) Init() tea.Cmd { return nil }

func (t told) Update(tea.Msg) (tea.Model, tea.Cmd) { return t, nil }

func (t told) View() tea.View {
	v := tea.NewView(string(t))
	v.AltScreen = true
	return v
}

// firstWrite is what Bubble Tea writes for its first frame.
type firstWrite struct {
	mu    sync.Mutex
	bytes []byte
	there func()
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bytes == nil && bytes.Contains(b, []byte(enters)) {
		f.bytes = bytes.Clone(b)
		f.there()
	}
	return len(b), nil
}

func firstFrameOf(t *testing.T, frame string) []byte {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &firstWrite{there: stop}
	p := tea.NewProgram(told(frame), tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(out), tea.WithWindowSize(40, 8),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithFPS(fps))
	_, _ = p.Run() // it was stopped
	if out.bytes == nil {
		t.Fatal("no frame")
	}
	return bytes.ReplaceAll(out.bytes, []byte("\n"), []byte("\r\n")) // as a terminal does where there is one
}

// The screen is looked at after each sequence and character that comes: a terminal may draw
// at any time.
func TestBubbleTeasFirstFrameIsDrawnOverTheOneThatStands(t *testing.T) {
	row := func(n int, s string) string { return fmt.Sprintf("│ \x1b[1;31m%s\x1b[m   %d   │", s, n) }
	var stands []string
	for n := range 8 {
		stands = append(stands, row(n, "some words"))
	}
	other := append([]string(nil), stands...)
	other[3], other[5] = row(3, "new"), ""
	for name, c := range map[string]struct {
		next  []string
		moves map[int]bool
	}{"the same": {stands, nil}, "other lines": {other, map[int]bool{3: true, 5: true}}} {
		frame := strings.Join(c.next, "\n")
		screen, _ := paintedOn(40, 8, strings.Join(stands, "\n"))
		o := &overpaint{stands: stands}
		o.framed(frame)
		written := o.over(firstFrameOf(t, frame))
		for rest := written; len(rest) > 0; {
			_, _, n, _ := ansi.DecodeSequence(rest, ansi.NormalState, nil)
			_, _ = screen.Write(rest[:n])
			rest = rest[n:]
			for i, line := range trimmed(screen.String()) {
				if want := strings.TrimRight(ansi.Strip(stands[i]), " "); line != want && !c.moves[i] {
					t.Fatalf("%s: line %d is %q for a moment after %q", name, i, line, written[:len(written)-len(rest)])
				}
			}
		}
		fresh := vt.NewEmulator(40, 8)
		_, _ = fresh.Write(firstFrameOf(t, frame))
		if got, want := screen.Render(), fresh.Render(); got != want || !screen.IsAltScreen() {
			t.Errorf("%s: in the end there stands\n%s\nnot\n%s", name, got, want)
		}
		if later := []byte(enters + clears + "x"); !bytes.Equal(o.over(later), later) {
			t.Errorf("%s: a later frame is changed", name)
		}
	}
}
