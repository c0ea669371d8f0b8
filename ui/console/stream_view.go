package console

import (
	"fmt"

	"vise/model"
	"vise/ui/console/widget"
)

// streamRows is how many events a frame has room for.
func (c Console) streamRows() int { return max(c.layout.body().h-2-c.filterRows(), 1) }

// streamBody draws the activity of all agents.
func (c Console) streamBody(r rect) []string {
	w, _ := r.inner()
	k, p, s := c.styles, c.place.stream, c.truth.stream
	b := widget.Box{Title: k.Strong.Paint("Activity") + "  " + k.Muted.Paint("all agents"), Right: c.streamNote(), Focused: true}
	if c.filterRows() > 0 {
		b.Lines = append(b.Lines, c.filterLine(w))
	}
	switch {
	case c.trouble != nil && c.truth.at.IsZero():
		b.Lines = append(b.Lines, c.frame().Said(c.troubleWords(), w)...)
	case c.truth.at.IsZero():
		b.Lines = append(b.Lines, " "+k.Muted.Paint("Reading the ledger…"))
	case len(s.entries) == 0 && s.searched > 0:
		b.Lines = append(b.Lines, c.frame().Said(fmt.Sprintf(c.keys.Keyed("No match in the newest %d events. {up} searches further back, {back} clears."), s.searched), w)...)
	case len(s.entries) == 0 && c.filterText() != "":
		b.Lines = append(b.Lines, c.frame().Said(c.keys.Keyed("No event matches. {back} clears."), w)...)
	case len(s.entries) == 0:
		b.Lines = append(b.Lines, c.frame().Said("Nothing has happened yet.", w)...)
	default:
		at := s.at(p)
		for _, e := range s.shown(p, c.streamRows()) {
			b.Lines = append(b.Lines, c.streamRow(e, !p.following() && positionOf(e) == positionOf(s.entries[at]), w))
		}
	}
	b.Foot = k.Muted.Paint(c.streamFoot())
	return b.Draw(r.w, r.h, k)
}

// streamRow is an event with the cursor's mark.
func (c Console) streamRow(e model.Entry, selected bool, w int) string {
	marker := " "
	if selected {
		marker = c.styles.Glyph.Cursor
	}
	return c.styles.Strip(w, selected && c.dialogless(), append([]widget.Piece{c.styles.NeedsYou.Of(marker)}, c.streamPieces(e, string(c.truth.stream.names[e.WorkItemID]), w)...)...)
}

// streamNote says whether the end is followed, and what came since it is not.
func (c Console) streamNote() string {
	k := c.styles
	if c.place.stream.following() {
		return k.Accent.Paint(k.Glyph.Following) + k.Muted.Paint(" following")
	}
	switch n := c.truth.stream.news; {
	case n >= newsCounted:
		return k.NeedsYou.Paint(fmt.Sprintf("%d+ new", newsCounted)) + k.Muted.Paint(" end")
	case n > 0:
		return k.NeedsYou.Paint(fmt.Sprintf("%d new", n)) + k.Muted.Paint(" end")
	}
	return k.Muted.Paint("paused · end follows")
}

func (c Console) streamFoot() string {
	s := c.truth.stream
	e := c.streamEntry()
	switch {
	case e == nil:
		return ""
	case s.searched > 0 && len(s.entries) > 0 && s.at(c.place.stream) == 0:
		return fmt.Sprintf("searched %d events · k searches further back", s.searched)
	}
	return e.At.In(c.now.Location()).Format("Mon 2 Jan 15:04:05") + fmt.Sprintf(" · revision %d", e.Revision)
}
