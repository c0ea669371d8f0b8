package screen

import (
	"fmt"
	"slices"
)

// List is the order of a list as it is drawn, and where the cursor is: by key, so that no row
// can slide under it.
type List[K comparable] struct {
	Order  []K
	Cursor K
	// Top is the first row in sight.
	Top int
	// Held: the ledger has a newer order, which waits until the operator's hands rest.
	Held bool
}

// At is the place of the cursor, -1 without one.
func (l List[K]) At() int { return slices.Index(l.Order, l.Cursor) }

// Step moves the cursor by n rows, at most to the first or the last; without one it goes to
// the first.
func (l List[K]) Step(n int) List[K] {
	at := l.At()
	switch {
	case len(l.Order) == 0:
	case at < 0:
		l.Cursor = l.Order[0]
	default:
		l.Cursor = l.Order[min(max(at+n, 0), len(l.Order)-1)]
	}
	return l
}

// Next moves the cursor by n rows, round the end.
func (l List[K]) Next(n int) List[K] {
	if len(l.Order) > 0 {
		l.Cursor = l.Order[(l.At()+n+len(l.Order))%len(l.Order)]
	}
	return l
}

// Show takes a new order. A cursor whose row is gone goes to the row at its place.
func (l List[K]) Show(order []K) List[K] {
	at := l.At()
	l.Order, l.Held = order, false
	if l.At() < 0 {
		var none K
		if l.Cursor = none; len(order) > 0 {
			l.Cursor = order[min(max(at, 0), len(order)-1)]
		}
	}
	return l
}

// Reveal moves the window of h rows so that the cursor is in it.
func (l List[K]) Reveal(h int) List[K] {
	l.Top = window(l.At(), l.Top, h, len(l.Order))
	return l
}

// Window are the rows in sight of h lines: from the first to before the last.
func (l List[K]) Window(h int) (from, to int) {
	from = min(l.Top, len(l.Order))
	return from, min(from+max(h, 0), len(l.Order))
}

// position is where the cursor is: "3 of 7".
func (l List[K]) position() string { return fmt.Sprintf("%d of %d", l.At()+1, len(l.Order)) }

// window is the first of n rows shown in h lines, so that row at is in sight.
func window(at, top, h, n int) int {
	if at >= top+h {
		top = at - h + 1
	}
	if at >= 0 && at < top {
		top = at
	}
	return max(min(top, n-h), 0)
}
