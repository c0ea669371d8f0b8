package home

import (
	"os"

	"vise/model"
	"vise/store/files"
)

// Marks of processes that work for a home. A mark ends with its process.
const (
	markScheduler = "scheduler"
	// MarkConsole: a person looks at a console.
	MarkConsole = "console"
)

// MarkDriver is the mark of a process that runs an agent's program.
func MarkDriver(agent model.AgentID) string { return "driver-" + string(agent) }

// Attend marks in the home that a process runs the scheduler, until leave is called or the process ends. The mark serves only the sentence
// that a console ends with: several schedulers do no harm. If the mark cannot be set, leave does nothing.
func (h *Home) Attend() (leave func()) { return Mark(h.Dir(), markScheduler) }

// Attended reports whether a process runs the scheduler of the home. If that cannot be found out, it reports false.
func (h *Home) Attended() bool { return Marked(h.Dir(), markScheduler) }

// Mark sets a mark in the home in dir, until leave is called or the process ends. If it cannot be set, leave does nothing.
func Mark(dir, name string) (leave func()) {
	f, err := presence(dir, name)
	if err != nil {
		return func() {}
	}
	_ = files.Flock(f, files.Shared|files.AtOnce) // refused only while another process reads the mark
	return func() { f.Close() }
}

// Marked reports whether a process has set a mark. If that cannot be found out, it reports false.
func Marked(dir, name string) bool {
	f, err := presence(dir, name)
	if err != nil {
		return false
	}
	defer f.Close()
	return files.Flock(f, files.Exclusive|files.AtOnce) == files.ErrLocked
}

func presence(home, name string) (*os.File, error) { return files.StateFile(home, name+".lock") }
