package cli

import "golang.org/x/sys/unix"

// childMemory bounds, in bytes, what a process allocates that reads damaged files: some of
// them have the database below ask for all there is. The file itself, mapped, is not in it.
const childMemory = 2 << 30

// limitMemory bounds this process's memory.
func limitMemory() {
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: childMemory, Max: childMemory})
}
