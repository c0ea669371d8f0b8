package console

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// paintedOn paints a frame on a terminal on which something stands already.
func paintedOn(w, h int, frame string) (*vt.Emulator, stage) {
	screen := vt.NewEmulator(w, h)
	_, _ = screen.WriteString("what stood before")
	s := stage{out: screen, size: tea.WindowSizeMsg{Width: w, Height: h}, profile: colorprofile.TrueColor}
	s.paint(frame)
	return screen, s
}

func trimmed(text string) []string {
	lines := strings.Split(ansi.Strip(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func TestTheFirstFrameIsTheFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.create("a", "Split the rate limiter")
		before := stage{size: tea.WindowSizeMsg{Width: 80, Height: 24}, profile: colorprofile.TrueColor}
		c := New(t.Context(), wd.console.(Console).opt).Primed().staged(before)
		if c.layout.w != 80 || c.layout.h != 24 {
			t.Fatalf("the console is laid out for %d by %d", c.layout.w, c.layout.h)
		}
		frame := c.View().Content
		screen, s := paintedOn(80, 24, frame)
		if got, want := trimmed(screen.String()), trimmed(frame); !slices.Equal(got, want) {
			t.Errorf("on the terminal:\n%s\nthe frame:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !strings.Contains(frame, "Split the rate limiter") {
			t.Errorf("it shows nothing of the ledger:\n%s", frame)
		}
		s.leave()
		if got := screen.String(); screen.IsAltScreen() || !strings.HasPrefix(got, "what stood before") {
			t.Errorf("it leaves the terminal with %q", got)
		}
	})
}

func TestALineThatIsTooWideMovesNoOther(t *testing.T) {
	screen, _ := paintedOn(10, 3, strings.Repeat("x", 25)+"\nsecond\nthird\nbeyond")
	if got, want := trimmed(screen.String())[1:], []string{"second", "third"}; !slices.Equal(got, want) {
		t.Errorf("below it stands %q, want %q", got, want)
	}
}
