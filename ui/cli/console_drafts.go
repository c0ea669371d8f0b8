package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// drafts keep what was typed into dialogs that were closed without saving, in one file of
// the home's state directory. Two consoles share it: the one that saves last wins a key.
type drafts struct {
	path string
	mu   sync.Mutex // one reading and writing of the file at a time
}

func newDrafts(home string) *drafts { return &drafts{path: statePath(home, "drafts.json")} }

// Load is part of console.Drafts.
func (d *drafts) Load(context.Context) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read()
}

// Save is part of console.Drafts.
func (d *drafts) Save(_ context.Context, key, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, err := d.read()
	if err != nil {
		return err
	}
	all[key] = text
	if text == "" {
		delete(all, key)
	}
	return writeState(d.path, all)
}

func (d *drafts) read() (map[string]string, error) {
	all := map[string]string{}
	if err := readState(d.path, &all); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("drafts %s: %w", d.path, err)
	}
	return all, nil
}
