package markdown

import (
	"strings"

	"vise/ui/markdown/layout"
)

// isPlainProse reports whether text says the same to Glamour as it says as it is, so that
// wrapping it is all there is to do. Most lines of a plan are so.
func isPlainProse(text string) bool {
	return !strings.ContainsAny(text, "*_`~[&\\@") &&
		!strings.Contains(text, "://") && !strings.Contains(text, "www.") && !strings.Contains(text, "  \n")
}

// references are the link definitions that text may use, by label.
func (d *Document) references(text string) map[string]layout.Reference {
	if len(d.refs) == 0 {
		return nil
	}
	const longest = 200
	used := map[string]layout.Reference{}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "[")
		if !ok {
			return used
		}
		rest = after
		label, _, ok := strings.Cut(after[:min(len(after), longest)], "]")
		if !ok {
			continue
		}
		if ref, ok := d.refs[refKey(label)]; ok {
			used[label] = ref
		}
	}
}
