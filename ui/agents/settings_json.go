package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// entry is one of vise's entries in a JSON settings file: a member, or an element of a list.
type entry struct {
	at    []string
	value any
	// ours recognises vise's own element of the list at the path; nil if everything at the path is vise's.
	ours func(hujson.Value) bool
	// when says whether the entry should be present.
	when presence
}

// presence says whether a part of the settings should be present.
type presence int

const (
	toAdd presence = iota
	toRemove
	// toKeep keeps the current state.
	toKeep
)

// group is one entry of an event's list of hooks. It holds several commands, or in Crush's settings one, which is in the entry itself.
type group struct {
	Hooks   []command `json:"hooks,omitempty"`
	Name    string    `json:"name,omitempty"`
	Command string    `json:"command,omitempty"`
	Timeout int       `json:"timeout,omitempty"`
}

type command struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
	Async   bool     `json:"async,omitempty"`
	// AsyncRewake makes a background hook wake the session with exit code 2.
	AsyncRewake bool `json:"asyncRewake,omitempty"`
}

// jsonFile is a settings file with entries that are vise's.
func jsonFile(path string, entries ...entry) target {
	return target{path: path, edit: func(before []byte, remove bool) ([]byte, string, error) {
		d, err := parseJSON(before)
		if err != nil {
			return nil, "", err
		}
		for _, e := range entries {
			if err := d.apply(e, remove); err != nil {
				return nil, "", err
			}
		}
		after := d.root.Pack()
		if _, err := parseJSON(after); err != nil {
			return nil, "", fmt.Errorf("it would not read any more: %w", err)
		}
		return after, "", nil
	}}
}

// document is a JSON file that may contain comments and is edited in place. All bytes that are not part of vise's entries stay.
type document struct {
	root hujson.Value
	// unit is the file's own indentation.
	unit string
}

const byteOrderMark = "\xEF\xBB\xBF"

func parseJSON(raw []byte) (*document, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}\n")
	}
	raw = bytes.TrimPrefix(raw, []byte(byteOrderMark))
	v, err := hujson.Parse(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it holds no object")
	}
	d := &document{root: v, unit: "  "}
	if len(o.Members) > 0 {
		before := string(o.Members[0].Name.BeforeExtra)
		own := before[strings.LastIndexByte(before, '\n')+1:]
		if len(own) < len(before) && own != "" && strings.TrimSpace(own) == "" {
			d.unit = own
		}
	}
	return d, nil
}

func pointer(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return "/" + strings.Join(path, "/")
}

// decode reads a value that may contain comments.
func decode(v hujson.Value, to any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), to)
}

// apply sets an entry, or removes it.
func (d *document) apply(e entry, remove bool) error {
	path := e.at
	if e.ours != nil {
		i, n, err := d.placeOf(e)
		if err != nil && !remove {
			return err
		}
		if i < 0 {
			i = n
		}
		path = append(slices.Clip(path), strconv.Itoa(i))
	}
	isThere := d.root.Find(pointer(path)) != nil
	switch {
	case (remove || e.when == toRemove) && isThere && e.ours != nil:
		return errors.Join(d.remove(path), d.apply(e, remove)) // there may be several elements
	case remove || e.when == toRemove:
		return d.remove(path)
	case e.ours != nil && d.root.Find(pointer(e.at)) == nil:
		return d.set(e.at, []any{e.value})
	}
	return d.set(path, e.value)
}

// placeOf returns the index of the entry's element in its list, -1 if there is none, and the number of such elements.
func (d *document) placeOf(e entry) (i, n int, err error) {
	list := d.root.Find(pointer(e.at))
	if list == nil {
		return -1, 0, nil
	}
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return -1, 0, fmt.Errorf("%s is no list", strings.Join(e.at, "."))
	}
	return slices.IndexFunc(a.Elements, e.ours), len(a.Elements), nil
}

// set sets the value at a path and makes missing objects around it. A value that is already equal keeps its bytes.
func (d *document) set(path []string, value any) error {
	if parent := path[:len(path)-1]; d.root.Find(pointer(parent)) == nil {
		if err := d.set(parent, struct{}{}); err != nil {
			return err
		}
	}
	spelled := spell(value, strings.Repeat(d.unit, len(path)), d.unit)
	old := d.root.Find(pointer(path))
	if old == nil {
		return d.add(path, spelled)
	}
	var is, shall any
	if err := decode(*old, &is); err != nil {
		return err
	}
	_ = json.Unmarshal(spelled, &shall) // our own values always parse
	if reflect.DeepEqual(is, shall) {
		return nil
	}
	v, err := hujson.Parse(spelled)
	old.Value = v.Value
	return err
}

