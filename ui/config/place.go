package config

import (
	"errors"
	"os"
	"path/filepath"
	"unicode/utf8"

	"vise/store/files"
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

// ReadFile reads a file of at most maxFile bytes of UTF-8, through links, which are the operator's own. real is the file that it read.
func ReadFile(path string) (real string, raw []byte, err error) {
	real, raw, err = files.ReadLinked(path, maxFile)
	if err == nil && !utf8.Valid(raw) {
		return real, nil, errors.New("it is not UTF-8 text")
	}
	return real, raw, err
}
