package markdown

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Changes are the lines by which a document differs from an older one.
type Changes struct {
	Added, Removed int
	// Edits are the lines in the order of the document, removed ones first where they
	// stand together.
	Edits []edit

	added map[int]bool
}

// edit is a line that was added or removed.
type edit struct {
	Old, New int // its number in the older or the newer document, 0 if it is not in it
	Text     string
	// hunk counts the places where lines that stand together differ.
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

// First is the first source line that is new or changed, 0 if none is.
func (c Changes) First() int {
	for _, e := range c.Edits {
		if e.New > 0 {
			return e.New
		}
	}
	return 0
}

// Changed compares d with what it was, in time that grows with their lines as n log n does.
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

// compared are the lines by which two texts differ.
func compared(old, now []byte) (edits []edit) {
	var before, after, hunk int // the lines that come next
	hunks := false
	for line := range strings.Lines(string(diff.Diff("", old, "", now))) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			var oldLines, newLines int
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &before, &oldLines, &after, &newLines)
			before, after = max(before, 1), max(after, 1) // 0 stands for no lines
			hunks = true
			hunk++
		case !hunks: // names of the files
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

// terminated is a text whose last line ends like the others.
func terminated(s string) []byte {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return []byte(s)
}
