package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vise/store/files"
)

// maxThemes is how many files of the themes' directory are compared.
const maxThemes = 200

// settings are a configuration file and a directory of themes.
type settings struct{ file, themes string }

// Settings watches the operator's configuration and the themes beside it, however they change:
// saved by an editor, linked, created or removed. Neither path needs to exist. The state at the
// start is no news. Only the sweep finds a change in the target of a link.
func Settings(ctx context.Context, file, themes string) *Changes {
	s := settings{file, themes}
	return watchPrint(ctx, s.dirs, s.print)
}

// dirs are the directories in which a change matters. If one does not exist, its nearest
// existing parent takes its place.
func (s settings) dirs() []string {
	var out []string
	for _, d := range []string{filepath.Dir(s.file), s.themes} {
		for d != filepath.Dir(d) {
			if info, err := os.Stat(d); err == nil && info.IsDir() {
				break
			}
			d = filepath.Dir(d)
		}
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// print differs between two states of the files, by their size, times and mode.
func (s settings) print() string {
	var b strings.Builder
	b.WriteString(printOf(s.file))
	d, err := files.OpenDir(s.themes)
	if err != nil {
		return b.String()
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxThemes)
	slices.Sort(names)
	for _, n := range names {
		b.WriteString(printOf(filepath.Join(s.themes, n)))
	}
	return b.String()
}

// printOf differs between two states of a file.
func printOf(path string) string { return fmt.Sprintln(path, files.StatPath(path)) }
