//go:build !soak

package console

// lawSteps is how many random keys and changes the law is held against.
const lawSteps = 3_000
