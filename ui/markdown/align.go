package markdown

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// row is one line of a rendered block and the source lines it shows, counted from the
// block's first.
type row struct {
	text     string
	from, to int32
	wide     bool // may be wider than the pane
}

// align finds which source lines each rendered line shows, by the letters that both have
// in the same order: Glamour does not tell. No source line is left out.
func align(source, rendered []string) []row {
	rows := make([]row, len(rendered))
	all, starts := letters(source)
	at := 0
	for i, line := range rendered {
		rows[i].text = line
		if len(source) == 1 {
			continue
		}
		here := lettersOf(plainText(line))
		if n := strings.Index(all[at:], here[:min(len(here), keyLength)]); n > 0 && here != "" {
			at += n
		}
		last := min(at+max(len(here)-1, 0), max(len(all)-1, 0))
		rows[i].from, rows[i].to = lineOf(starts, at), lineOf(starts, last)
		if i == 0 {
			rows[i].from = 0
		} else {
			rows[i].from = min(rows[i].from, rows[i-1].to+1)
		}
		rows[i].to = max(rows[i].to, rows[i].from)
		at = min(at+len(here)*3/4, len(all)) // not all of it: a mark may have become a letter
	}
	rows[len(rows)-1].to = int32(len(source) - 1)
	return rows
}

// keyLength is how many bytes of letters find a rendered line in its source.
const keyLength = 24

// letters are the letters and digits of lines, and where those of each line begin.
func letters(lines []string) (all string, starts []int) {
	var b strings.Builder
	for _, line := range lines {
		starts = append(starts, b.Len())
		b.WriteString(lettersOf(line))
	}
	return b.String(), starts
}

func plainText(line string) string { return ansi.Strip(line) }

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// lineOf is the last line that begins at or before at.
func lineOf(starts []int, at int) int32 {
	lo, hi := 0, len(starts)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; starts[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return int32(lo)
}
