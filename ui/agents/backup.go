package agents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"vise/store/files"
)

// backup is what a file was like before vise was put into it. It is kept for the user, not in a home: settings
// that vise has edited for two homes are restored to what they were before both.
type backup struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before"`
	// After is the hash of what vise made of it.
	After string `json:"after"`
}

// backups is where they lie.
func (o Options) backups() string {
	return o.dir("XDG_STATE_HOME", ".local/state", "vise", "install")
}

func (o Options) backupPath(path string) string {
	return filepath.Join(o.backups(), sum([]byte(path))[:16]+".json")
}

func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// recall is the backup of a file; the zero one where there is none.
func recall(o Options, path string) (b backup, err error) {
	raw, err := files.ReadSmall(o.backupPath(path), 2*maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
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

// renewed is the backup of a file as it is now, of which vise's entries are no part. One that vise
// wrote last has its backup.
func (b backup) renewed(t target, now []byte) backup {
	if b.After != "" && b.After == sum(now) {
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

// keep writes the backup of a file that is about to change.
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
	b.Path, b.After = c.path, sum(c.after)
	return errors.Join(writeJSON(o.madePath(), dirs), writeJSON(o.backupPath(c.path), b))
}

// forget removes a backup, and the directories that were made for settings and are empty now.
func (c change) forget(o Options) {
	_ = os.Remove(o.backupPath(c.path)) // one that stays is of a file that has changed
	dirs := o.madeDirs()
	if left, _ := os.ReadDir(o.backups()); len(left) == 1 && left[0].Name() == filepath.Base(o.madePath()) {
		_ = os.Remove(o.madePath())
		dirs = append(dirs, o.backups(), filepath.Dir(o.backups()))
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) }) // the inner ones first
	for _, dir := range dirs {
		_ = os.Remove(dir) // one that holds something stays
	}
}

// madePath is the file that lists the directories that installations made.
func (o Options) madePath() string { return filepath.Join(o.backups(), "directories.json") }

func (o Options) madeDirs() (dirs []string) {
	raw, _ := files.ReadSmall(o.madePath(), maxState) // what is not known stays
	_ = json.Unmarshal(raw, &dirs)
	return dirs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isOfHome reports whether what is taken out of a file was put there for the home.
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

// isBlank reports whether a file of settings says nothing.
func isBlank(raw []byte) bool {
	s := strings.TrimSpace(string(raw))
	return s == "" || s == "{}"
}
