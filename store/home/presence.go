package home

import (
	"os"

	"vise/store/files"
)

// Attend marks in the home that a process runs the scheduler, until leave is called or the process ends. The mark serves only the sentence
// that a console ends with: several schedulers do no harm. If the mark cannot be set, leave does nothing.
func (h *Home) Attend() (leave func()) {
	f, err := presence(h.Dir())
	if err != nil {
		return func() {}
	}
	_ = files.Flock(f, files.Shared|files.AtOnce) // refused only while another process reads the mark
	return func() { f.Close() }
}

// Attended reports whether a process runs the scheduler of the home. If that cannot be found out, it reports false.
func (h *Home) Attended() bool {
	f, err := presence(h.Dir())
	if err != nil {
		return false
	}
	defer f.Close()
	return files.Flock(f, files.Exclusive|files.AtOnce) == files.ErrLocked
}

func presence(home string) (*os.File, error) { return files.StateFile(home, "scheduler.lock") }
