//go:build !linux

package lock

// Only the holder's own record tells who it is.

func lockOwner(string) (int, bool) { return 0, false }

func stopped(int) bool { return false }

func startOf(int) string { return "" }

func commandOf(int) string { return "" }
