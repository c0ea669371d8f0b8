package console

import (
	"io"
	"os"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// The first frame is on the terminal before Bubble Tea has begun: its own comes after it has
// read what the terminal can do, started its goroutines and waited for its clock. It draws
// the same view over it, in one piece.

// stage is the terminal as the console finds it.
type stage struct {
	out     io.Writer
	size    tea.WindowSizeMsg
	profile colorprofile.Profile
}

// stageOf looks at the terminal; false where there is none to paint on.
func stageOf(out *os.File, o Options) (stage, bool) {
	w, h, err := term.GetSize(out.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return stage{}, false
	}
	p := colorprofile.ASCII
	if !o.NoColor {
		p = colorprofile.Detect(out, os.Environ())
	}
	return stage{out, tea.WindowSizeMsg{Width: w, Height: h}, p}, true
}

// staged is c in the size and colours of the terminal.
func (c Console) staged(t stage) Console {
	c.layout = layoutOf(t.size.Width, t.size.Height, c.place.focus, c.place.zoomed)
	c.paper.profile = t.profile
	c.styles = c.paper.styles(c.opt)
	return c.reorder().primedPlan()
}

// paint shows a frame on the alternate screen. Each line is put in its place, so that one
// that this terminal measures otherwise moves no other.
func (t stage) paint(frame string) {
	var b strings.Builder
	b.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.EraseEntireScreen + ansi.ResetModeAutoWrap)
	for i, line := range t.lines(frame) {
		b.WriteString("\x1b[" + strconv.Itoa(i+1) + "H" + line)
	}
	b.WriteString(ansi.SetModeAutoWrap)
	w := colorprofile.Writer{Forward: t.out, Profile: t.profile}
	_, _ = w.WriteString(b.String()) // Bubble Tea tells of a terminal that cannot be written to
}

// lines are those of a frame as cells come out, in half the bytes: no style is set that
// nothing is written in.
func (t stage) lines(frame string) []string {
	cells := uv.NewScreenBuffer(t.size.Width, t.size.Height)
	uv.NewStyledString(frame).Draw(cells, cells.Bounds())
	lines := make([]string, t.size.Height)
	for i := range lines {
		lines[i] = strings.TrimRight(cells.Line(i).Render(), " ")
	}
	return lines
}

// leave gives back the screen where Bubble Tea ended before it had drawn. It restores
// nothing a second time: the cursor is where it already was.
func (t stage) leave() {
	_, _ = io.WriteString(t.out, ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable)
}
