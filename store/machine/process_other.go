//go:build !linux

package machine

// look knows a process by its number alone.
func look(pid int) Process { return Process{PID: pid} }
