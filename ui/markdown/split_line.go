package markdown

import "strings"

// indentation counts the spaces that line begins with. (There are no tabs: model.Text
// has made spaces of them.)
func indentation(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// headingLevel is how many # begin a heading, 0 for other lines.
func headingLevel(text string) int {
	n := run(text, '#')
	if n > 6 || n < len(text) && text[n] != ' ' {
		return 0
	}
	return n
}

// run counts how often c stands at the beginning of s.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// fenceLength is how many backquotes or tildes begin a fence, 0 for other lines.
func fenceLength(text string) int {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return 0
	}
	n := run(text, text[0])
	if n < 3 || text[0] == '`' && strings.IndexByte(text[n:], '`') >= 0 {
		return 0
	}
	return n
}

// isRule reports whether text is a thematic break: three or more of - * _ and spaces.
func isRule(text string) bool {
	if text == "" || text[0] != '-' && text[0] != '*' && text[0] != '_' {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			n++
		case ' ':
		default:
			return false
		}
	}
	return n >= 3
}

// isUnderline reports whether text makes a heading of the paragraph before it.
func isUnderline(text string) bool {
	if text == "" || text[0] != '=' && text[0] != '-' {
		return false
	}
	return strings.Trim(text[run(text, text[0]):], " ") == ""
}

// isTableRule reports whether text is the line below a table's header.
func isTableRule(text string) bool {
	dashes := 0
	for i := range len(text) {
		switch text[i] {
		case '-':
			dashes++
		case '|', ':', ' ':
		default:
			return false
		}
	}
	return dashes > 0 && strings.IndexByte(text, '|') >= 0
}

// itemMarker is the mark of the list item that text begins with, and how many columns lie
// before its content; 0 columns if there is none.
func itemMarker(text string) (marker string, columns int) {
	if text == "" {
		return "", 0
	}
	n := 1
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
	case c >= '0' && c <= '9':
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n > 9 || n == len(text) || text[n] != '.' && text[n] != ')' {
			return "", 0
		}
		n++
	default:
		return "", 0
	}
	switch spaces := indentation(text[n:]); {
	case n+spaces == len(text), spaces > codeIndent: // nothing follows, or indented code
		return text[:n], n + 1
	case spaces == 0:
		return "", 0
	default:
		return text[:n], n + spaces
	}
}

// tooDeep reports whether a line begins with more marks of lists and quotes than maxDepth, two
// columns of indentation counted as one.
func tooDeep(line string) bool {
	for depth := 0; depth <= maxDepth; depth++ {
		text := strings.TrimLeft(line, " ")
		_, columns := itemMarker(text)
		if strings.HasPrefix(text, ">") {
			columns = 1
		}
		if columns == 0 {
			return false
		}
		depth += (len(line) - len(text)) / 2
		line = text[min(columns, len(text)):]
	}
	return true
}

// interrupts reports whether a list item may begin right after a paragraph's line.
func interrupts(marker, text string) bool {
	switch marker {
	case "-", "*", "+", "1.", "1)":
		return strings.Trim(text[len(marker):], " ") != ""
	}
	return false
}

// isKey reports whether a line of front matter begins with "key:".
func isKey(line string) bool {
	name, rest, ok := strings.Cut(line, ":")
	return ok && name != "" && !strings.ContainsAny(name, " -#") && (rest == "" || rest[0] == ' ')
}

// refKey is a link's label as definitions are looked up by.
func refKey(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}
