package runner

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

var bootID = sync.OnceValue(func() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
})

// stat reads the fields of /proc/<pid>/stat from the third on: the second is the name in
// parentheses, and may hold anything.
func stat(pid int) []string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
}

// startOf is when a process started, in ticks since the machine did: field 22.
func startOf(pid int) string {
	const start = 22 - 3
	if f := stat(pid); len(f) > start {
		return f[start]
	}
	return ""
}

// running reports whether a process exists and has not ended; one that nobody waited for
// has.
func isRunning(pid int) bool {
	f := stat(pid)
	return len(f) > 0 && f[0] != "Z" && f[0] != "X"
}
