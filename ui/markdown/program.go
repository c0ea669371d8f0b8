package markdown

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// buildName is what this program was built from: the version, the toolchain and the commit, as
// far as it is known. Both ends must be of one build.
func buildName() string {
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

// programName is the program that lays out Markdown.
const programName = "vise-markdown"

// Program is where the renderer is: beside this program, else on the path.
func Program() (string, error) {
	name := programName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return exec.LookPath(name)
}
