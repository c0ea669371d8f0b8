package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/store/files"
	"vise/ui/console"
)

// places keep where the operator was, one place for each terminal, in a file of the home's
// state directory. A file that cannot be read is as good as none.
type places struct {
	path, terminal string
	now            func() time.Time
	mu             sync.Mutex // one reading and writing of the file at a time
}

// placeFile is the file as it is written.
type placeFile struct {
	Version   int                  `json:"version"`
	Terminals map[string]keptPlace `json:"terminals"`
}

type keptPlace struct {
	At    time.Time    `json:"at"`
	Place console.Memo `json:"place"`
}

// Bounds of the file: the terminals used last are kept, and a file that is larger is not ours.
const (
	placeVersion   = 1
	placeTerminals = 20
	maxPlaceFile   = 4 << 20
)

func newPlaces(home string, getenv func(string) string, now func() time.Time) *places {
	return &places{path: filepath.Join(home, "state", "state.json"), terminal: terminalOf(getenv), now: now}
}

// terminalOf names the terminal's session: that of the innermost program that has a name
// for it.
func terminalOf(getenv func(string) string) string {
	for _, names := range [][]string{
		{"TMUX_PANE", "TMUX"}, {"WINDOW", "STY"}, {"ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME"}, {"KITTY_WINDOW_ID", "KITTY_PID"}, {"WEZTERM_PANE"},
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

// last is the place in this terminal, else the one that was kept last; nil without any.
func (m *places) last() *console.Memo {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read()
	if kept, ok := all.Terminals[m.terminal]; ok {
		return &kept.Place
	}
	var newest *keptPlace
	for _, kept := range all.Terminals {
		if newest == nil || kept.At.After(newest.At) {
			newest = &kept
		}
	}
	if newest == nil {
		return nil
	}
	return &newest.Place
}

// Keep is part of console.Keeper.
func (m *places) Keep(_ context.Context, place console.Memo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read()
	all.Version = placeVersion
	all.Terminals[m.terminal] = keptPlace{m.now().UTC(), place}
	names := make([]string, 0, len(all.Terminals))
	for name := range all.Terminals {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(all.Terminals[b].At.Compare(all.Terminals[a].At), cmp.Compare(a, b))
	})
	for _, name := range names[min(len(names), placeTerminals):] {
		delete(all.Terminals, name)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	return files.WriteAtomic(m.path, raw)
}

func (m *places) read() placeFile {
	none := placeFile{Terminals: map[string]keptPlace{}}
	info, err := os.Stat(m.path)
	if err != nil || info.Size() > maxPlaceFile || info.Mode()&fs.ModeType != 0 {
		return none
	}
	raw, err := os.ReadFile(m.path)
	var all placeFile
	if err != nil || json.Unmarshal(raw, &all) != nil || all.Version != placeVersion || all.Terminals == nil {
		return none
	}
	return all
}
