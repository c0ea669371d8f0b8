//go:build soak

package storetest

// Long says that the tests run for as long as their promise asks for: go test -tags soak.
const Long = true
