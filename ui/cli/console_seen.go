package cli

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

// seenPlans keeps each plan as the operator saw it last, a file an item in the home's state
// directory, so that a console of the next day can say what changed. A file that is lost, too
// large or no file is as good as none.
type seenPlans struct{ dir string }

// Bounds: plans that were looked at longest ago are forgotten first.
const (
	mostSeen    = 256
	largestSeen = 512 << 10
)

func newSeenPlans(home string) seenPlans { return seenPlans{statePath(home, "looked")} }

// Seen is part of console.SeenPlans.
func (s seenPlans) Seen(_ context.Context, id model.ItemID) (model.Text, bool) {
	path, ok := s.path(id)
	if !ok {
		return "", false
	}
	raw, err := files.ReadSmall(path, largestSeen)
	return model.Text(raw), err == nil
}

// Keep is part of console.SeenPlans.
func (s seenPlans) Keep(_ context.Context, id model.ItemID, text model.Text) error {
	path, ok := s.path(id)
	raw := []byte(text.Raw()) // raw: to a file, not shown
	if !ok || len(raw) > largestSeen {
		return nil
	}
	if err := writeStateRaw(path, raw); err != nil {
		return err
	}
	s.forget()
	return nil
}

// forget removes the files that are beyond the bound.
func (s seenPlans) forget() {
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) <= mostSeen {
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
	for _, info := range all[min(mostSeen, len(all)):] {
		_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next Look tries again
	}
}

func (s seenPlans) path(id model.ItemID) (string, bool) {
	name := string(id)
	if name == "" || len(name) > 128 || strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
		return "", false
	}
	return filepath.Join(s.dir, name+".md"), true
}
