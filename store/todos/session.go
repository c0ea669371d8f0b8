package todos

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vise/store/files"
)

// Session is one todos directory, opened as a root that nothing leaves.
type Session struct {
	// Repo is the repository's directory, Rel the todos directory below it, with slashes:
	// "tmp/reviews/abc123/todos".
	Repo, Rel string
	root      *os.Root
	// at is called between the steps of a write; sync makes a file durable.
	at   func(step string)
	sync func(*os.File) error
}

// Sentinels of a session, for errors.Is.
var (
	ErrNoSession = errors.New("no session context found")
	ErrGone      = errors.New("the session's directory was removed")
	ErrOutside   = errors.New("a session lies below tmp/ of its repository")
)

// RepoOf is the repository around a directory: the nearest with .git, else the directory.
func RepoOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Normalize turns what a person may pass (a session's directory or its todos directory,
// absolute or relative to repo) into the path of a todos directory below repo.
func Normalize(repo, dir string) (string, error) {
	rel := dir
	if filepath.IsAbs(dir) {
		var err error
		if rel, err = filepath.Rel(repo, dir); err != nil {
			return "", fmt.Errorf("session %q: %w", dir, ErrOutside)
		}
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if rel != "todos" && path.Base(rel) != "todos" {
		rel = path.Join(rel, "todos")
	}
	parts := strings.Split(rel, "/")
	if rel != "todos" && (parts[0] != "tmp" || len(parts) < 3 || len(parts) > 4) {
		return "", fmt.Errorf("session %q: %w, as tmp/WORKFLOW/ID", dir, ErrOutside)
	}
	for _, p := range parts {
		if !plainName(p) {
			return "", fmt.Errorf("session %q: the name %q is not plain", dir, p)
		}
	}
	return rel, nil
}

func plainName(s string) bool {
	if s == "" || s[0] == '.' || s[0] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
	})
}

// Open opens the todos directory rel of a repository. It refuses a link anywhere below repo.
func Open(repo, rel string) (*Session, error) {
	return open(repo, rel, false)
}

// OpenNew opens a todos directory and makes it when it is missing.
func OpenNew(repo, rel string) (*Session, error) {
	return open(repo, rel, true)
}

func open(repo, rel string, create bool) (*Session, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return nil, fmt.Errorf("repository: %w", err)
	}
	for part := range strings.SplitSeq(rel, "/") {
		next, err := files.Below(root, part, create)
		root.Close()
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", rel, err)
		}
		root = next
	}
	return &Session{Repo: repo, Rel: rel, root: root, at: func(string) {}, sync: (*os.File).Sync}, nil
}

// Close releases the directory.
func (s *Session) Close() error { return s.root.Close() }

// Path is the absolute path of the todos directory, for people and watchers.
func (s *Session) Path() string { return filepath.Join(s.Repo, filepath.FromSlash(s.Rel)) }

// Name is how other sessions speak of this one: its path without tmp and todos.
func (s *Session) Name() string {
	return strings.TrimSuffix(strings.TrimPrefix(s.Rel, "tmp/"), "/todos")
}

// Workflow and ID are the parts of Rel: "reviews" and "abc123".
func (s *Session) Workflow() string {
	w, _, _ := strings.Cut(s.Name(), "/")
	return w
}

// ID is the session's own name within its workflow.
func (s *Session) ID() string { return path.Base(s.Name()) }
