//go:build !linux

package cli

import "runtime/debug"

const childMemory = 2 << 30

// limitMemory makes the garbage collector work harder near the limit. Nothing more is possible on this system.
func limitMemory() { debug.SetMemoryLimit(childMemory) }
