//go:build unix

package scheduler

import "testing"

func TestAHomeIsAttendedAsLongAsAnyoneRunsItsScheduler(t *testing.T) {
	home := t.TempDir()
	if Attended(home) {
		t.Error("nobody was there yet")
	}
	one, two := Attend(home), Attend(home)
	one()
	if !Attended(home) {
		t.Error("the second is still there")
	}
	two()
	if Attended(home) {
		t.Error("both have left")
	}
}
