package home

import (
	"testing"

	"vise/store"
	"vise/store/files"
)

func TestAHomeIsAttendedAsLongAsAnyoneRunsItsScheduler(t *testing.T) {
	plans, err := files.NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := On(store.NewMem(plans), plans, Options{})
	defer h.Close()
	if h.Attended() {
		t.Error("nobody was there yet")
	}
	one, two := h.Attend(), h.Attend()
	one()
	if !h.Attended() {
		t.Error("the second is still there")
	}
	two()
	if h.Attended() {
		t.Error("both have left")
	}
}
