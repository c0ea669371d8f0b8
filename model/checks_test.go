package model

import "flag"

// -rapid.checks on the command line still wins: it is read later.
func init() {
	if err := flag.Set("rapid.checks", sequences); err != nil {
		panic(err)
	}
}
