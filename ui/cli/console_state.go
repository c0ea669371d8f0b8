package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

// The console keeps its own state in small JSON files in the home's state directory.

// maxState is the largest such file, in bytes. A larger file was not written by vise.
const maxState = 4 << 20

func statePath(home string, names ...string) string {
	return filepath.Join(append([]string{home, "state"}, names...)...)
}

// readState reads a file of the state directory into what into points to.
func readState(path string, into any) error {
	raw, err := files.ReadSmall(path, maxState)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// writeState replaces a file of the state directory.
func writeState(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeStateRaw(path, raw)
}

func writeStateRaw(path string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(path, raw)
}

// drafts keep the text of dialogs that were closed without saving, in one file of the home's state directory. Two consoles share the file:
// for each key, the last save wins.
type drafts struct {
	path string
	mu   sync.Mutex // one read and write of the file at a time
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
	if err := readState(d.path, &all); err != nil && !files.IsGone(err) {
		return nil, fmt.Errorf("drafts %s: %w", d.path, err)
	}
	return all, nil
}

// places keep where the operator was in each terminal, in a file of the home's state directory. A file that cannot be read counts as
// missing.
type places struct {
	path, terminal string
	now            func() time.Time
	mu             sync.Mutex // one read and write of the file at a time
}

// placeFile is the content of the file.
type placeFile struct {
	Version   int                  `json:"version"`
	Terminals map[string]keptPlace `json:"terminals"`
}

type keptPlace struct {
	At    time.Time    `json:"at"`
	Place console.Memo `json:"place"`
}

// The version of the file, and how many terminals it keeps: the last used ones.
const (
	placeVersion   = 1
	placeTerminals = 20
)

func newPlaces(home string, getenv func(string) string, now func() time.Time) *places {
	return &places{path: statePath(home, "state.json"), terminal: terminalOf(getenv), now: now}
}

// terminalOf returns the name of the terminal's session. The innermost program that has a name for the session gives it.
func terminalOf(getenv func(string) string) string {
	for _, names := range [][]string{
		{"TMUX_PANE", "TMUX"}, {"WINDOW", "STY"}, {"ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME"}, {"KITTY_WINDOW_ID", "KITTY_PID"},
		{"WEZTERM_PANE"},
		{"ITERM_SESSION_ID"}, {"TERM_SESSION_ID"}, {"WT_SESSION"}, {"SSH_TTY"},
	} {
		if getenv(names[0]) == "" {
			continue
		}
		parts := make([]string, len(names))
		for i, name := range names {
			parts[i] = getenv(name)
		}
		return names[0] + ":" + strings.Join(parts, ":")
	}
	return "terminal"
}

// last returns the last place of this terminal, else the place that was kept last, with the last key of any terminal. It is nil if there is
// none.
func (m *places) last() *console.Memo {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read().Terminals
	kept, ok := all[m.terminal]
	var key time.Time
	for _, x := range all {
		if x.Place.LastKey.After(key) {
			key = x.Place.LastKey
		}
		if _, own := all[m.terminal]; !own && x.At.After(kept.At) {
			kept, ok = x, true
		}
	}
	if !ok {
		return nil
	}
	kept.Place.LastKey = key
	return &kept.Place
}

// Keep is part of console.Keeper.
func (m *places) Keep(_ context.Context, place console.Memo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read()
	all.Version = placeVersion
	all.Terminals[m.terminal] = keptPlace{m.now().UTC(), place}
	names := slices.SortedFunc(maps.Keys(all.Terminals), func(a, b string) int {
		return cmp.Or(all.Terminals[b].At.Compare(all.Terminals[a].At), cmp.Compare(a, b))
	})
	for _, name := range names[min(len(names), placeTerminals):] {
		delete(all.Terminals, name)
	}
	return writeState(m.path, all)
}

func (m *places) read() placeFile {
	var all placeFile
	if err := readState(m.path, &all); err != nil || all.Version != placeVersion || all.Terminals == nil {
		return placeFile{Terminals: map[string]keptPlace{}}
	}
	return all
}

// edits are the files that the operator's editor works on: copies in the home's state directory, where no agent writes. A copy stays
// until its edit is carried out, so that the operator's text is never lost.
type edits struct {
	*home.Home
	dir string
}

func newEdits(h *home.Home) edits { return edits{h, filepath.Join(h.Dir(), "state", "edits")} }

// largestEdit is the most that is read back, in bytes.
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
	raw, err := files.ReadSmall(path, largestEdit)
	return string(raw), err
}

// Drop is part of console.EditBuffers.
func (p edits) Drop(_ context.Context, path string) { _ = os.Remove(path) }

// SaveCopy is part of console.EditBuffers.
func (p edits) SaveCopy(_ context.Context, agent model.AgentID, id model.ItemID, text string) (string, error) {
	return p.Files().SaveCopy(agent, id, []byte(text))
}

// seenPlans keeps each plan as the operator last saw it, one file for each item in the home's state directory. A later console can then
// show what changed. A file that is missing, too large or not regular counts as never seen.
type seenPlans struct{ dir string }

// Limits: the plans that were shown longest ago are forgotten first.
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

// forget removes the files beyond the limits.
func (s seenPlans) forget() {
	entries, err := files.ReadDir(s.dir)
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
		_ = os.Remove(filepath.Join(s.dir, info.Name())) // the next call tries again
	}
}

func (s seenPlans) path(id model.ItemID) (string, bool) {
	name := string(id)
	if name == "" || len(name) > 128 || strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
		return "", false
	}
	return filepath.Join(s.dir, name+".md"), true
}
