package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"vise/model"
	"vise/store/files"
)

// Options say for whom and how.
type Options struct {
	Program string
	// Agent is whom the program works as; empty: the program's name.
	Agent string
	// Vise is the command that the program is told to call.
	Vise string
	// Home keeps what a file was like before, so that it can be restored to the byte; empty
	// keeps nothing.
	Home      string
	Uninstall bool
	DryRun    bool
	// AskReport has the Stop hook ask once for a report that is missing.
	AskReport bool
	// Version is what the program says of its version; empty where that is not known.
	Version string
	Getenv  func(string) string
}

// Result is what was done, or would be.
type Installed struct {
	Program string          `json:"program"`
	Agent   string          `json:"agent_id"`
	DryRun  bool            `json:"dry_run,omitempty"`
	Files   []InstalledFile `json:"files"`
	Notes   []string        `json:"notes,omitempty"`
}

// File is one file of a program's settings.
type InstalledFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	// Diff is the change, in unified form.
	Diff string `json:"diff,omitempty"`
}

// target is a file and how vise is put into it, or removed from it. edit gets nil for a file
// that is missing, and returns nil for one that should be.
type target struct {
	path string
	edit func(before []byte, remove bool) (after []byte, note string, err error)
}

// Run edits a program's settings: all files or, if one of them cannot be edited, none.
func Install(o Options) (Installed, error) {
	if o.Agent == "" {
		o.Agent = o.Program
	}
	list, err := o.settings()
	if err != nil {
		return Installed{}, err
	}
	out := Installed{Program: o.Program, Agent: o.Agent, DryRun: o.DryRun, Files: []InstalledFile{}}
	if note := programOf(o.Program).note; note != "" {
		out.Notes = append(out.Notes, note)
	}
	var changes []change
	for _, t := range list {
		c, note, err := plan(o, t)
		if err != nil {
			return Installed{}, err
		}
		if note != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", c.path, note))
		}
		out.Files = append(out.Files, InstalledFile{Path: c.path, Changed: c.changed(), Diff: string(diff.Diff(c.path, c.before, c.path, c.after))})
		changes = append(changes, c)
	}
	if o.DryRun {
		return out, nil
	}
	return out, writeAll(o, changes)
}

// writeAll writes all changes or, if one cannot be, none.
func writeAll(o Options, all []change) error {
	for _, c := range all {
		if err := c.possible(); err != nil {
			return err
		}
	}
	for i, c := range all {
		if err := c.write(o); err != nil {
			for _, done := range all[:i] {
				err = errors.Join(err, done.undone().put())
			}
			return err
		}
	}
	return nil
}

// change is what a file was and will be; existed and stays tell an empty file from none.
type change struct {
	path           string
	before, after  []byte
	existed, stays bool
}

func (c change) changed() bool { return c.existed != c.stays || string(c.before) != string(c.after) }

func plan(o Options, t target) (change, string, error) {
	path, before, existed, err := read(t.path)
	if err != nil {
		return change{}, "", err
	}
	c := change{path: path, before: before, existed: existed}
	if b, ok := recall(o.Home, path); o.Uninstall && ok && b.After == sum(before) {
		c.after, c.stays = b.Before, b.Existed
		return c, "", nil
	}
	if o.Uninstall && !existed {
		return c, "", nil
	}
	after, note, err := t.edit(before, o.Uninstall)
	c.after, c.stays = after, after != nil
	return c, note, refusal(path, err)
}

func refusal(path string, err error) error {
	if err == nil {
		return nil
	}
	return model.Refuse(model.CodeRefused, "%s cannot be edited: %s", model.Text(path), model.Text(err.Error())).
		WithHint("repair the file first; nothing was changed")
}

// maxSettings bounds a settings file.
const maxSettings = 16 << 20

// read reads a settings file through the links that lead to it.
func read(path string) (real string, raw []byte, existed bool, err error) {
	real, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, false, nil
	}
	if err != nil {
		return path, nil, false, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return real, nil, false, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return real, nil, false, refusal(real, errors.New("it is no settings file"))
	}
	if info.Mode().Perm()&0o200 == 0 {
		return real, nil, false, refusal(real, errors.New("it is read-only"))
	}
	raw, err = os.ReadFile(real)
	return real, raw, true, err
}

// possible reports whether the file's directory takes a new file, or can be made.
func (c change) possible() error {
	if !c.changed() {
		return nil
	}
	dir := filepath.Dir(c.path)
	for {
		f, err := os.CreateTemp(dir, ".vise-*")
		if err == nil {
			f.Close()
			return os.Remove(f.Name())
		}
		if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
			dir = up
			continue
		}
		return model.Refuse(model.CodeRefused, "%s cannot be written: %s takes no file of yours", model.Text(c.path), model.Text(dir)).Because(err).
			WithHint("make the directory writable for you; nothing was changed")
	}
}

// undone is the change back.
func (c change) undone() change {
	return change{path: c.path, before: c.after, after: c.before, existed: c.stays, stays: c.existed}
}

func (c change) write(o Options) error {
	if !c.changed() {
		return nil
	}
	if err := remember(o, c); err != nil {
		return err
	}
	return c.put()
}

func (c change) put() error {
	if !c.changed() {
		return nil
	}
	if !c.stays {
		return os.Remove(c.path)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	return files.WriteAtomic(c.path, c.after)
}

// backup is what a file was like before vise was put into it.
type backup struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  []byte `json:"before"`
	// After is the hash of what vise made of it.
	After string `json:"after"`
}

func backupPath(home, path string) string {
	return filepath.Join(home, "state", "install", sum([]byte(path))[:16]+".json")
}

func sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

func recall(home, path string) (backup, bool) {
	if home == "" {
		return backup{}, false
	}
	raw, err := os.ReadFile(backupPath(home, path))
	var b backup
	return b, err == nil && json.Unmarshal(raw, &b) == nil && b.Path == path
}

// remember keeps what the file was like before the first of a row of installations, and
// forgets it with the uninstallation. Without a home nothing is kept.
func remember(o Options, c change) error {
	if _, err := os.Stat(o.Home); o.Home == "" || err != nil {
		return nil
	}
	path := backupPath(o.Home, c.path)
	if o.Uninstall {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, ok := recall(o.Home, c.path)
	if !ok || b.After != sum(c.before) {
		b = backup{Path: c.path, Existed: c.existed, Before: c.before}
	}
	b.After = sum(c.after)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return files.WriteAtomic(path, raw)
}
