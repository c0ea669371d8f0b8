//go:build !linux

package cli

import "runtime/debug"

const childMemory = 2 << 30

// limitMemory has the collector work harder near the bound, which is all that can be asked
// here.
func limitMemory() { debug.SetMemoryLimit(childMemory) }
