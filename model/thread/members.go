package thread

import (
	"strings"

	"vise/model"
)

// members takes the keys of a JSON object one by one and keeps what nobody took.
type members struct {
	from  object
	taken map[string]bool
	// wrong is set by a value that has not the type of its key.
	wrong bool
}

func (m *members) take(key string) any {
	if m.taken == nil {
		m.taken = map[string]bool{}
	}
	m.taken[key] = true
	return m.from[key]
}

// text reads the first key that holds words.
func (m *members) text(keys ...string) model.Text {
	found := ""
	for _, k := range keys {
		s, ok := scalar(m.take(k))
		m.wrong = m.wrong || !ok
		if found == "" {
			found = trim(s)
		}
	}
	return model.Text(found)
}

// list reads the first key that holds a list of words.
func (m *members) list(keys ...string) []model.Text {
	var found []model.Text
	for _, k := range keys {
		v := m.take(k)
		list, ok := words(v)
		m.wrong = m.wrong || !ok
		if len(found) == 0 {
			found = list
		}
	}
	return found
}

// variant is a key that nobody took and that differs from one that was taken in case only:
// another reader could take it for that one. Empty: there is none.
func (m *members) variant() string {
	for k := range m.from {
		if low := strings.ToLower(k); !m.taken[k] && m.taken[low] {
			return k
		}
	}
	return ""
}

// rest is what was not taken, less the keys named.
func (m *members) rest(drop ...string) object {
	for _, k := range drop {
		m.take(k)
	}
	m.wrong = m.wrong || m.variant() != ""
	var rest object
	for k, v := range m.from {
		if !m.taken[k] {
			if rest == nil {
				rest = object{}
			}
			rest[k] = v
		}
	}
	return rest
}

// words reads a JSON list of scalars; null is an empty list. Empty entries and repeats go.
func words(v any) ([]model.Text, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []model.Text
	for _, v := range list {
		s, ok := scalar(v)
		if !ok {
			return nil, false
		}
		out = push(out, model.Text(trim(s)))
	}
	return out, true
}

// cutter shortens words and remembers that it did.
type cutter struct{ cut bool }

func (c *cutter) text(t model.Text, n int) model.Text {
	s, did := cut(t.Raw(), n)
	c.cut = c.cut || did
	return model.Text(s)
}

func (c *cutter) list(list []model.Text, n int) []model.Text {
	var out []model.Text
	for _, t := range list {
		out = push(out, c.text(t, maxText))
	}
	if len(out) > n {
		out, c.cut = out[:n], true
	}
	return out
}

func copyOf(o object) object {
	out := make(object, len(o)+8)
	for k, v := range o {
		out[k] = v
	}
	return out
}

func put(o object, key, s string) {
	if s != "" {
		o[key] = s
	}
}

func putText(o object, key string, t model.Text) { put(o, key, t.Raw()) }

func putList(o object, key string, list []model.Text) {
	if len(list) > 0 {
		o[key] = texts(list)
	}
}
