package console

import (
	"fmt"

	"vise/ui/action"
	"vise/ui/console/widget"
)

// sideBySide is the width from which the fleet's activity and its radar stand beside each
// other.
const sideBySide = 90

// fleetRest draws what lies below the inbox: the newest events, and the parked threads with
// what would wake each, where there are any.
func (c Console) fleetRest(r rect) []string {
	switch {
	case parkedOn(c.radar.seen) == 0:
		return c.fleetActivityPane(r)
	case r.w >= sideBySide:
		left, right := r, r
		left.w = r.w / 2
		right.w = r.w - left.w
		return widget.Join(c.fleetActivityPane(left), c.fleetRadarPane(right))
	case r.h >= 8:
		return append(c.fleetActivityPane(r.rowsOf(r.h/2)), c.fleetRadarPane(r.below(r.h/2))...)
	}
	return c.fleetRadarPane(r)
}

// fleetRadarPane lists the parked threads.
func (c Console) fleetRadarPane(r rect) []string {
	w, h := r.inner()
	k := c.styles
	b := widget.Box{Title: k.Strong.Paint("Branch radar") + "  " + k.Muted.Paint("parked threads")}
	b.Right = k.Key.Paint(c.keys.ByID(action.Threads).Key()) + k.Muted.Paint(fmt.Sprintf(" %d parked", parkedOn(c.radar.seen)))
	for _, in := range c.radar.seen {
		for _, x := range in.Berths {
			if x.Parked() && len(b.Lines) < h {
				b.Lines = append(b.Lines, berthLines(c.frame(), x, false, w)...)
			}
		}
	}
	return b.Draw(r.w, r.h, k)
}
