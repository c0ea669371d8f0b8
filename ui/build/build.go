// Package build names what a program was built from, so that the programs of one
// installation can tell whether they belong together.
package build

import (
	"runtime"
	"runtime/debug"
)

// Name is the version, the toolchain and the commit, as far as the build tells.
func Name() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	name := info.Main.Version + " " + runtime.Version()
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			name += " " + s.Value
		}
	}
	return name
}
