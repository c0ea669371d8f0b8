package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"vise/model"
	"vise/store/files"
)

// backup holds a file's content from before vise was added. It is kept for the user, not in a home: settings that vise has edited for two
// homes are restored to their content before both.
type backup struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before"`
	// After is the hash of the file as vise wrote it.
	After string `json:"after"`
}

// backups returns the directory of the backups.
func (o Options) backups() string {
	return o.dir("XDG_STATE_HOME", ".local/state", "vise", "install")
}

func (o Options) backupPath(path string) string {
	return filepath.Join(o.backups(), model.Hash(path)[:16]+".json")
}

// recall reads the backup of a file; without one it returns the zero value.
func recall(o Options, path string) (b backup, err error) {
	raw, err := files.ReadSmall(o.backupPath(path), 2*maxSettings)
	if files.IsGone(err) {
		return backup{}, nil
	}
	if err != nil {
		return b, refusal(o.backupPath(path), err)
	}
	if json.Unmarshal(raw, &b) != nil || b.Path != path {
		return backup{}, nil
	}
	if b.Existed && b.Before == nil {
		b.Before = []byte{}
	}
	return b, nil
}

// renewed returns a backup of the file's current content without vise's entries. If vise was the last to write the file, the existing
// backup stays.
func (b backup) renewed(t target, now []byte) backup {
	if b.After != "" && b.After == model.Hash(string(now)) {
		return b
	}
	existed := now != nil
	if bytes.Contains(now, []byte("vise")) {
		if clean, _, err := t.edit(now, true); err == nil && !bytes.Equal(clean, now) {
			existed = b.Existed || !isBlank(clean)
			now = clean
		}
	}
	if b.Existed = existed; !existed {
		now = nil
	}
	b.Before = now
	return b
}

// keep writes the backup of a file before the file changes.
func (c change) keep(o Options) error {
	if o.Uninstall || !c.changes() {
		return nil
	}
	dirs := o.madeDirs()
	for _, dir := range []string{filepath.Dir(c.path), o.backups()} {
		for ; !exists(dir) && !slices.Contains(dirs, dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	b := c.was
	b.Path, b.After = c.path, model.Hash(string(c.after))
	return errors.Join(writeJSON(o.madePath(), dirs), writeJSON(o.backupPath(c.path), b))
}

// forget removes a backup. It also removes the directories that vise made for settings, if they are empty.
func (c change) forget(o Options) {
	_ = os.Remove(o.backupPath(c.path)) // a backup that cannot be removed belongs to a file that has changed
	dirs := o.madeDirs()
	if left, _ := os.ReadDir(o.backups()); len(left) == 1 && left[0].Name() == filepath.Base(o.madePath()) {
		_ = os.Remove(o.madePath())
		dirs = append(dirs, o.backups(), filepath.Dir(o.backups()))
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) }) // inner directories first
	for _, dir := range dirs {
		_ = os.Remove(dir) // fails if the directory is not empty
	}
}

// madePath is the path of the file that lists the directories that installations made.
func (o Options) madePath() string { return filepath.Join(o.backups(), "directories.json") }

func (o Options) madeDirs() (dirs []string) {
	raw, _ := files.ReadSmall(o.madePath(), maxState) // directories that are not in the list stay
	_ = json.Unmarshal(raw, &dirs)
	return dirs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isOfHome reports whether the removed entries had been added for this home.
func (o Options) isOfHome(c change) bool {
	names := func(word string) bool {
		whole := regexp.MustCompile(regexp.QuoteMeta(word) + `($|[^\w./-])`)
		return slices.ContainsFunc(strings.Split(string(diff.Diff("", c.before, "", c.after)), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "-") && whole.MatchString(line)
		})
	}
	if flags := o.flags(); slices.Contains(flags, "--home") {
		return names(o.Home)
	}
	return !names("--home")
}

// isBlank reports whether a settings file holds no settings.
func isBlank(raw []byte) bool {
	s := strings.TrimSpace(string(raw))
	return s == "" || s == "{}"
}
