package todos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"vise/model/todo"
	"vise/store/files"
)

// Found is a session in a repository.
type Found struct {
	Rel string `json:"session"`
	// Files is its number of todo files. Newest is when its newest directory last changed.
	Files  int       `json:"files"`
	Newest time.Time `json:"newest"`
	Active bool      `json:"active"`
}

// Discover lists the sessions of a repository that hold todo files: first those whose state file says active, then by time of change,
// newest first. It ignores symbolic links.
func Discover(repo string) ([]Found, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return nil, fmt.Errorf("repository: %w", err)
	}
	defer root.Close()
	active := map[string]bool{}
	for _, st := range readStates(root) {
		active[st.base()] = st.live()
	}
	var out []Found
	for _, rel := range candidates(root) {
		if f, ok := inspect(root, rel); ok {
			f.Active = active[rel]
			out = append(out, f)
		}
	}
	first := map[bool]int{true: 1}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(first[b.Active]-first[a.Active], b.Newest.Compare(a.Newest), cmp.Compare(b.Rel, a.Rel))
	})
	return out, nil
}

// OpenAll opens every session of a repository, newest first. It skips a session that has been removed meanwhile.
func OpenAll(repo string) ([]*Session, error) {
	found, err := Discover(repo)
	var all []*Session
	for _, f := range found {
		if s, err := Open(repo, f.Rel); err == nil {
			all = append(all, s)
		}
	}
	return all, err
}

// candidates returns the directories of the known layouts: tmp/*/todos, tmp/*/*/todos, todos.
func candidates(root *os.Root) []string {
	out := []string{"todos"}
	for _, w := range subdirs(root, "tmp") {
		if path.Base(w) == "todos" {
			continue
		}
		out = append(out, path.Join(w, "todos"))
		for _, id := range subdirs(root, w) {
			if path.Base(id) != "todos" {
				out = append(out, path.Join(id, "todos"))
			}
		}
	}
	return out
}

func subdirs(root *os.Root, dir string) []string {
	if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	var out []string
	list, _ := fs.ReadDir(root.FS(), dir)
	for _, d := range list {
		if d.IsDir() && plainName(d.Name()) {
			out = append(out, path.Join(dir, d.Name()))
		}
	}
	return out
}

func inspect(root *os.Root, rel string) (Found, bool) {
	f := Found{Rel: rel}
	for _, src := range subdirs(root, rel) {
		if info, err := root.Lstat(src); err == nil && info.ModTime().After(f.Newest) {
			f.Newest = info.ModTime()
		}
		dir, err := root.Open(src)
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(-1) // without a stat of each file
		dir.Close()
		for _, name := range names {
			if todo.IsTodoFile(name) {
				f.Files++
			}
		}
	}
	return f, f.Files > 0
}

// state is a workflow's state file, tmp/.rune-*.json.
type state struct {
	Status    string `json:"status"`
	TodosBase string `json:"todos_base"`
	// OwnerPID is a number, which most releases write as a string.
	OwnerPID json.RawMessage `json:"owner_pid"`
}

func (st state) base() string { return strings.Trim(path.Clean(st.TodosBase), "/") }

// live reports whether the state file says that the workflow runs.
func (st state) live() bool { return st.Status == "active" || st.Status == "running" }

const maxStateBytes = 1 << 20

// readStates reads the state files and skips those that cannot be read.
func readStates(root *os.Root) []state {
	tmp, err := files.Below(root, "tmp", false)
	if err != nil {
		return nil
	}
	defer tmp.Close()
	names, _ := fs.Glob(tmp.FS(), ".rune-*.json")
	var out []state
	for _, name := range names {
		c, err := readFile(tmp, name, maxStateBytes, nil)
		var st state
		if err == nil && json.Unmarshal(c.raw, &st) == nil && st.TodosBase != "" {
			out = append(out, st)
		}
	}
	return out
}

func (s *Session) state() (state, bool) {
	root, err := os.OpenRoot(s.Repo)
	if err != nil {
		return state{}, false
	}
	defer root.Close()
	for _, st := range readStates(root) {
		if st.base() == s.Rel {
			return st, true
		}
	}
	return state{}, false
}

// Life reports whether the workflow still runs, from the session's state file and the process that it names. host is this machine's name.
func (s *Session) Life(host string, alive todo.Probe) todo.SessionLife {
	life := todo.SessionLife{Exists: s.workSessionExists}
	st, ok := s.state()
	if !ok {
		return life
	}
	var pid int
	_, _ = fmt.Sscanf(strings.Trim(string(st.OwnerPID), `"`), "%d", &pid)
	switch {
	case !st.live():
		life.Gone = fmt.Sprintf("its workflow has ended (%q)", st.Status)
	case pid > 0 && alive != nil && alive(host, pid) == todo.Dead:
		life.Gone = fmt.Sprintf("its workflow's process %d has ended", pid)
	}
	return life
}

func (s *Session) workSessionExists(name string) bool {
	if !plainName(name) {
		return false
	}
	root, err := os.OpenRoot(s.Repo)
	if err != nil {
		return true
	}
	defer root.Close()
	_, err = root.Lstat(path.Join("tmp", "work", name))
	return !files.IsGone(err)
}

// Processes returns a probe for the processes of the machine named host. For other machines it answers Unknown.
func Processes(host string) todo.Probe {
	return func(h string, pid int) todo.Liveness {
		if h != host || pid <= 0 {
			return todo.Unknown
		}
		if !files.Running(pid) {
			return todo.Dead
		}
		return todo.Alive
	}
}
