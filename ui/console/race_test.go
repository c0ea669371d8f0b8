//go:build race

package console

// slower is the factor for the race detector's processor time: 1.2 to 1.6 was measured for work in few large steps, up
// to ten is usual.
const slower = 10
