// Package screen draws the console's screens: the desk with its queue and detail, the fleet, the activity, the reports, triage and the
// threads. A screen is a value that holds what it shows. Drawing it gives lines and the regions in which they can be clicked. Nothing in
// this package reads a ledger, a file or a clock, or imports the console.
//
// Reading order: screen.go (common parts), styles.go (colours and boxes), field.go (text input), list.go (the one kind of list), then one
// file for each screen.
package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
)

// Frame is the input for drawing every screen.
type Frame struct {
	*Styles
	// Now is the time from which ages are counted. Its location is used for all times on screen.
	Now time.Time
	// Catalogue are the actions with their current keys.
	action.Catalogue
	// Wide means that three panes fit side by side. Narrow means that only one pane fits.
	Wide, Narrow bool
	// Cursor means that the cursor's row is highlighted, because no dialog has the keys.
	Cursor bool
	// Unread is the text of a list until the ledger was first read: why it was not, or that it is being read. It is empty once something
	// was read.
	Unread string
	// Pages lays out texts that may be Markdown; nil: they are shown as written.
	Pages *markdown.Renderer
	// Away are the hosts that are not connected.
	Away []model.HostState
}

// awayOf returns the host of an agent, if that host is not connected.
func (f Frame) awayOf(agent model.AgentID) (h model.HostState, is bool) {
	name := model.HostOf(agent)
	at := slices.IndexFunc(f.Away, func(h model.HostState) bool { return h.Name == name })
	if at < 0 {
		return h, false
	}
	return f.Away[at], true
}

// AsOf says how old the data of an agent are if its host is not connected; else it returns "".
func (f Frame) AsOf(agent model.AgentID) string {
	h, is := f.awayOf(agent)
	if !is {
		return ""
	}
	return h.Name + " " + h.AsOfWords(f.Now)
}

// awayWords names the hosts that are not connected.
func (f Frame) awayWords() string {
	var out []string
	for _, h := range f.Away {
		out = append(out, h.Name+" "+h.AsOfWords(f.Now))
	}
	return strings.Join(out, ", ")
}

// AwayBadge says in few words which hosts are not connected.
func (f Frame) AwayBadge() string {
	if n := len(f.Away); n > 1 {
		return fmt.Sprintf("%d hosts away", n)
	}
	return f.awayWords()
}

const labelCells = 14

// labelled returns a text after a short label, wrapped beside the label.
func (f Frame) labelled(label string, t model.Text, w int) []string {
	return f.beside("  ", label, labelCells, t, w, f.Text)
}

// beside returns a text wrapped beside a label of some cells.
func (f Frame) beside(margin, label string, cells int, t model.Text, w int, ink Ink) []string {
	return f.Hang(margin+f.Muted.Paint(text.Pad(label, cells)), ink, f.Show(t), max(w-cells-len(margin)-1, 8))
}

// row returns a line of a list with the cursor's mark before it.
func (f Frame) row(w int, selected bool, pieces ...Piece) string {
	return f.Strip(w, selected && f.Cursor, append([]Piece{f.Accent.Of(f.marker(selected))}, pieces...)...)
}

// item returns a row of work in a list: its mark, its agent, its subject, and the text at the right.
func (f Frame) item(w int, selected bool, mark Piece, whose []Piece, about Piece, tail string) string {
	width := w - 1 - text.Width(mark.Text) - text.Width(tail)
	for _, p := range whose {
		width -= text.Width(p.Text)
	}
	pieces := append([]Piece{mark}, whose...)
	return f.row(w, selected, append(pieces, about.Of(text.Pad(about.Text, max(width, 0))), f.Muted.Of(tail))...)
}

// whose names an item's agent.
func (f Frame) whose(r model.Row, agentCells int) []Piece {
	return []Piece{f.Muted.Of(text.Pad(f.AgentName(r.AgentID), agentCells)), Ink{}.Of(" ")}
}

func (f Frame) marker(selected bool) string {
	if selected {
		return f.Glyph.Cursor
	}
	return " "
}

// Rect is a part of the screen in cells, including borders. An empty one is not shown.
type Rect struct{ X, Y, W, H int }

// Empty reports whether the part has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Inner is the size within the borders.
func (r Rect) Inner() (w, h int) { return max(r.W-2, 0), max(r.H-2, 0) }

// Below is the part below the first rows. RowsOf is the part with those rows.
func (r Rect) Below(rows int) Rect  { return Rect{r.X, r.Y + rows, r.W, r.H - rows} }
func (r Rect) RowsOf(rows int) Rect { return Rect{r.X, r.Y, r.W, rows} }

func (r Rect) holds(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Region is a part of the screen that reacts to the mouse.
type Region struct {
	Rect
	// Pane is the screen's own number of the pane. Row is the index of the row in its list, or -1.
	Pane, Row int
	// Act is the action of the region. IsTab means that Row is a tab's number. Such regions react only to clicks.
	Act   action.ID
	IsTab bool
}

// Drawing is a drawn screen: its lines, each as wide as the screen, and its regions. A region that covers another comes after it.
type Drawing struct {
	Lines   []string
	Regions []Region
}

// At returns the region at a cell.
func (d Drawing) At(x, y int) (Region, bool) {
	for i := len(d.Regions) - 1; i >= 0; i-- {
		if d.Regions[i].holds(x, y) {
			return d.Regions[i], true
		}
	}
	return Region{}, false
}

// Above puts another drawing below d.
func (d Drawing) Above(other Drawing) Drawing {
	return Drawing{append(d.Lines, other.Lines...), append(d.Regions, other.Regions...)}
}

// NextTo puts another drawing at the right of d.
func (d Drawing) NextTo(other Drawing) Drawing {
	return Drawing{Join(d.Lines, other.Lines), append(d.Regions, other.Regions...)}
}

// pane is a box at its place. Its rows can be clicked.
type pane struct {
	Rect
	Box
	frame   Frame
	id      int
	regions []Region
}

// pane returns an empty pane with a title and a note beside it.
func (f Frame) pane(r Rect, id int, title, note string, focused bool) *pane {
	title = f.Strong.Paint(title)
	if note != "" {
		title += "  " + f.Muted.Paint(note)
	}
	return &pane{frame: f, Rect: r, Box: Box{Title: title, Focused: focused && f.Cursor}, id: id}
}

// row adds a line that shows a row of the pane's list.
func (p *pane) row(line string, row int) {
	p.regions = append(p.regions, Region{Rect: Rect{p.X, p.Y + 1 + len(p.Lines), p.W, 1}, Pane: p.id, Row: row})
	p.Lines = append(p.Lines, line)
}

// draw draws the pane, or nothing if it has no place.
func (p *pane) draw() Drawing {
	if p.Empty() {
		return Drawing{}
	}
	return Drawing{p.Box.Draw(p.W, p.H, p.frame.Styles), append([]Region{{Rect: p.Rect, Pane: p.id, Row: -1}}, p.regions...)}
}
