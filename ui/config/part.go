package config

import (
	"bytes"
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// ReadPart decodes the part called name of the file at path into what into points to, which keeps
// what is not given. Without the file, or the part in it, into is as before. A field that into
// does not have is an error; other parts are checked by those who read them.
func ReadPart(path, name string, into any) error {
	raw, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return decodePart(raw, name, into)
}

// decodePart is ReadPart on what a file holds.
func decodePart(raw []byte, name string, into any) error {
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
