package cli

import (
	"encoding/json"
	"os"
	"path/filepath"

	"vise/store/files"
)

// What the console remembers lies in small JSON files of the home's state directory.

// maxState bounds such a file, in bytes: one that is larger is not ours.
const maxState = 4 << 20

func statePath(home string, names ...string) string {
	return filepath.Join(append([]string{home, "state"}, names...)...)
}

// readState reads a file of the state directory into what into points to.
func readState(path string, into any) error {
	raw, err := files.ReadSmall(path, maxState)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// writeState replaces a file of the state directory.
func writeState(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeStateRaw(path, raw)
}

func writeStateRaw(path string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(path, raw)
}
