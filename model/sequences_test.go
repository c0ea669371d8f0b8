//go:build !soak

package model

// sequences is how many random sequences each property is held against.
const sequences = "5000"
