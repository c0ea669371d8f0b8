package thread

import (
	"slices"

	"vise/model"
)

// Awaits reports whether the end of a command is a fact of the thread's work: it validates
// something, or the thread recommends it or has it down as unverified.
func (t Thread) Awaits(command model.Text) bool {
	same := func(u model.Text) bool { return squeeze(u.Raw()) == squeeze(command.Raw()) }
	return Validates(command) || slices.ContainsFunc(t.Commands, same) || slices.ContainsFunc(t.Unverified, same)
}
