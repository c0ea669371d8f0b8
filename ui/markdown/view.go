package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

// Position is a place in a laid out document: a row of a block. Row 0 of a block with a gap is the blank line before it. It stays the same
// when other blocks are edited or laid out, so it can keep a reader's place.
type Position struct {
	Block int `json:"block,omitempty"`
	Row   int `json:"row,omitempty"`
}

// Line is one line on screen.
type Line struct {
	At Position
	// From and To are the source lines that it shows, counted from one, or 0.
	From, To int

	text   string
	wide   bool
	ground string // the background of code
}

// Wide reports whether the line scrolls sideways: code, and lines that can be wider than the pane.
func (l Line) Wide() bool { return l.wide }

// Text returns the line with its style, not padded. A line of code can be up to 2,000 cells wide.
func (l Line) Text() string { return l.text }

// Cells returns exactly width cells of the line. Code is shown from cell left on. Prose is wrapped and does not scroll sideways.
func (l Line) Cells(left, width int) string {
	cells := text.Pad(l.text, width)
	if l.wide && left > 0 {
		cells = text.Window(l.text, left, width)
	}
	if l.ground == "" {
		return cells
	}
	return l.ground + strings.ReplaceAll(cells, ansi.ResetStyle, ansi.ResetStyle+l.ground) + ansi.ResetStyle
}

// view is a document laid out in one width and style. Its methods lay out the blocks that they pass, which takes milliseconds the first
// time.
type view struct {
	r     *Renderer
	d     *Document
	width int
	style *Style
}

// View returns d laid out in width cells.
func (r *Renderer) View(d *Document, width int, s *Style) view {
	return view{r: r, d: d, width: max(width, 1), style: s}
}

func (v view) rows(i int) []row { return v.r.block(v.d, i, v.width, v.style) }

func (v view) gap(i int) int {
	if v.d.blocks[i].gap {
		return 1
	}
	return 0
}

func (v view) height(i int) int { return len(v.rows(i)) + v.gap(i) }

// Clamp returns the nearest position to at that exists.
func (v view) Clamp(at Position) Position {
	switch last := len(v.d.blocks) - 1; {
	case at.Block < 0 || last < 0:
		return Position{}
	case at.Block > last:
		return Position{last, v.height(last) - 1}
	}
	if at.Row != 0 {
		at.Row = max(0, min(at.Row, v.height(at.Block)-1))
	}
	return at
}

// Lines returns the n lines from at on, or fewer at the end of the document.
func (v view) Lines(at Position, n int) []Line {
	if len(v.d.blocks) == 0 || n <= 0 {
		return nil
	}
	at = v.Clamp(at)
	var lines []Line
	for ; at.Block < len(v.d.blocks) && len(lines) < n; at = (Position{at.Block + 1, 0}) {
		rows, gap := v.rows(at.Block), v.gap(at.Block)
		for ; at.Row < len(rows)+gap && len(lines) < n; at.Row++ {
			lines = append(lines, v.line(at, rows, gap))
		}
	}
	return lines
}

func (v view) line(at Position, rows []row, gap int) Line {
	if at.Row < gap {
		return Line{At: at}
	}
	b, r := &v.d.blocks[at.Block], rows[at.Row-gap]
	l := Line{At: at, From: int(b.from + r.from), To: int(b.from + r.to), text: r.text, wide: r.wide}
	if b.kind == fence {
		l.ground = v.style.ground
	}
	return l
}

// Move returns the position by lines further down, or up if by is negative, within the document.
func (v view) Move(at Position, by int) Position {
	if len(v.d.blocks) == 0 {
		return Position{}
	}
	at = v.Clamp(at)
	for at.Row += by; at.Row < 0 && at.Block > 0; {
		at.Block--
		at.Row += v.height(at.Block)
	}
	for at.Row > 0 {
		h := v.height(at.Block)
		if at.Row < h || at.Block+1 == len(v.d.blocks) {
			break
		}
		at.Row -= h
		at.Block++
	}
	return v.Clamp(at)
}

// Bottom returns the position that shows the last n lines.
func (v view) Bottom(n int) Position {
	return v.Move(v.Clamp(Position{Block: len(v.d.blocks)}), 1-n)
}

// PlaceOf returns where a source line is shown.
func (v view) PlaceOf(line int) Position {
	for i := range v.d.blocks {
		b := &v.d.blocks[i]
		if int(b.to) < line {
			continue
		}
		rows, gap := v.rows(i), v.gap(i)
		for n, r := range rows {
			if int(b.from+r.to) >= line {
				return Position{i, n + gap}
			}
		}
		return Position{Block: i}
	}
	return Position{Block: max(len(v.d.blocks)-1, 0)}
}

// Progress returns how far at is through the document, from 0 to 1, by source lines.
func (v view) Progress(at Position) float64 {
	if at.Block >= len(v.d.blocks) || v.d.lines < 2 {
		return 0
	}
	return float64(v.d.blocks[at.Block].from-1) / float64(v.d.lines-1)
}

// Follow returns the position in d of the block at at in the older document old, so that a reader's place survives an edit. If that block
// was changed, it is the block in its place. Of an empty document it is the beginning.
func (d *Document) Follow(old *Document, at Position) Position {
	if len(old.blocks) == 0 {
		return Position{}
	}
	if at.Block >= len(old.blocks) || len(d.blocks) == 0 {
		return Position{Block: max(len(d.blocks)-1, 0)}
	}
	same := func(i, j int) bool { return old.blocks[i].hash == d.blocks[j].hash }
	head, short := 0, min(len(old.blocks), len(d.blocks))
	for head < short && same(head, head) {
		head++
	}
	moved := len(d.blocks) - len(old.blocks)
	tail := 0
	for tail < short-head && same(len(old.blocks)-1-tail, len(d.blocks)-1-tail) {
		tail++
	}
	if at.Block < head {
		return at
	}
	if at.Block >= len(old.blocks)-tail {
		return Position{at.Block + moved, at.Row}
	}
	for near := range max(len(d.blocks), 1) {
		for _, j := range []int{at.Block + near, at.Block - near} {
			if j >= head && j < len(d.blocks)-tail && same(at.Block, j) {
				return Position{j, at.Row}
			}
		}
	}
	return Position{min(at.Block, len(d.blocks)-1), at.Row}
}