// spell writes a value without escapes for HTML. Its lines begin with an indentation, to which each level adds a unit.
func spell(value any, indentation, unit string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(indentation, unit)
	_ = e.Encode(value) // our own values always marshal
	return bytes.TrimSpace(b.Bytes())
}

// add appends a member or an element on its own line.
func (d *document) add(path []string, spelled []byte) error {
	if err := d.patch(path, "add", spelled); err != nil {
		return fmt.Errorf("%s cannot be added: %w", strings.Join(path, "."), err)
	}
	depth := len(path)
	switch parent := d.root.Find(pointer(path[:depth-1])).Value.(type) {
	case *hujson.Object:
		m := &parent.Members[len(parent.Members)-1]
		d.breakLine(&m.Name.BeforeExtra, depth)
		m.Value.BeforeExtra = hujson.Extra(" ")
		d.breakLine(&parent.AfterExtra, depth-1)
	case *hujson.Array:
		d.breakLine(&parent.Elements[len(parent.Elements)-1].BeforeExtra, depth)
		d.breakLine(&parent.AfterExtra, depth-1)
	}
	return nil
}

// patch adds or removes the value at a path. A trailing comma is kept.
func (d *document) patch(path []string, op string, value []byte) error {
	parent := d.root.Find(pointer(path[:len(path)-1]))
	hasComma := *afterLast(parent) != nil
	if err := d.root.Patch(fmt.Appendf(nil, `[{"op": %q, "path": %q, "value": %s}]`, op, pointer(path), value)); err != nil {
		return err
	}
	if after := afterLast(parent); hasComma && *after == nil {
		*after = hujson.Extra{}
	}
	return nil
}

// afterLast returns the text after the last value of an object or a list; nil if there is no comma.
func afterLast(v *hujson.Value) *hujson.Extra {
	last, _ := ends(v)
	return cmp.Or(last, new(hujson.Extra))
}

// ends returns the text after the last value of an object or a list, nil if it is empty, and the text before its closing bracket.
func ends(v *hujson.Value) (last, inside *hujson.Extra) {
	switch x := v.Value.(type) {
	case *hujson.Object:
		if inside = &x.AfterExtra; len(x.Members) > 0 {
			last = &x.Members[len(x.Members)-1].Value.AfterExtra
		}
	case *hujson.Array:
		if inside = &x.AfterExtra; len(x.Elements) > 0 {
			last = &x.Elements[len(x.Elements)-1].AfterExtra
		}
	}
	return last, inside
}

// breakLine begins a new line at a depth, unless a line begins there already.
func (d *document) breakLine(x *hujson.Extra, depth int) {
	if !bytes.ContainsRune(*x, '\n') {
		*x = append(*x, "\n"+strings.Repeat(d.unit, depth)...)
	}
}

// remove removes the value at a path, and then objects and lists around it that are empty.
func (d *document) remove(path []string) error {
	for v := d.root.Find(pointer(path)); v != nil; v = d.root.Find(pointer(path)) {
		if err := d.patch(path, "remove", []byte("null")); err != nil {
			return err
		}
		path = path[:len(path)-1]
		if v = d.root.Find(pointer(path)); !emptied(v) || len(path) == 0 {
			closeLine(v)
			return nil
		}
	}
	return nil
}

// closeLine puts the closing bracket of an object or a list that is on one line onto that line too.
func closeLine(v *hujson.Value) {
	_, inside := ends(v)
	var first hujson.Extra
	switch x := v.Value.(type) {
	case *hujson.Object:
		if len(x.Members) > 0 {
			first = x.Members[0].Name.BeforeExtra
		}
	case *hujson.Array:
		if len(x.Elements) > 0 {
			first = x.Elements[0].BeforeExtra
		}
	}
	if inside == nil || bytes.ContainsRune(first, '\n') || len(bytes.TrimSpace(*inside)) > 0 {
		return
	}
	if i := bytes.IndexByte(*inside, '\n'); i >= 0 {
		*inside = (*inside)[:i]
	}
}

// emptied reports whether an object or a list is empty, and removes the blank line in it.
func emptied(v *hujson.Value) bool {
	last, inside := ends(v)
	if last != nil || inside == nil || len(bytes.TrimSpace(*inside)) > 0 {
		return false
	}
	*inside = nil
	return true
}
