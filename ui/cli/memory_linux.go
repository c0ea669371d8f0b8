package cli

import (
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// childMemory limits, in bytes, what a process that reads damaged files can allocate: some damaged files make the database ask for all
// memory. The mapped file itself is not counted.
const childMemory = 2 << 30

// limitMemory limits this process's memory. The garbage collector works harder well below the limit: a sound ledger of a million work items
// leaves enough garbage to reach it.
func limitMemory() {
	debug.SetMemoryLimit(childMemory / 2)
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: childMemory, Max: childMemory})
}
