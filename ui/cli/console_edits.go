package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
)

// edits are the files that the operator's editor works on: copies in the home's state
// directory, where no agent writes. One that was not carried out stays, so that no word
// of the operator's is ever lost.
type edits struct {
	home *home.Home
	dir  string
}

func newEdits(h *home.Home) edits { return edits{h, filepath.Join(h.Dir(), "state", "edits")} }

// largestEdit bounds what is read back, in bytes.
const largestEdit = model.MaxPlanBytes

// Copy is part of console.EditBuffers.
func (p edits) Copy(_ context.Context, name, text string) (string, error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(p.dir, strings.ReplaceAll(name, "*", "")+"-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// Read is part of console.EditBuffers.
func (p edits) Read(_ context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > largestEdit || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s has %d bytes; at most %d are taken", path, info.Size(), largestEdit)
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// Drop is part of console.EditBuffers.
func (p edits) Drop(_ context.Context, path string) { _ = os.Remove(path) }

// SavePlan is part of console.EditBuffers.
func (p edits) SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error {
	return p.home.SavePlan(ctx, agent, id, base, text)
}

// Beside is part of console.EditBuffers.
func (p edits) Beside(_ context.Context, agent model.AgentID, id model.ItemID, text string) (string, error) {
	return p.home.Files().SaveBeside(agent, id, []byte(text))
}

// seenPlans keeps each plan as the operator saw it last, a file an item in the home's state
// directory, so that a console of the next day can say what changed. A file that is lost, too
// large or no file is as good as none.
type seenPlans struct{ dir string }

// Bounds: plans that were shown longest ago are forgotten first.
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
		_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next one tries again
	}
}

func (s seenPlans) path(id model.ItemID) (string, bool) {
	name := string(id)
	if name == "" || len(name) > 128 || strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
		return "", false
	}
	return filepath.Join(s.dir, name+".md"), true
}
