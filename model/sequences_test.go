//go:build !soak

package model

// sequences is the number of random sequences for each property.
const sequences = "2000"
