package lock

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockOwner finds who holds a flock on the file at path in /proc/locks, whose lines read
// "1: FLOCK  ADVISORY  WRITE 812 fe:01:131 0 EOF"; those who wait have "->" after the number.
func lockOwner(path string) (pid int, known bool) {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return 0, false
	}
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0, false
	}
	id := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != id {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		return pid, err == nil && pid > 0
	}
	return 0, false
}

// procStat is /proc/<pid>/stat from the state on, the part after the command's bracket.
func procStat(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
}

func stopped(pid int) bool {
	f := procStat(pid)
	return len(f) > 0 && (f[0] == "T" || f[0] == "t")
}

// startOf is when a process started, in clock ticks since boot.
func startOf(pid int) string {
	const start = 22 - 3 // field 22 of stat, which is split from field 3 on
	if f := procStat(pid); len(f) > start {
		return f[start]
	}
	return ""
}

func commandOf(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(raw) == 0 {
		return ""
	}
	return printable(defaultCommand(strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")))
}
