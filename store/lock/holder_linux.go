package lock

import (
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
