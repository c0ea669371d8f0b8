package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vise/model"
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
