package agents

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// setTOML puts our lines into a TOML file: a table, and a key at the top if nobody else has
// set it. All other bytes stay; the result is read again and must say the same of all that
// is not ours.
func setTOML(raw []byte, table string, lines []string, key, value string) (after []byte, note string, err error) {
	before, err := readTOML(raw)
	if err != nil {
		return nil, "", err
	}
	body := "[" + table + "]\n" + strings.Join(lines, "\n") + "\n"
	wanted, err := readTOML([]byte(body))
	if err != nil {
		return nil, "", err
	}
	out := dropTable(string(raw), table)
	switch {
	case reflect.DeepEqual(at(before, table), at(wanted, table)):
		out.text = string(raw)
	case out.found:
		out.text = out.head + body + out.tail
	default:
		out.text = join(out.text, body)
	}
	switch old, has := before[key]; {
	case !has:
		out.text = topKey(out.text, key+" = "+value)
	case !strings.Contains(fmt.Sprint(old), "vise"):
		note = fmt.Sprintf("%s is set already and was left alone", key)
	case !sameTOML(old, value):
		out.text = topKey(dropTopKey(out.text, key), key+" = "+value)
	}
	return out.checked(before, table, key, note)
}

// sameTOML reports whether a value that was read is the one that is written so.
func sameTOML(old any, written string) bool {
	m, err := readTOML([]byte("x = " + written))
	return err == nil && reflect.DeepEqual(m["x"], old)
}

// unsetTOML removes them again.
func unsetTOML(raw []byte, table, key string) ([]byte, error) {
	before, err := readTOML(raw)
	if err != nil {
		return nil, err
	}
	out := dropTable(string(raw), table)
	if strings.Contains(fmt.Sprint(before[key]), "vise") {
		out.text = dropTopKey(out.text, key)
	}
	after, _, err := out.checked(before, table, key, "")
	return after, err
}

func readTOML(raw []byte) (map[string]any, error) {
	out := map[string]any{}
	if bytes.HasPrefix(raw, []byte(byteOrderMark)) {
		return nil, errors.New("it begins with a byte order mark")
	}
	return out, toml.Unmarshal(raw, &out)
}

// cutOut is a file without one table.
type cutOut struct {
	head, tail, text string
	found            bool
}

// checked returns the text if it means what the file meant, ours aside.
func (c cutOut) checked(before map[string]any, table, key, note string) ([]byte, string, error) {
	after, err := readTOML([]byte(c.text))
	if err != nil {
		return nil, "", fmt.Errorf("it would not read any more: %w", err)
	}
	if !reflect.DeepEqual(without(before, table, key), without(after, table, key)) {
		return nil, "", errors.New("it is laid out in a way that cannot be edited safely")
	}
	return []byte(c.text), note, nil
}

// at is what a file holds at a dotted path.
func at(m map[string]any, path string) any {
	var v any = m
	for _, name := range strings.Split(path, ".") {
		inner, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = inner[name]
	}
	return v
}

// without is a file's content without a table and without a key that is ours.
func without(m map[string]any, table, key string) map[string]any {
	out := map[string]any{}
	parent, name, _ := strings.Cut(table, ".")
	for k, v := range m {
		inner, ok := v.(map[string]any)
		if k == key && strings.Contains(fmt.Sprint(v), "vise") {
			continue
		}
		if k == parent && ok {
			rest := map[string]any{}
			for k, v := range inner {
				if k != name {
					rest[k] = v
				}
			}
			if len(rest) == 0 {
				continue
			}
			v = rest
		}
		out[k] = v
	}
	return out
}

// dropTable cuts a table with its subtables out of a file. Comments and blank lines before
// the next table belong to that one.
func dropTable(text, table string) cutOut {
	lines := strings.SplitAfter(text, "\n")
	start, end := -1, len(lines)
	for i, h := range headers(lines) {
		switch {
		case h == "":
		case h == table && start < 0:
			start = i
		case start >= 0 && h != table && !strings.HasPrefix(h, table+"."):
			end = min(end, i)
		}
	}
	if start < 0 {
		return cutOut{text: text}
	}
	for end > start+1 && end < len(lines) && isFiller(lines[end-1]) {
		end--
	}
	for end == len(lines) && end > start+1 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	c := cutOut{head: strings.Join(lines[:start], ""), tail: strings.Join(lines[end:], ""), found: true}
	head := c.head
	if strings.TrimSpace(c.tail) == "" {
		head = strings.TrimRight(c.head, "\n")
		if head != "" {
			head += "\n"
		}
		c.text = head
		return c
	}
	c.text = head + c.tail
	return c
}

func isFiller(line string) bool {
	s := strings.TrimSpace(line)
	return s == "" || strings.HasPrefix(s, "#")
}

// headers names the table that begins at each line, or nothing. A line inside a text or a
// list of several lines begins none.
func headers(lines []string) []string {
	out := make([]string, len(lines))
	depth, text := 0, ""
	for i, line := range lines {
		s := strings.TrimSpace(line)
		if text == "" && depth == 0 && strings.HasPrefix(s, "[") {
			name, _, _ := strings.Cut(strings.TrimLeft(s, "["), "]")
			out[i] = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(name, `"`, ""), `'`, ""), " ", "")
			continue
		}
		depth, text = scan(line, depth, text)
	}
	return out
}

// scan follows brackets and texts through a line.
func scan(line string, depth int, text string) (int, string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case text != "" && text[0] == '"' && line[i] == '\\':
			i++
		case text != "" && strings.HasPrefix(rest, text):
			i += len(text) - 1
			text = ""
		case text != "":
		case line[i] == '#':
			return depth, single(text)
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			text = rest[:3]
			i += 2
		case line[i] == '"' || line[i] == '\'':
			text = rest[:1]
		case line[i] == '[' || line[i] == '{':
			depth++
		case line[i] == ']' || line[i] == '}':
			depth--
		}
	}
	return depth, single(text)
}

// single: a text in single marks ends with its line.
func single(text string) string {
	if len(text) == 1 {
		return ""
	}
	return text
}

// topKey adds a line before the first table, after the keys that stand there.
func topKey(text, line string) string {
	lines := strings.SplitAfter(text, "\n")
	at := len(lines)
	for i, h := range headers(lines) {
		if h != "" {
			at = i
			break
		}
	}
	for at > 0 && isFiller(lines[at-1]) {
		at--
	}
	head := strings.Join(lines[:at], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	tail := strings.Join(lines[at:], "")
	if head == "" && tail != "" && !strings.HasPrefix(tail, "\n") {
		tail = "\n" + tail
	}
	return head + line + "\n" + tail
}

// dropTopKey removes a line that sets a key at the top.
func dropTopKey(text, key string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, h := range headers(lines) {
		if h != "" {
			break
		}
		name, _, _ := strings.Cut(lines[i], "=")
		if strings.TrimSpace(name) == key {
			return strings.TrimLeft(strings.Join(append(lines[:i:i], lines[i+1:]...), ""), "\n")
		}
	}
	return text
}

// join puts a table at the end of a file.
func join(text, table string) string {
	if text == "" {
		return table
	}
	return strings.TrimRight(text, "\n") + "\n\n" + table
}
