package thread

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// Field names a part of a thread by its JSON key.
type Field string

// The fields of a thread that a patch or an event may name.
const (
	statusField         Field = "status"
	goal                Field = "goal"
	currentHypothesis   Field = "current_hypothesis"
	nextAction          Field = "next_action"
	activeFiles         Field = "active_files"
	Verified            Field = "verified"
	unverified          Field = "unverified"
	discardedPaths      Field = "discarded_paths"
	recommendedCommands Field = "recommended_commands"
	risks               Field = "risks"
	sourceExecutionIDs  Field = "source_execution_ids"
	uncertainties       Field = "uncertainties"
	discardedHypotheses Field = "discarded_hypotheses"
	contractGaps        Field = "contract_gaps"
	// evidenceField is ours: AICTX drops it, and its entries become mere claims again.
	evidenceField Field = "evidence"
)

// textFields are replaced by a patch, listFields are appended to; both in file order.
var (
	textFields = []Field{currentHypothesis, goal, nextAction}
	listFields = []Field{activeFiles, discardedPaths, recommendedCommands, risks, sourceExecutionIDs, unverified, Verified}
	itemFields = []Field{contractGaps, discardedHypotheses, uncertainties}
)

// bookkeeping holds the keys that a patch may mention and cannot change.
var bookkeeping = map[string]bool{
	"version": true, "created_at": true, "updated_at": true, "git_context": true, "strongest_contract_gap": true,
}

func (f Field) in(set []Field) bool {
	return slices.Contains(set, f)
}

// The limits of a thread, in Unicode code points and entries. They are the file
// format's: AICTX cuts what exceeds them on its next save.
const (
	maxText       = 240
	maxID         = 80
	maxChanged    = 64
	carryoverSlug = 60
)

// limits are those that the fields of an entry name.
var limits = map[string]int{"text": maxText, "id": maxID, "moment": 40, "label": 40, "kind": 80, "related": 6, "paths": 8}

// MaxFileBytes bounds a thread file, the pointer and a patch.
const MaxFileBytes = 1 << 20

// maxDepth bounds the nesting of a JSON document.
const maxDepth = 32

// limit is how many entries a list field holds.
func (f Field) limit() int {
	return cmp.Or(map[Field]int{
		recommendedCommands: 8, risks: 8, uncertainties: 8, contractGaps: 8, discardedHypotheses: 5, evidenceField: 24,
	}[f], 12)
}

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
		return strconv.FormatBool(v), true
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

// parseTime reads a time; false if a file holds something else in its place.
func parseTime(m model.Text) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, m.Raw())
	return t, err == nil
}

// squeeze makes every run of white space one space: how commands are compared.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, blank), " ") }

// ID names a thread and its files: lower-case letters, digits and inner hyphens, at most
// 80 of them, so that no id can leave the directory.
type ID string

// ValidID reports whether s can name a thread file.
func ValidID(s string) bool {
	noLetter := func(r rune) bool { return !slugRune(r) && r != '-' }
	return s != "" && len(s) <= maxID && s[0] != '-' && !strings.ContainsFunc(s, noLetter)
}

// Slug makes an id of a goal or of what a person typed. It is the file format's rule:
// ASCII letters and digits survive, every other run becomes a hyphen; a text without any
// becomes "item".
func Slug(s string) ID {
	s = strings.ToLower(strings.ReplaceAll(s, "\u0130", "i\u0307")) // the one letter whose full lower case is two
	out := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !slugRune(r) }), "-")
	return ID(cmp.Or(strings.Trim(out[:min(len(out), maxID)], "-"), "item"))
}

func slugRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
