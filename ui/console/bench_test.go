package console

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// A frame is drawn after every message: it must take less than a millisecond at 120×36.
func BenchmarkView(b *testing.B) {
	c := crowded(b)
	b.ReportAllocs()
	for b.Loop() {
		c.View()
	}
}

// A key costs an Update and a View.
func BenchmarkKey(b *testing.B) {
	c := crowded(b)
	keys := []tea.KeyPressMsg{keyOf("j"), keyOf("k")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, _ = c.Update(keys[i/10%2])
		c.View()
	}
}

// A dialog is drawn over the desk.
func BenchmarkDialog(b *testing.B) {
	c, _ := crowded(b).Update(keyOf("c"))
	b.ReportAllocs()
	for b.Loop() {
		c.View()
	}
}

// crowded is a console on a desk with four hundred items, all of them shown.
func crowded(b *testing.B) tea.Model {
	wd := newWorld(b, 120, 36, nil)
	b.Cleanup(wd.stop)
	for i := range 400 {
		id := wd.create(fmt.Sprint(i), fmt.Sprintf("Work item %d with 日本語 and an objective that is cut", i))
		if i%3 == 0 {
			wd.do(model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo("something else")})
		}
	}
	c := wd.console.(console)
	c.place.unfolded = true
	return c.Primed()
}
