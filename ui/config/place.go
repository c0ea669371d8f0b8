package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// maxFile bounds a file, in bytes: far more than a person writes by hand.
const maxFile = 256 << 10

// Place is where the configuration is. File and directory can be missing.
type Place struct {
	// File is the path of config.yaml. Themes is the directory of the NAME.yaml files. Both are absolute.
	File, Themes string
}

// PlaceOf returns the place that the environment names: below $XDG_CONFIG_HOME, or else ~/.config.
func PlaceOf(getenv func(string) string) (Place, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := getenv("HOME")
		if home == "" {
			var err error
			if home, err = os.UserHomeDir(); err != nil {
				return Place{}, err
			}
		}
		dir = filepath.Join(home, ".config")
	}
	dir = filepath.Join(dir, "vise")
	return Place{File: filepath.Join(dir, "config.yaml"), Themes: filepath.Join(dir, "themes")}, nil
}

// ReadFile reads a regular file of at most maxFile bytes of UTF-8. It does not block on a pipe.
func ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return nil, p.Err
		}
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a directory, not a file")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it has %d bytes; %d are read at most", info.Size(), maxFile)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxFile:
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	case !utf8.Valid(raw):
		return nil, errors.New("it is not UTF-8 text")
	}
	return raw, nil
}
