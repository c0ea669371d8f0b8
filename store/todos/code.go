package todos

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxCode bounds what is read of a source file for a finding, in bytes.
const maxCode = 4 << 20

// Code reads a file of the session's repository, as a finding names it. What lies outside
// of the repository, is no regular file or is larger than 4 MiB is an error.
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
	c, err := readFile(root, path.Clean(filepath.ToSlash(name)), maxCode)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fs.ErrNotExist
	}
	return string(c.raw), err
}

// OpenAt opens the session whose todos directory is base, an absolute path as links keep it.
func OpenAt(base string) (*Session, error) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(base)), "/")
	n := len(parts)
	if !filepath.IsAbs(base) || n < 2 || parts[n-1] != "todos" {
		return nil, fmt.Errorf("todos directory %q: %w", base, ErrOutside)
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
	if _, err := Normalize(repo, rel); err != nil {
		return nil, err
	}
	return Open(repo, rel)
}
