package model

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// secretForm is a form of secrets, and what replaces one. Without a replacement it has three groups, name, sign and value, and the name
// decides.
type secretForm struct {
	*regexp.Regexp
	with string
}

// secretForms are compiled at their first use, because few commands save texts.
var secretForms = sync.OnceValue(func() (forms []secretForm) {
	for _, f := range [][2]string{
		{`(?is)^.*-----BEGIN [A-Z ]*PRIVATE KEY-----.*$`, "[redacted:private_key]"},
		{`(?m)^[ \t]*([A-Za-z_][A-Za-z0-9_]*)(=)(.*\S.*)$`},
		{`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]*:[^/\s@]*@`, "$1[redacted:credential]@"},
		{`(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{8,}\b`, "Bearer [redacted:token]"},
		{`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\b`, "[redacted:token]"},
		{`\bgh[pousr]_[A-Za-z0-9]{20,}\b`, "[redacted:token]"},
		{`\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b`, "[redacted:access_key]"},
		{`(?i)\b(token|password|passwd|secret|api[_-]?key|access[_-]?key|client[_-]?secret|authorization|cookie|` +
			`credential|session)\b(\s*[:=]\s*)(\S+)`},
		{`\b([A-Z][A-Z0-9_]*)(=)(\S+)`},
		{`(--[a-z-]*)(\s+)([^\s-]\S*)`},
	} {
		forms = append(forms, secretForm{regexp.MustCompile(f[0]), f[1]})
	}
	return forms
})

// secretNames are words in the name of a value that is a secret, some with the kind of secret. The first that occurs counts.
var secretNames = strings.Fields("private_key ssh_key:private_key api_key apikey:api_key access_key secret passwd:password password " +
	"authorization:credential auth_header:credential cookie:credential credential session token")

// Redact replaces known forms of secrets in a text by [redacted:KIND], as AICTX does in files that are shared. Beyond AICTX's forms it
// finds variables and flags within a command, addresses with a password within a text, and a private key whose end is missing.
func Redact(t Text) Text {
	s := t.Raw() // raw: a Text again
	for _, form := range secretForms() {
		if form.with != "" {
			s = form.ReplaceAllString(s, form.with)
			continue
		}
		s = form.ReplaceAllStringFunc(s, func(found string) string {
			part := form.FindStringSubmatch(found)
			name := strings.ReplaceAll(strings.ToLower(part[1]), "-", "_")
			for _, n := range secretNames {
				if word, kind, _ := strings.Cut(n, ":"); strings.Contains(name, word) {
					return part[1] + part[2] + "[redacted:" + cmp.Or(kind, word) + "]"
				}
			}
			return found
		})
	}
	return Text(s)
}
