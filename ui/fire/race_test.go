//go:build race

package fire

// raced: what this test builds has the race detector too.
const raced = "-race"
