package todos

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Session is one todos directory, opened as a root that no access can leave.
type Session struct {
	// Repo is the repository's directory. Rel is the todos directory below it, with slashes: "tmp/reviews/abc123/todos".
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
	errOutside   = errors.New("a session lies at tmp/WORKFLOW/ID of its repository")
)

// RepoOf returns the repository around a directory: the nearest directory with .git, or dir itself.
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

// Normalize turns a session's directory or its todos directory, absolute or relative to repo, into the path of a todos directory below
// repo. Only with anywhere can it be outside tmp/WORKFLOW/ID.
func Normalize(repo, dir string, anywhere bool) (string, error) {
	rel := dir
	if filepath.IsAbs(dir) {
		var err error
		if rel, err = filepath.Rel(repo, dir); err != nil {
			return "", fmt.Errorf("session %q: %w", dir, errOutside)
		}
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if rel != "todos" && path.Base(rel) != "todos" {
		rel = path.Join(rel, "todos")
	}
	parts := strings.Split(rel, "/")
	if !anywhere && (parts[0] != "tmp" || len(parts) != 4) {
		return "", fmt.Errorf("session %q: %w", dir, errOutside)
	}
	for _, p := range parts {
		if !plainName(p) {
			return "", fmt.Errorf("session %q: the name %q is not plain", dir, p)
		}
	}
	return rel, nil
}

func plainName(s string) bool {
	return model.IsName(s, model.LowerCase+model.UpperCase+model.Digits+"_", ".-")
}

// Open opens the todos directory rel of a repository. It refuses a symbolic link anywhere below repo.
func Open(repo, rel string) (*Session, error) {
	return open(repo, rel, false)
}

// OpenNew opens a todos directory, and creates it if it is missing.
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
			return nil, fmt.Errorf("session %s: %w", rel, plain(err))
		}
		root = next
	}
	return &Session{Repo: repo, Rel: rel, root: root, at: func(string) {}, sync: (*os.File).Sync}, nil
}

// Close releases the directory.
func (s *Session) Close() error { return s.root.Close() }

// Path returns the absolute path of the todos directory.
func (s *Session) Path() string { return filepath.Join(s.Repo, filepath.FromSlash(s.Rel)) }

// Name is the name by which other sessions refer to this one: its path without tmp and todos.
func (s *Session) Name() string { return nameOf(s.Rel) }

func nameOf(rel string) string { return strings.TrimSuffix(strings.TrimPrefix(rel, "tmp/"), "/todos") }

// OpenNamed opens the session with this Name.
func OpenNamed(repo, name string) (*Session, error) {
	found, err := Discover(repo)
	for _, f := range found {
		if nameOf(f.Rel) == nameOf(name) {
			return Open(repo, f.Rel)
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("session %q: %w", name, fs.ErrNotExist)
}

// ID returns the last part of Name: "abc123".
func (s *Session) ID() string { return path.Base(s.Name()) }

// lockName is the session's lock file. It is never replaced, and never deleted while the session exists. The name differs from the ".lock"
// that other tools create by hard link.
const lockName = ".vise.lock"

// lockLimit is how long a change waits for the lock. A change holds it for milliseconds.
const lockLimit = 5 * time.Second

// locked runs do while only this process can change the session.
func (s *Session) locked(do func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	f, err := files.LockBy(ctx, s.root, lockName, "the session")
	if model.AsError(err) != nil {
		return err
	}
	if err != nil {
		return s.gone(err)
	}
	defer f.Close()
	return do()
}

// maxCode bounds the size of a source file for a finding, in bytes.
const maxCode = 4 << 20

// Code reads a file of the session's repository that a finding names. A file outside the repository, one that is not regular, and one
// larger than 4 MiB are errors.
func (s *Session) Code(name string) (string, error) {
	root, err := os.OpenRoot(s.Repo)
	if err != nil {
		return "", fmt.Errorf("repository: %w", err)
	}
	defer root.Close()
	if filepath.IsAbs(name) {
		if name, err = filepath.Rel(s.Repo, name); err != nil {
			return "", fmt.Errorf("code: %w", err)
		}
	}
	c, err := readFile(root, path.Clean(filepath.ToSlash(name)), maxCode, nil)
	if files.IsGone(err) {
		return "", fs.ErrNotExist
	}
	return string(c.raw), err
}

// OpenAt opens the session whose todos directory is base, an absolute path as links keep it.
func OpenAt(base string) (*Session, error) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(base)), "/")
	n := len(parts)
	if !filepath.IsAbs(base) || n < 2 || parts[n-1] != "todos" {
		return nil, fmt.Errorf("todos directory %q: %w", base, errOutside)
	}
	from := n - 1
	switch {
	case n > 4 && parts[n-4] == "tmp":
		from = n - 4
	case n > 3 && parts[n-3] == "tmp":
		from = n - 3
	}
	repo, rel := strings.Join(parts[:from], "/"), strings.Join(parts[from:], "/")
	if repo == "" {
		repo = "/"
	}
	if _, err := Normalize(repo, rel, true); err != nil {
		return nil, err
	}
	return Open(repo, rel)
}

// Body reads the text below one todo's front matter as it is now, for a caller that shows few todos of many.
func (s *Session) Body(t todo.Todo) (string, error) {
	root, err := files.Below(s.root, t.Dir, false)
	if err != nil {
		return "", s.gone(err)
	}
	defer root.Close()
	_, c, err := readTodo(root, t.Dir, t.File, nil)
	if err != nil && !files.IsGone(err) {
		return "", fmt.Errorf("todo %s: %w", t.Ref(), asDamage(err))
	}
	doc, _ := split(string(c.raw))
	return doc.body, nil
}

// File is the path of a todo's file, for an editor.
func (s *Session) File(t todo.Todo) string { return filepath.Join(s.Path(), t.Dir, t.File) }
