package markdown

import "strings"

// indentation counts the spaces at the start of line. (There are no tabs: model.Text has replaced them with spaces.)
func indentation(line string) int { return run(line, " ") }

// run counts how many of the characters in of s begins with.
func run(s, of string) int { return len(s) - len(strings.TrimLeft(s, of)) }

func isHeading(text string) bool {
	n := run(text, "#")
	return n > 0 && n <= 6 && (n == len(text) || text[n] == ' ')
}

// fenceLength is how many backquotes or tildes begin a fence, or 0.
func fenceLength(text string) int {
	n := max(run(text, "`"), run(text, "~"))
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") {
		return 0
	}
	return n
}

// isRule reports whether text is a thematic break: three or more of - * _ and spaces.
func isRule(text string) bool {
	return strings.Trim(text[:1], "-*_") == "" && strings.Trim(text, text[:1]+" ") == "" && strings.Count(text, text[:1]) >= 3
}

// isFootnote reports whether text is a footnote: "[^label]: words".
func isFootnote(text string) bool {
	label, _, ok := strings.Cut(text, "]:")
	return ok && len(label) > 2 && label[:2] == "[^" && !strings.ContainsAny(label[2:], "[] ")
}

// isUnderline reports whether text makes the paragraph before it a heading.
func isUnderline(text string) bool {
	return strings.Trim(text[:1], "=-") == "" && strings.Trim(strings.TrimLeft(text, text[:1]), " ") == ""
}

// isTableRule reports whether text is the line below a table's header.
func isTableRule(text string) bool {
	return strings.Trim(text, "-|: ") == "" && strings.Contains(text, "|") && strings.Contains(text, "-")
}

// itemMarker returns the mark of the list item at the start of text, and the number of columns before its content; 0 columns if there is no
// item.
func itemMarker(text string) (marker string, columns int) {
	digits, ends := run(text, "0123456789"), ".)"
	if digits == 0 {
		ends = "-*+"
	}
	n := digits + 1
	if digits > 9 || n > len(text) || !strings.Contains(ends, text[digits:n]) {
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

// tooDeep reports whether a line begins with more marks of lists and quotes than maxDepth. Two columns of indentation count as one mark.
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

// interrupts reports whether a list item can begin directly after a paragraph's line.
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

// refKey returns a link's label in the form in which definitions are stored.
func refKey(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}
