//go:build !unix

package home

// Attend does nothing where files have no shared locks.
func (h *Home) Attend() (leave func()) { return func() {} }

// Attended is false where files have no shared locks.
func (h *Home) Attended() bool { return false }
