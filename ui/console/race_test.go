//go:build race

package console

// slower is how much more a processor may take with the race detector: 1.2 to 1.6 times as
// much was measured where the work is in few large steps, up to ten is usual.
const slower = 10
