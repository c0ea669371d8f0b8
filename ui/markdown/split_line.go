package markdown

import (
	"strings"

	"vise/ui/markdown/layout"
)

// indentation counts the spaces that line begins with. (There are no tabs: model.Text
// has made spaces of them.)
func indentation(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

func isBlank(s string) bool { return indentation(s) == len(s) }

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
	return isBlank(text[run(text, text[0]):])
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

// nestMarker is the mark of the list item or quote that text begins with, and how many
// columns lie before its content; 0 columns if there is none.
func nestMarker(text string) (marker string, columns int) {
	if text == "" {
		return "", 0
	}
	n := 1
	switch c := text[0]; {
	case c == '>':
		if len(text) > 1 && text[1] == ' ' {
			return ">", 2
		}
		return ">", 1
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
	case n+spaces == len(text): // nothing follows
		return text[:n], n + 1
	case spaces == 0:
		return "", 0
	case spaces > codeIndent: // indented code in an item
		return text[:n], n + 1
	default:
		return text[:n], n + spaces
	}
}

// interrupts reports whether a list item or quote may begin right after a paragraph's line.
func interrupts(marker, text string) bool {
	switch marker {
	case ">":
		return true
	case "-", "*", "+", "1.", "1)":
		return !isBlank(text[len(marker):])
	}
	return false
}

// htmlEnd is what ends the HTML that text begins with: "\n" for a blank line, "" if text
// is not HTML.
func htmlEnd(text string) string {
	if len(text) < 3 || text[0] != '<' {
		return ""
	}
	c := text[1] | 0x20
	switch {
	case strings.HasPrefix(text, "<!--"):
		return "-->"
	case text[1] == '?':
		return "?>"
	case text[1] == '!' || text[1] == '/':
		return "\n"
	case c < 'a' || c > 'z':
		return ""
	}
	name := strings.IndexAny(text, " >/:@.")
	if name < 0 || text[name] == ':' || text[name] == '@' || text[name] == '.' {
		return "" // <https://an.address> or <mail@an.address>
	}
	return "\n"
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

// definition reads a link definition, "[label]: address "title"".
func definition(text string) (label string, ref layout.Reference, ok bool) {
	const longest = 1 << 10
	label, rest, ok := strings.Cut(text, "]:")
	if !ok || len(label) < 2 || label[0] != '[' || strings.ContainsAny(label[1:], "[]") || len(text) > longest {
		return "", layout.Reference{}, false
	}
	rest = strings.TrimSpace(rest)
	ref.Address, ref.Title, _ = strings.Cut(rest, " ")
	if strings.HasPrefix(rest, "<") {
		ref.Address, ref.Title, _ = strings.Cut(rest[1:], ">")
	}
	ref.Title = strings.Trim(ref.Title, ` "'()`)
	return label[1:], ref, ref.Address != ""
}
