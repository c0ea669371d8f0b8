package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// document is a JSON file, comments allowed, that is edited in place: whatever is not ours
// keeps its bytes.
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
	if bytes.HasPrefix(raw, []byte(byteOrderMark)) {
		return nil, fmt.Errorf("it begins with a byte order mark")
	}
	v, err := hujson.Parse(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("it holds no object")
	}
	d := &document{root: v, unit: "  "}
	if len(o.Members) > 0 {
		if own := indentOf(o.Members[0].Name.BeforeExtra); own != "" {
			d.unit = own
		}
	}
	return d, nil
}

// indentOf is the white space at the end of what stands before a value.
func indentOf(x hujson.Extra) string {
	s := string(x)
	i := strings.LastIndexByte(s, '\n')
	if i < 0 || strings.TrimSpace(s[i:]) != "" {
		return ""
	}
	return s[i+1:]
}

func (d *document) bytes() []byte { return d.root.Pack() }

// object finds the object at a path, and makes it where it is missing.
func (d *document) object(path ...string) (*hujson.Object, error) {
	v := &d.root
	for depth, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is no object", strings.Join(path[:depth], "."))
		}
		m := member(o, name)
		if m == nil {
			d.add(o, depth, name, "{}")
			m = member(o, name)
		}
		v = m
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no object", strings.Join(path, "."))
	}
	return o, nil
}

func member(o *hujson.Object, name string) *hujson.Value {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

// value spells v for a place at a depth, in the file's indentation.
func (d *document) value(v any, depth int) hujson.Value {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.Repeat(d.unit, depth), d.unit)
	if err := e.Encode(v); err != nil {
		panic(err) // our own values marshal
	}
	out, err := hujson.Parse(bytes.TrimSpace(b.Bytes()))
	if err != nil {
		panic(err)
	}
	return out
}

// add appends a member at a depth; raw is its value.
func (d *document) add(o *hujson.Object, depth int, name, raw string) {
	v, err := hujson.Parse([]byte(raw))
	if err != nil {
		panic(err) // our own values parse
	}
	d.addValue(o, depth, name, v)
}

func (d *document) addValue(o *hujson.Object, depth int, name string, v hujson.Value) {
	v.BeforeExtra = hujson.Extra(" ")
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name), BeforeExtra: d.line(depth + 1)}, Value: v}
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1].Value
		m.Value.AfterExtra, last.AfterExtra = trailing(last.AfterExtra), clean(last.AfterExtra)
	}
	o.Members = append(o.Members, m)
	if !bytes.ContainsRune(o.AfterExtra, '\n') {
		o.AfterExtra = append(o.AfterExtra, d.line(depth)...)
	}
}

// trailing hands a trailing comma on to the new last value; clean leaves only what stood
// before it.
func trailing(x hujson.Extra) hujson.Extra {
	if x == nil {
		return nil
	}
	return hujson.Extra{}
}

func clean(x hujson.Extra) hujson.Extra {
	if len(x) == 0 {
		return nil
	}
	return x
}

func (d *document) line(depth int) hujson.Extra {
	return hujson.Extra("\n" + strings.Repeat(d.unit, depth))
}

// set gives a member a value; one that is equal already keeps its bytes.
func (d *document) set(v any, path ...string) error {
	parent, name := path[:len(path)-1], path[len(path)-1]
	o, err := d.object(parent...)
	if err != nil {
		return err
	}
	fresh := d.value(v, len(path))
	if old := member(o, name); old != nil {
		if !same(*old, fresh) {
			old.Value = fresh.Value
		}
		return nil
	}
	d.addValue(o, len(parent), name, fresh)
	return nil
}

// same compares values, whatever their spelling.
func same(a, b hujson.Value) bool {
	x, y := a.Clone(), b.Clone()
	x.Minimize()
	y.Minimize()
	var left, right any
	return json.Unmarshal(bytes.TrimSpace(x.Pack()), &left) == nil && json.Unmarshal(bytes.TrimSpace(y.Pack()), &right) == nil && jsonText(left) == jsonText(right)
}

