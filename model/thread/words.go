package thread

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// cut trims s and shortens it to n code points, the last of which is then an ellipsis.
func cut(s string, n int) (string, bool) {
	s = trim(s)
	if utf8.RuneCountInString(s) <= n {
		return s, false
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return strings.TrimRightFunc(s[:end], blank) + "…", true
}

func trim(s string) string { return strings.TrimFunc(s, blank) }

// blank adds the four separator controls, which the format's other program trims too.
func blank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// scalar reads a JSON value as words; an object or a list has none.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// push appends to list what it does not hold.
func push(list []model.Text, more ...model.Text) []model.Text {
	out := slices.Clone(list)
	for _, t := range more {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// without is list less what match accepts.
func without[T any](list []T, match func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), match)
}

// FormatTime spells a time as thread files do: UTC, whole seconds.
func FormatTime(t time.Time) model.Text { return model.Text(t.UTC().Format("2006-01-02T15:04:05Z")) }

// ParseTime reads a time; false if a file holds something else in its place.
func ParseTime(m model.Text) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, m.Raw())
	return t, err == nil
}

// squeeze makes every run of white space one space: how commands are compared.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, blank), " ") }
