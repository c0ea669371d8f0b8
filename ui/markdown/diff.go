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

// Changed compares d with what it was, in time that grows with their lines as n log n does.
func (d *Document) Changed(old *Document) Changes {
	c := Changes{added: map[int]bool{}}
	text := diff.Diff("", terminated(old.src), "", terminated(d.src))
	var before, after int // the lines that come next
	hunks := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			var oldLines, newLines int
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &before, &oldLines, &after, &newLines)
			before, after = max(before, 1), max(after, 1) // 0 stands for no lines
			hunks = true
		case !hunks: // names of the files
		case line[0] == '-':
			c.Removed++
			c.Edits = append(c.Edits, edit{Old: before, Text: line[1:]})
			before++
		case line[0] == '+':
			c.Added++
			c.added[after] = true
			c.Edits = append(c.Edits, edit{New: after, Text: line[1:]})
			after++
		default:
			before++
			after++
		}
	}
	return c
}

// terminated is a text whose last line ends like the others.
func terminated(s string) []byte {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return []byte(s)
}
