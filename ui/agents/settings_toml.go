package agents

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlEntry is vise's part of a TOML file: tables, and optionally a key at the top, which is only added if it is not set already.
type tomlEntry struct {
	tables []tomlTable
	key    string
	value  []string
}

// tomlTable is a table with its lines.
type tomlTable struct {
	path  []string
	lines string
	// when says whether the table should be present.
	when presence
}

// header returns the line that begins the table.
func (t tomlTable) header() string {
	words := slices.Clone(t.path)
	for i, w := range words {
		if !bareKey.MatchString(w) {
			words[i] = strconv.Quote(w)
		}
	}
	return "[" + strings.Join(words, ".") + "]\n"
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// tomlFile is a settings file with an entry that is vise's. All other bytes stay. The result is parsed again, and all values that are not
// vise's must be the same.
func tomlFile(path string, e tomlEntry) target {
	return target{path: path, edit: func(raw []byte, remove bool) ([]byte, string, error) {
		before, err := readTOML(raw)
		if err != nil {
			return nil, "", err
		}
		text, note, err := e.edit(string(raw), before, remove)
		if err != nil {
			return nil, "", err
		}
		after, err := readTOML([]byte(text))
		if err != nil {
			return nil, "", fmt.Errorf("it is valid, and vise adds only tables: write %s as [%[1]s.NAME] tables, not inline (%w)",
				e.tables[0].path[0], err)
		}
		if e.dropFrom(before); !reflect.DeepEqual(before, e.dropFrom(after)) {
			return nil, "", errors.New("it is laid out in a way that cannot be edited safely")
		}
		return []byte(text), note, nil
	}}
}

// edit removes vise's outdated parts, and adds them again unless remove is set.
func (e tomlEntry) edit(text string, before map[string]any, remove bool) (after, note string, err error) {
	for _, t := range e.tables {
		if text, err = t.edit(text, before, remove); err != nil {
			return "", "", err
		}
	}
	old, has := before[e.key]
	switch {
	case e.key == "":
	case has && !isOurs(old):
		if !remove {
			note = e.key + " is set already and was left alone"
		}
	case remove || fmt.Sprint(old) != fmt.Sprint(e.value):
		text = without(text, e.key, false)
		if !remove {
			text = atTop(text, e.key+" = "+array(e.value)+"\n")
		}
	}
	return text, note, nil
}

func (t tomlTable) edit(text string, before map[string]any, remove bool) (string, error) {
	body := t.header() + t.lines
	wanted, err := readTOML([]byte(body))
	is := valueAt(before, t.path)
	switch remove = remove || t.when == toRemove; {
	case err != nil, t.when == toKeep && !remove, !remove && reflect.DeepEqual(is, valueAt(wanted, t.path)):
		return text, err
	}
	if text = without(text, strings.Join(t.path, "."), true); remove {
		return text, nil
	}
	if text != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	return text + body, nil
}

// isOurs reports whether a value names vise.
func isOurs(value any) bool { return strings.Contains(fmt.Sprint(value), "vise") }

func readTOML(raw []byte) (map[string]any, error) {
	out := map[string]any{}
	return out, toml.Unmarshal(bytes.TrimPrefix(raw, []byte(byteOrderMark)), &out)
}

// valueAt returns the value at a path of a file.
func valueAt(m map[string]any, path []string) any {
	inner, _ := m[path[0]].(map[string]any)
	if len(path) == 1 {
		return m[path[0]]
	}
	return valueAt(inner, path[1:])
}

// dropFrom removes vise's parts from a file's content.
func (e tomlEntry) dropFrom(m map[string]any) map[string]any {
	if isOurs(m[e.key]) {
		delete(m, e.key)
	}
	for _, t := range e.tables {
		drop(m, t.path)
	}
	return m
}

// drop removes the value at a path, and then tables around it that are empty.
func drop(m map[string]any, path []string) {
	if inner, ok := m[path[0]].(map[string]any); ok && len(path) > 1 {
		if drop(inner, path[1:]); len(inner) > 0 {
			return
		}
	}
	delete(m, path[0])
}

// tomlPart is a table's header or a key before the first table, and the offset of its line.
type tomlPart struct {
	name    string
	isTable bool
	at, end int
}

// tomlParts returns the parts of a valid file.
func tomlParts(text string) (out []tomlPart) {
	var p unstable.Parser
	p.Reset([]byte(text))
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		at := -1
		for key := e.Key(); key.Next(); {
			if n := key.Node(); at < 0 {
				at = int(n.Raw.Offset)
			}
			names = append(names, string(key.Node().Data))
		}
		isTable := e.Kind != unstable.KeyValue
		if at < 0 || !isTable && len(out) > 0 && out[len(out)-1].isTable {
			continue // a key of a table
		}
		part := tomlPart{name: strings.Join(names, "."), isTable: isTable, at: strings.LastIndexByte(text[:at], '\n') + 1}
		part.end = lineEnd(text, max(at, int(e.Raw.Offset+e.Raw.Length)))
		out = append(out, part)
	}
	return out
}

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// spanOf returns the extent of a key at the top, or of a table with its subtables; to is 0 if it is missing. Comments and blank lines
// before the next table belong to the next table.
func spanOf(text, name string, isTable bool) (from, to int) {
	from = -1
	next := len(text)
	for _, p := range tomlParts(text) {
		switch {
		case p.name == name && p.isTable == isTable && from < 0:
			if from = p.at; !isTable {
				return from, p.end
			}
		case from >= 0 && p.name != name && !strings.HasPrefix(p.name, name+"."):
			next = min(next, p.at)
		}
	}
	if from < 0 {
		return 0, 0
	}
	return from, from + len(trimFiller(text[from:next], next == len(text)))
}

// trimFiller removes the blank lines at the end of a text, and the comments there unless keepComments is set.
func trimFiller(text string, keepComments bool) string {
	for {
		body := strings.TrimRight(text, " \t\r\n")
		start := strings.LastIndexByte(body, '\n') + 1
		if keepComments || !strings.HasPrefix(strings.TrimSpace(body[start:]), "#") {
			if body == "" {
				return ""
			}
			return text[:min(len(text), lineEnd(text, len(body)))]
		}
		text = text[:start]
	}
}

// atTop adds a line before the first table, after the existing top-level keys.
func atTop(text, line string) string {
	at := len(text)
	for _, p := range tomlParts(text) {
		if p.isTable {
			at = p.at
			break
		}
	}
	head := trimFiller(text[:at], false)
	tail := text[len(head):]
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	if head == "" && tail != "" && !strings.HasPrefix(tail, "\n") {
		tail = "\n" + tail
	}
	return head + line + tail
}

// without removes a part from a text, if it is present, and the blank lines that surrounded only that part.
func without(text, name string, isTable bool) string {
	from, to := spanOf(text, name, isTable)
	if to == 0 {
		return text
	}
	head, tail := text[:from], text[to:]
	if strings.TrimSpace(tail) == "" {
		if head = strings.TrimRight(head, "\n"); head == "" {
			return ""
		}
		return head + "\n"
	}
	if strings.TrimSpace(head) == "" {
		return strings.TrimLeft(tail, "\n")
	}
	return head + tail
}
