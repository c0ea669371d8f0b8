// Package part reads one part of the configuration file, strictly, for those who need no more
// of it: the front that starts at once, and the drivers. It links the YAML decoder and
// nothing of the settings, schemas and themes of package config, which judges the whole file.
package part

import (
	"bytes"
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"vise/ui/config/place"
)

// Read decodes the part called name of the file at path into what into points to, which keeps
// what is not given. Without the file, or the part in it, into is as before. A field that into
// does not have is an error; other parts are judged by those who read them.
func Read(path, name string, into any) error {
	raw, err := place.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return decode(raw, name, into)
}

// decode is Read on what a file holds.
func decode(raw []byte, name string, into any) error {
	var file map[string]yaml.Node
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return err
	}
	node, ok := file[name]
	if !ok {
		return nil
	}
	one, err := yaml.Marshal(&node)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(one))
	d.KnownFields(true)
	return d.Decode(into)
}
