package cli

import "golang.org/x/sys/unix"

// childMemory limits, in bytes, what a process that reads damaged files can allocate: some damaged files make the database ask for all
// memory. The mapped file itself is not counted.
const childMemory = 2 << 30

// limitMemory limits this process's memory.
func limitMemory() {
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: childMemory, Max: childMemory})
}
