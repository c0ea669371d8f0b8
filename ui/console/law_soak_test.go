//go:build soak

package console

// lawSteps is the number of random keys and changes in the test of the law of keys.
const lawSteps = 100_000
