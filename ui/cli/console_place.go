package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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

// The version of the file, and how many terminals it keeps: those used last.
const (
	placeVersion   = 1
	placeTerminals = 20
)

func newPlaces(home string, getenv func(string) string, now func() time.Time) *places {
	return &places{path: statePath(home, "state.json"), terminal: terminalOf(getenv), now: now}
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
	all := m.read().Terminals
	kept, ok := all[m.terminal]
	for _, x := range all {
		if _, own := all[m.terminal]; !own && x.At.After(kept.At) {
			kept, ok = x, true
		}
	}
	if !ok {
		return nil
	}
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
