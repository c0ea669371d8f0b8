package markdown

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Changes are the lines in which a document differs from an older one.
type Changes struct {
	Added, Removed int
	// Edits are the lines in the order of the document. In each hunk, removed lines come first.
	Edits []edit

	added map[int]bool
}

// edit is a line that was added or removed.
type edit struct {
	Old, New int // its number in the older or the newer document, or 0
	Text     string
	// hunk is the number of the edit's hunk, a run of adjacent changed lines.
	hunk int
}

// Touch reports whether a line on screen shows a source line that is new or changed.
func (c Changes) Touch(l Line) bool {
	for n := l.From; n > 0 && n <= l.To; n++ {
		if c.added[n] {
			return true
		}
	}
	return false
}

// First returns the first source line that is new or changed, or 0.
func (c Changes) First() int {
	for _, e := range c.Edits {
		if e.New > 0 {
			return e.New
		}
	}
	return 0
}

// Changed compares d with an older version. The time grows with their lines as n log n does.
func (d *Document) Changed(old *Document) Changes {
	c := Changes{added: map[int]bool{}, Edits: compared(terminated(old.src), terminated(d.src))}
	for _, e := range c.Edits {
		if e.New > 0 {
			c.Added++
			c.added[e.New] = true
		} else {
			c.Removed++
		}
	}
	return c
}

// compared returns the lines in which two texts differ.
func compared(old, now []byte) (edits []edit) {
	var before, after, hunk int // the numbers of the next lines
	hunks := false
	for line := range strings.Lines(string(diff.Diff("", old, "", now))) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			var oldLines, newLines int
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &before, &oldLines, &after, &newLines)
			before, after = max(before, 1), max(after, 1) // 0 means that there are no lines
			hunks = true
			hunk++
		case !hunks: // the names of the files
		case line[0] == '-':
			edits = append(edits, edit{Old: before, Text: line[1:], hunk: hunk})
			before++
		case line[0] == '+':
			edits = append(edits, edit{New: after, Text: line[1:], hunk: hunk})
			after++
		default:
			before++
			after++
			hunk++
		}
	}
	return edits
}

// terminated returns a text whose last line has a line break.
func terminated(s string) []byte {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return []byte(s)
}
