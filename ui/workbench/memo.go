package workbench

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

// memos keep where the operator was, one memo for each terminal, in a file of the home's
// state directory. A file that cannot be read is as good as none.
type memos struct {
	path, terminal string
	now            func() time.Time
	mu             sync.Mutex // one reading and writing of the file at a time
}

// memoFile is the file as it is written.
type memoFile struct {
	Version   int                 `json:"version"`
	Terminals map[string]memoKept `json:"terminals"`
}

type memoKept struct {
	At    time.Time    `json:"at"`
	Place console.Memo `json:"place"`
}

// Bounds of the file: the terminals used last are kept, and a file that is larger is not ours.
const (
	memoVersion   = 1
	memoTerminals = 20
	maxMemoFile   = 4 << 20
)

func newMemos(home string, getenv func(string) string, now func() time.Time) *memos {
	return &memos{path: filepath.Join(home, "state", "state.json"), terminal: terminalOf(getenv), now: now}
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
func (m *memos) last() *console.Memo {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read()
	if kept, ok := all.Terminals[m.terminal]; ok {
		return &kept.Place
	}
	var newest *memoKept
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
func (m *memos) Keep(_ context.Context, place console.Memo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.read()
	all.Version = memoVersion
	all.Terminals[m.terminal] = memoKept{m.now().UTC(), place}
	names := make([]string, 0, len(all.Terminals))
	for name := range all.Terminals {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(all.Terminals[b].At.Compare(all.Terminals[a].At), cmp.Compare(a, b))
	})
	for _, name := range names[min(len(names), memoTerminals):] {
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

func (m *memos) read() memoFile {
	none := memoFile{Terminals: map[string]memoKept{}}
	info, err := os.Stat(m.path)
	if err != nil || info.Size() > maxMemoFile || info.Mode()&fs.ModeType != 0 {
		return none
	}
	raw, err := os.ReadFile(m.path)
	var all memoFile
	if err != nil || json.Unmarshal(raw, &all) != nil || all.Version != memoVersion || all.Terminals == nil {
		return none
	}
	return all
}
