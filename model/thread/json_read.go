package thread

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"vise/model"
)

// object is a JSON object as it was read: nil, bool, json.Number, string, []any or object
// by key. Numbers keep their spelling, so that what is not ours is written back as it was.
type object = map[string]any

// readObject reads one JSON object. It refuses, as damaged, what two readers could
// understand differently: keys that are equal or differ in case only, bytes that are not
// UTF-8, text after the object; and what is too large or too deep to be a thread.
func readObject(raw []byte) (object, error) {
	if len(raw) > MaxFileBytes {
		return nil, damaged("it has %d bytes, more than %d", len(raw), MaxFileBytes)
	}
	if !utf8.Valid(raw) {
		return nil, damaged("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, damaged("text follows the JSON value")
	}
	o, ok := v.(object)
	if !ok {
		return nil, damaged("it is not a JSON object")
	}
	return o, nil
}

func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, damaged("it is nested more than %d deep", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, damaged("it is not JSON").Because(err)
	}
	switch t {
	case json.Delim('{'):
		return readMembers(d, depth)
	case json.Delim('['):
		return readItems(d, depth)
	}
	return t, nil
}

func readMembers(d *json.Decoder, depth int) (any, error) {
	o, folded := object{}, map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, damaged("it is not JSON").Because(err)
		}
		key, ok := t.(string)
		if !ok {
			return nil, damaged("a key is not a string")
		}
		if f := strings.ToLower(key); folded[f] {
			return nil, damaged("the key %q is there twice, or in two cases", model.Text(key))
		} else {
			folded[f] = true
		}
		if o[key], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	return o, closing(d)
}

func readItems(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, closing(d)
}

func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return damaged("it is not JSON").Because(err)
	}
	return nil
}

func damaged(format string, args ...any) *model.Error {
	return model.Refuse(model.CodeDamaged, format, args...)
}
