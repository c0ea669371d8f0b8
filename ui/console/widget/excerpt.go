package widget

import (
	"fmt"
)

// Excerpt is a part of a dialog that scrolls by itself, where it is longer than its room.
type Excerpt struct{ top int }

// Scroll moves on by so many pages.
func (e *Excerpt) Scroll(pages, lines, room int) {
	e.top = min(max(e.top+pages*max(room-1, 1), 0), max(lines-room, 0))
}

// Draw are the lines in sight, and which they are; keys names the actions that scroll.
func (e Excerpt) Draw(x Context, lines []string, room int, keys string) []string {
	if len(lines) <= room {
		return lines
	}
	top := min(e.top, len(lines)-room)
	out := append([]string(nil), lines[top:top+room]...)
	return append(out, x.Note(fmt.Sprintf("lines %d-%d of %d · %s", top+1, top+room, len(lines), x.Keys.Keyed(keys))))
}
