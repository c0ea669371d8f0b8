package markdown

import (
	"strings"

	"vise/model"
)

const (
	escape = '\x1b'
	reset  = "\x1b[m"
)

// Styled is one line of a renderer's output made safe for a terminal: of its sequences
// only colours, bold, faint, italic, underline, reverse and strike-through are left, a
// link's sequences go, and any other control or hidden character is shown as a mark. The
// style ends with the line, and spaces at the end are gone.
func Styled(line string) string {
	var p pen
	for line != "" {
		i := strings.IndexByte(line, escape)
		if i < 0 {
			i = len(line)
		}
		p.write(model.Text(line[:i]).String())
		line = line[i:]
		if line == "" {
			break
		}
		if n := linkLength(line); n > 0 {
			line = line[n:]
		} else if n := styleLength(line); n > 0 {
			p.style(line[2 : n-1])
			line = line[n:]
		} else {
			p.write(model.TextMark)
			line = line[1:]
		}
	}
	return p.line()
}

// linkLength is the length of the link sequence (OSC 8) that s begins with, 0 if there is none.
func linkLength(s string) int {
	const longest = 4 << 10
	if !strings.HasPrefix(s, "\x1b]8;") {
		return 0
	}
	for i := 4; i < len(s) && i < longest; i++ {
		switch {
		case s[i] == '\a':
			return i + 1
		case s[i] == escape && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == escape || s[i] < ' ':
			return 0
		}
	}
	return 0
}

// styleLength is the length of the style sequence (SGR) that s begins with, 0 if there is none.
func styleLength(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// pen writes text with as few style sequences as it can.
type pen struct {
	b      strings.Builder
	want   string // parameters of the style for what comes
	active string // of the style that the terminal is in
	spaces int    // written only if a letter follows
}

func (p *pen) write(s string) {
	letters := strings.TrimRight(s, " ")
	if letters != "" {
		p.flush()
		p.b.WriteString(letters)
	}
	p.spaces += len(s) - len(letters)
}

// flush writes the spaces held back and changes to the style that is wanted.
func (p *pen) flush() {
	for ; p.spaces > 0; p.spaces-- {
		p.b.WriteByte(' ')
	}
	if p.want == p.active {
		return
	}
	if p.active != "" {
		p.b.WriteString(reset)
	}
	if p.want != "" {
		p.b.WriteString("\x1b[" + p.want + "m")
	}
	p.active = p.want
}

// style adds parameters to the style that is wanted.
func (p *pen) style(params string) {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		p.want = ""
	}
	for len(fields) > 0 {
		n := colourLength(fields)
		code := strings.Join(fields[:n], ";")
		if strings.Trim(code, "0") == "" {
			p.want = ""
		} else if allowed(fields[0], n) && len(p.want) < maxStyle {
			p.want = strings.TrimPrefix(p.want+";"+code, ";")
		}
		fields = fields[n:]
	}
}

// maxStyle bounds what a line's style may grow to without a reset.
const maxStyle = 200

// colourLength is how many parameters belong to the first: "38;2;r;g;b", "38;5;n".
func colourLength(fields []string) int {
	n := 1
	if f := fields[0]; len(fields) > 1 && (f == "38" || f == "48" || f == "58") {
		switch fields[1] {
		case "2":
			n = 5
		case "5":
			n = 3
		}
	}
	return min(n, len(fields))
}

// allowed reports whether a style's parameter may pass: no blinking, nothing concealed.
func allowed(param string, length int) bool {
	switch param {
	case "1", "2", "3", "4", "7", "9", "22", "23", "24", "27", "29", "39", "49", "59":
		return true
	case "38", "48", "58":
		return length > 1
	}
	if len(param) < 2 || len(param) > 3 {
		return false
	}
	tens, unit := param[:len(param)-1], param[len(param)-1]
	return unit <= '7' && (tens == "3" || tens == "4" || tens == "9" || tens == "10")
}

// line is what was written, its style ended.
func (p *pen) line() string {
	if p.active != "" {
		p.b.WriteString(reset)
	}
	return p.b.String()
}
