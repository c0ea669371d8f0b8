package todo

import (
	"strings"

	"vise/model"
)

// Key identifies what a todo is about, so that making it twice makes it once.
type Key struct{ Source, SourceRef, Finding string }

// KeyOf is a todo's key: finding and source ref, or for plan tasks the tag task-N and
// source ref. A todo with neither has none.
func KeyOf(t Todo) (Key, bool) {
	k := Key{Source: t.Source, SourceRef: t.SourceRef.Raw(), Finding: t.FindingID.Raw()}
	if k.Finding == "" {
		k.Finding = taskTag(t.Tags)
	}
	return k, k.Finding != "" && k.SourceRef != ""
}

func taskTag(tags []model.Text) string {
	for _, t := range tags {
		if rest, ok := strings.CutPrefix(t.Raw(), "task-"); ok && allDigits(rest) {
			return t.Raw()
		}
	}
	return ""
}
