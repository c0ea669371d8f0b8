package console

import (
	"fmt"

	"vise/model"
	"vise/ui/action"
)

// streamRows is how many events a frame has room for.
func (c Console) streamRows() int { return max(c.layout.body().h-2-c.filterRows(), 1) }

// streamBody draws the activity of all agents.
func (c Console) streamBody(r rect) []string {
	w, _ := r.inner()
	k, p, s := c.skin, c.place.stream, c.truth.stream
	b := box{title: k.strong.paint("Activity") + "  " + k.muted.paint("all agents"), right: c.streamNote(), focused: true}
	if c.filterRows() > 0 {
		b.lines = append(b.lines, c.filterLine(w))
	}
	switch {
	case c.trouble != nil && c.truth.at.IsZero():
		b.lines = append(b.lines, c.said(c.troubleWords(), w)...)
	case c.truth.at.IsZero():
		b.lines = append(b.lines, " "+k.muted.paint("Reading the ledger…"))
	case len(s.entries) == 0 && s.searched > 0:
		b.lines = append(b.lines, c.said(fmt.Sprintf(action.Keyed("No match in the newest %d events. {up} searches further back, {back} clears."), s.searched), w)...)
	case len(s.entries) == 0 && c.filterText() != "":
		b.lines = append(b.lines, c.said(action.Keyed("No event matches. {back} clears."), w)...)
	case len(s.entries) == 0:
		b.lines = append(b.lines, c.said("Nothing has happened yet.", w)...)
	default:
		at := s.at(p)
		for _, e := range s.shown(p, c.streamRows()) {
			b.lines = append(b.lines, c.streamRow(e, !p.following() && positionOf(e) == positionOf(s.entries[at]), w))
		}
	}
	b.foot = k.muted.paint(c.streamFoot())
	return b.draw(r.w, r.h, k)
}

// streamRow is an event with the cursor's mark.
func (c Console) streamRow(e model.Entry, selected bool, w int) string {
	marker := " "
	if selected {
		marker = c.skin.glyph.Cursor
	}
	return c.skin.strip(w, selected && c.dialogless(), append([]piece{{marker, c.skin.needsYou}}, c.streamPieces(e, string(c.truth.stream.names[e.WorkItemID]), w)...)...)
}

// streamNote says whether the end is followed, and what came since it is not.
func (c Console) streamNote() string {
	k := c.skin
	if c.place.stream.following() {
		return k.accent.paint(k.glyph.Following) + k.muted.paint(" following")
	}
	switch n := c.truth.stream.news; {
	case n >= newsCounted:
		return k.needsYou.paint(fmt.Sprintf("%d+ new", newsCounted)) + k.muted.paint(" end")
	case n > 0:
		return k.needsYou.paint(fmt.Sprintf("%d new", n)) + k.muted.paint(" end")
	}
	return k.muted.paint("paused · end follows")
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
