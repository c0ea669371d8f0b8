package todo

import "strings"

// Place is where a finding's snippet stands in code as it is now.
type Place struct {
	// Line counts from 1; 0 when the snippet is not there.
	Line int `json:"line"`
	// Lines is how many lines the snippet has.
	Lines int `json:"lines"`
	// Changed says that the code is no longer what the finding quotes: only some of its
	// lines were found, or none.
	Changed bool `json:"changed"`
	// Copies is how often the whole snippet occurs; above 1 the one nearest the hint is Line.
	Copies int `json:"copies"`
}

// Locate finds a quoted snippet in code by its lines, whatever their indentation; a line
// number is only a hint for choosing among copies. When the whole is not there, the
// longest run of its lines is.
func Locate(code, snippet string, hint int) Place {
	have, want := trimmedLines(code), trimmedLines(snippet)
	for len(want) > 0 && want[len(want)-1] == "" {
		want = want[:len(want)-1]
	}
	for len(want) > 0 && want[0] == "" {
		want = want[1:]
	}
	if len(want) == 0 {
		return Place{Changed: true}
	}
	if p := locateWhole(have, want, hint); p.Copies > 0 {
		return p
	}
	return locatePart(have, want)
}

func locateWhole(have, want []string, hint int) Place {
	p := Place{Lines: len(want)}
	for i := range have {
		if run(have[i:], want) < len(want) {
			continue
		}
		p.Copies++
		if p.Line == 0 || nearer(i+1, p.Line, hint) {
			p.Line = i + 1
		}
	}
	return p
}

func locatePart(have, want []string) Place {
	best := Place{Changed: true}
	for k := range want {
		for i := range have {
			if n := run(have[i:], want[k:]); n > best.Lines && substantial(want[k:k+n]) {
				best.Line, best.Lines = i+1, n
			}
		}
	}
	return best
}

func run(have, want []string) int {
	n := 0
	for n < len(have) && n < len(want) && have[n] == want[n] {
		n++
	}
	return n
}

// substantial says whether lines are more than braces and blanks, which occur anywhere.
func substantial(lines []string) bool {
	return len(strings.Trim(strings.Join(lines, ""), "{}()[];, ")) >= 4
}

func nearer(line, than, hint int) bool {
	return hint > 0 && max(line, hint)-min(line, hint) < max(than, hint)-min(than, hint)
}

func trimmedLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return lines
}
