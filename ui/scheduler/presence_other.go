//go:build !unix

package scheduler

// Attend does nothing where files have no shared locks.
func Attend(string) (leave func()) { return func() {} }

// Attended is false where files have no shared locks.
func Attended(string) bool { return false }
