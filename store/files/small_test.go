package files

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a pipe can wait for ever; a link can lead anywhere.
func TestASmallFileIsRegularAndSmall(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, do := range map[string]error{
		"fits":  os.WriteFile(at("fits"), []byte(strings.Repeat("x", 10)), 0o600),
		"large": os.WriteFile(at("large"), []byte(strings.Repeat("x", 11)), 0o600),
		"link":  os.Symlink(at("fits"), at("link")),
		"pipe":  syscall.Mkfifo(at("pipe"), 0o600),
		"dir":   os.Mkdir(at("dir"), 0o700),
		"none":  nil,
	} {
		if do != nil {
			t.Fatal(do)
		}
		raw, err := ReadSmall(at(name), 10)
		if ok := name == "fits"; (err == nil) != ok || (len(raw) == 10) != ok {
			t.Errorf("%s: got %d bytes, %v", name, len(raw), err)
		}
	}
}