func jsonText(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// remove removes the member at a path if it is there and own says that it is ours, and
// then the objects around it that are empty now.
func (d *document) remove(own func(hujson.Value) bool, path ...string) {
	for n := len(path); n > 0; n-- {
		o := d.find(path[:n-1]...)
		if o == nil {
			return
		}
		v := member(o, path[n-1])
		if v == nil || n == len(path) && !own(*v) || n < len(path) && !empty(*v) {
			return
		}
		drop(o, path[n-1])
	}
}

func (d *document) find(path ...string) *hujson.Object {
	v := &d.root
	for _, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if v = member(o, name); v == nil {
			return nil
		}
	}
	o, _ := v.Value.(*hujson.Object)
	return o
}

func empty(v hujson.Value) bool {
	switch x := v.Value.(type) {
	case *hujson.Object:
		return len(x.Members) == 0 && len(bytes.TrimSpace(x.AfterExtra)) == 0
	case *hujson.Array:
		return len(x.Elements) == 0 && len(bytes.TrimSpace(x.AfterExtra)) == 0
	}
	return false
}

func drop(o *hujson.Object, name string) {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || l.String() != name {
			continue
		}
		if i == len(o.Members)-1 && i > 0 {
			handBack(&o.Members[i-1].Value, o.Members[i].Value)
		}
		o.Members = append(o.Members[:i], o.Members[i+1:]...)
		break
	}
	if len(o.Members) == 0 && len(bytes.TrimSpace(o.AfterExtra)) == 0 {
		o.AfterExtra = nil
	}
}

// handBack gives the value before the last the last one's trailing comma, or none.
func handBack(before *hujson.Value, last hujson.Value) {
	if before.AfterExtra = clean(before.AfterExtra); before.AfterExtra == nil && last.AfterExtra != nil {
		before.AfterExtra = hujson.Extra{}
	}
	if last.AfterExtra == nil && len(bytes.TrimSpace(before.AfterExtra)) == 0 {
		before.AfterExtra = nil
	}
}

// group is one entry of an event's list of hooks: of several commands, or in Crush's
// settings of one, which stands in the entry itself.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
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
	// AsyncRewake has a hook in the background wake the session with its exit code 2.
	AsyncRewake bool `json:"asyncRewake,omitempty"`
}

// setGroup puts our group into the list of an event: in the place of ours that is there, or
// at the end.
func (d *document) setGroup(event string, g group, ours func(group) bool) error {
	hooks, err := d.object("hooks")
	if err != nil {
		return err
	}
	list := member(hooks, event)
	if list == nil {
		d.addValue(hooks, 1, event, d.value([]group{g}, 2))
		return nil
	}
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("hooks.%s is no list", event)
	}
	fresh := d.value(g, 3)
	for i := range a.Elements {
		if !ours(groupOf(a.Elements[i])) {
			continue
		}
		if !same(a.Elements[i], fresh) {
			a.Elements[i].Value = fresh.Value
		}
		return nil
	}
	fresh.BeforeExtra = d.line(3)
	if n := len(a.Elements); n > 0 {
		last := &a.Elements[n-1]
		fresh.AfterExtra, last.AfterExtra = trailing(last.AfterExtra), clean(last.AfterExtra)
	}
	a.Elements = append(a.Elements, fresh)
	if !bytes.ContainsRune(a.AfterExtra, '\n') {
		a.AfterExtra = append(a.AfterExtra, d.line(2)...)
	}
	return nil
}

func groupOf(v hujson.Value) group {
	c := v.Clone()
	c.Minimize()
	var g group
	_ = json.Unmarshal(bytes.TrimSpace(c.Pack()), &g) // another shape is not ours
	return g
}

// removeGroups removes our groups of an event, and what is empty then.
func (d *document) removeGroups(event string, ours func(group) bool) {
	hooks := d.find("hooks")
	if hooks == nil {
		return
	}
	list := member(hooks, event)
	if list == nil {
		return
	}
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return
	}
	var kept []hujson.Value
	for _, x := range a.Elements {
		if !ours(groupOf(x)) {
			kept = append(kept, x)
		}
	}
	if len(kept) == len(a.Elements) {
		return
	}
	last := a.Elements[len(a.Elements)-1]
	if a.Elements = kept; len(kept) > 0 {
		handBack(&kept[len(kept)-1], last)
	}
	if len(kept) == 0 && len(bytes.TrimSpace(a.AfterExtra)) == 0 {
		a.AfterExtra = nil
	}
	d.remove(empty, "hooks", event)
}
