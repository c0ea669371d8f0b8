package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Payloads are texts that drive a terminal, hide what is there, or show what is not.
var Payloads = map[string]string{
	"clear screen":        "a\x1b[2Jb",
	"leave alt screen":    "a\x1b[?1049lb",
	"device report":       "a\x1b[6nb",
	"title":               "a\x1b]0;owned\x07b",
	"notification":        "a\x1b]9;owned\x1b\\b",
	"clipboard":           "a\x1b]52;c;aGVsbG8=\x07b",
	"inline image":        "a\x1b]1337;File=:AAAA\x07b",
	"link":                "a\x1b]8;;http://evil.example\x1b\\good.example\x1b]8;;\x1b\\b",
	"markdown link":       "[good.example](http://evil.example) [x](javascript:alert(1)) <file:///etc/passwd>",
	"tmux passthrough":    "a\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x07\x1b\\b",
	"sixel":               "a\x1bPq#0;2;0;0;0#0~~\x1b\\b",
	"reset":               "a\x1bcb",
	"lone escape":         "a\x1b",
	"unterminated OSC":    "a\x1b]0;the rest of the screen",
	"unterminated DCS":    "a\x1bPthe rest of the screen",
	"kitty image":         "a\x1b_Gf=100;AAAA\x1b\\b",
	"privacy message":     "a\x1b^x\x1b\\b",
	"start of string":     "a\x1bXx\x1b\\b",
	"lines and regions":   "a\x1b[99L\x1b[3;4r\x1b[99;99Hb",
	"conceal":             "a\x1b[8mhidden\x1b[0mb",
	"blink":               "a\x1b[5mb",
	"C1 CSI":              "a\u009b2Jb",
	"C1 OSC":              "a\u009d52;c;aGVsbG8=\u009cb",
	"C1 bytes":            "a\x9b2Jb\x9d0;x\x9c",
	"bidi override":       "a\u202egnp.exe\u202cb",
	"bidi isolate":        "a\u2066b\u2069\u2067c\u2069",
	"zero width":          "a\u200bb\u200cc\ufeffd\u2060e",
	"tags":                "a\U000e0041\U000e0042b",
	"line separators":     "a\u2028b\u2029c\u0085d",
	"combining marks":     "a" + strings.Repeat("\u0301", 500) + "b",
	"carriage return":     "safe text\revil",
	"backspaces":          "good\b\b\b\bevil",
	"invalid UTF-8":       "a\xff\xfe\xc3\x28b",
	"bell, NUL, DEL":      "a\x07\x00\x7fb",
	"entities":            "&#27;]52;c;aGVsbG8=&#7; &#x1b;[2J &#155;2J &#8238;x",
	"entities in code":    "`\x1b[2J` &lt;b&gt;\n\n    \x1b]0;x\x07\n\n```\n\x1b[2J\u202e\n```\n",
	"html":                "<div>\x1b[2J</div>\n\n<!-- \x1b]52;c;aGVsbG8=\x07 -->",
	"table":               "| a\x1b[2J | b |\n|---|---|\n| \u202ex | \x1bc |\n",
	"tabs and newlines":   "a\tb\nc\r\nd\ve\ff",
	"wide and joined":     "日本語 👩‍👩‍👧‍👦 👍🏽 🇩🇪 क्षि ก็ ﷽ שלום",
	"72 nested quotes":    strings.Repeat("> ", 72) + "x",
	"154 nested lists":    nestedList(154),
	"markdown everywhere": "# h\n\n***\n\n- [ ] task\n\n![img](http://evil.example/x.png)\n\n[ref]: http://evil.example\n\n[ref]",
}

func nestedList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

// Harmful names the first thing in s that is neither visible nor a colour.
func Harmful(s string) string {
	for i, r := range s {
		switch {
		case r == '\n':
		case r == '\x1b':
			end := strings.IndexByte(s[i:], 'm')
			if end < 0 || !isColour(s[i:i+end]) {
				return fmt.Sprintf("%q", s[i:min(i+12, len(s))])
			}
		case unicode.IsControl(r), r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			return fmt.Sprintf("%U", r)
		case unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp), r >= 0xE0000 && r <= 0xE0FFF,
			r == 0x200B, r == 0xFEFF, r == 0x2060:
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// isColour accepts "ESC [ numbers", without conceal and blink.
func isColour(seq string) bool {
	params, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok {
		return false
	}
	parts := strings.Split(params, ";")
	for i := 0; i < len(parts); i++ {
		n, err := strconv.Atoi(parts[i])
		switch {
		case parts[i] == "":
		case err != nil, n == 5, n == 6, n == 8:
			return false
		case n == 38 || n == 48 || n == 58:
			if i+1 < len(parts) && parts[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
	return true
}
