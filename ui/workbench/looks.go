package workbench

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vise/model"
	"vise/store/files"
)

// looks keep each plan as the operator saw it last, a file an item in the home's state
// directory, so that a console of the next day can say what changed. A file that is lost, too
// large or no file is as good as none.
type looks struct{ dir string }

// Bounds: plans that were looked at longest ago are forgotten first.
const (
	mostLooks   = 256
	largestLook = 512 << 10
)

func newLooks(home string) looks { return looks{filepath.Join(home, "state", "looked")} }

// Looked is part of console.Looks.
func (l looks) Looked(_ context.Context, id model.ItemID) (model.Text, bool) {
	path, ok := l.path(id)
	if !ok {
		return "", false
	}
	raw, err := files.ReadSmall(path, largestLook)
	return model.Text(raw), err == nil
}

// Look is part of console.Looks.
func (l looks) Look(_ context.Context, id model.ItemID, text model.Text) error {
	path, ok := l.path(id)
	raw := []byte(text.Raw()) // raw: to a file, not shown
	if !ok || len(raw) > largestLook {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	if err := files.WriteAtomic(path, raw); err != nil {
		return err
	}
	l.forget()
	return nil
}

// forget removes the files that are beyond the bound.
func (l looks) forget() {
	entries, err := os.ReadDir(l.dir)
	if err != nil || len(entries) <= mostLooks {
		return
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range all[min(mostLooks, len(all)):] {
		_ = os.Remove(filepath.Join(l.dir, info.Name())) // the next Look tries again
	}
}

func (l looks) path(id model.ItemID) (string, bool) {
	name := string(id)
	if name == "" || len(name) > 128 || strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
		return "", false
	}
	return filepath.Join(l.dir, name+".md"), true
}
