//go:build !linux

package files

// look knows a process by its number alone.
func look(pid int) Process { return Process{PID: pid} }
