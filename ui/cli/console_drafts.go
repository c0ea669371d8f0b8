package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"vise/store/files"
)

// drafts keep what was typed into dialogs that were closed without saving, in one file of
// the home's state directory. Two consoles share it: the one that saves last wins a key.
type drafts struct {
	path string
	mu   sync.Mutex // one reading and writing of the file at a time
}

// maxDrafts bounds the file, in bytes: a file that is larger is not ours.
const maxDrafts = 4 << 20

func newDrafts(home string) *drafts {
	return &drafts{path: filepath.Join(home, "state", "drafts.json")}
}

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
	if text == "" {
		delete(all, key)
	} else {
		all[key] = text
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(d.path, raw)
}

func (d *drafts) read() (map[string]string, error) {
	all := map[string]string{}
	info, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil && info.Size() > maxDrafts {
		err = fmt.Errorf("%s has more than %d bytes", d.path, maxDrafts)
	}
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(d.path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("drafts %s: %w", d.path, err)
	}
	return all, nil
}
