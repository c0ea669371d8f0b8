//go:build race

package e2e

// raced: what this test builds has the race detector too.
const raced = "-race"
