//go:build race

package e2e

// raced: the programs that this test builds have the race detector too.
const raced = "-race"
