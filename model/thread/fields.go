package thread

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vise/model"
)

// Field is the JSON key of a part of a thread.
type Field string

// The fields of a thread that a patch or an event can name.
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
	// evidenceField is vise's own key. AICTX drops it, and its entries become claims again.
	evidenceField Field = "evidence"
)

// A patch replaces textFields and appends to listFields. Both are in file order.
var (
	textFields = []Field{currentHypothesis, goal, nextAction}
	listFields = []Field{activeFiles, discardedPaths, recommendedCommands, risks, sourceExecutionIDs, unverified, Verified}
	itemFields = []Field{contractGaps, discardedHypotheses, uncertainties}
)

// bookkeeping holds the keys that a patch can contain and cannot change.
var bookkeeping = map[string]bool{
	"version": true, "created_at": true, "updated_at": true, "git_context": true, "strongest_contract_gap": true,
}

func (f Field) in(set []Field) bool {
	return slices.Contains(set, f)
}

// The limits of a thread, in Unicode code points and entries. They are the file format's: AICTX cuts longer values on its next save.
const (
	maxText       = 240
	maxID         = 80
	maxChanged    = 64
	carryoverSlug = 60
)

// limits are the limits that the struct tags of entries name.
var limits = map[string]int{"text": maxText, "id": maxID, "moment": 40, "label": 40, "kind": 80, "related": 6, "paths": 8}

// MaxFileBytes bounds a thread file, the pointer and a patch.
const MaxFileBytes = 1 << 20

// maxDepth bounds the nesting of a JSON document.
const maxDepth = 32

// limit is how many entries a list field can hold.
func (f Field) limit() int {
	return cmp.Or(map[Field]int{
		recommendedCommands: 8, risks: 8, uncertainties: 8, contractGaps: 8, discardedHypotheses: 5, evidenceField: 24,
	}[f], 12)
}

// cut trims s and shortens it to n code points. The last of them is then an ellipsis.
func cut(s string, n int) (string, bool) {
	s = trim(s)
	all := []rune(s)
	if len(all) <= n {
		return s, false
	}
	return strings.TrimRightFunc(string(all[:n-1]), blank) + "…", true
}

func trim(s string) string { return strings.TrimFunc(s, blank) }

// blank also accepts the four separator controls, because AICTX trims them too.
func blank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// scalar reads a JSON value as words. It returns false for an object or a list.
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

// push appends the entries that list does not have yet.
func push(list []model.Text, more ...model.Text) []model.Text {
	out := slices.Clone(list)
	for _, t := range more {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// without returns list without the entries that match accepts.
func without[T any](list []T, match func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), match)
}

// FormatTime writes a time as thread files do: UTC, whole seconds.
func FormatTime(t time.Time) model.Text { return model.Text(t.UTC().Format("2006-01-02T15:04:05Z")) }

// parseTime reads a time. It returns false if the text is no time.
func parseTime(m model.Text) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, m.Raw())
	return t, err == nil
}

// squeeze replaces every run of white space with one space, to compare commands.
func squeeze(s string) string { return strings.Join(strings.FieldsFunc(s, blank), " ") }

// ID names a thread and its files: at most 80 lower-case letters, digits and inner hyphens, so that no id can leave the directory.
type ID string

// ValidID reports whether s can name a thread file.
func ValidID(s string) bool {
	noLetter := func(r rune) bool { return !slugRune(r) && r != '-' }
	return s != "" && len(s) <= maxID && s[0] != '-' && !strings.ContainsFunc(s, noLetter)
}

// Slug makes an id from a goal or from what a person typed. It follows the file format's rule: ASCII letters and digits stay, every other
// run becomes a hyphen, and a text without any becomes "item".
func Slug(s string) ID {
	s = strings.ToLower(strings.ReplaceAll(s, "\u0130", "i\u0307")) // the only letter whose lower case has two characters
	out := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !slugRune(r) }), "-")
	return ID(cmp.Or(strings.Trim(out[:min(len(out), maxID)], "-"), "item"))
}

func slugRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
