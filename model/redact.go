package model

import (
	"regexp"
	"strings"
	"sync"
)

// secrets compiles the forms of secrets at their first use, because few commands save texts.
var secrets = sync.OnceValue(func() (s struct{ key, line, url, bearer, jwt, github, aws, inline, variable, flag *regexp.Regexp }) {
	c := regexp.MustCompile
	s.key = c(`(?i)-----BEGIN [A-Z ]*PRIVATE KEY-----`)
	s.line = c(`(?m)^[ \t]*([A-Za-z_][A-Za-z0-9_]*)(=)(.*\S.*)$`)
	s.url = c(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]*:[^/\s@]*@`)
	s.bearer = c(`(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{8,}\b`)
	s.jwt = c(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\b`)
	s.github = c(`\bgh[pousr]_[A-Za-z0-9]{20,}\b`)
	s.aws = c(`\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b`)
	s.inline = c(`(?i)\b(token|password|passwd|secret|api[_-]?key|access[_-]?key|client[_-]?secret|authorization|cookie|` +
		`credential|session)\b(\s*[:=]\s*)(\S+)`)
	s.variable = c(`\b([A-Z][A-Z0-9_]*)(=)(\S+)`)
	s.flag = c(`(--[a-z-]*)(\s+)([^\s-]\S*)`)
	return s
})

// secretKinds are words in the name of a value that is a secret, each with the kind of secret. The first that occurs counts.
var secretKinds = [][2]string{
	{"private_key", "private_key"}, {"ssh_key", "private_key"}, {"api_key", "api_key"},
	{"apikey", "api_key"},
	{"access_key", "access_key"}, {"secret", "secret"}, {"passwd", "password"}, {"password", "password"},
	{"authorization", "credential"}, {"auth_header", "credential"},
	{"cookie", "credential"}, {"credential", "credential"}, {"session", "session"}, {"token", "token"},
}

// Redact replaces known forms of secrets in a text by [redacted:KIND], as AICTX does in files that are shared. Beyond AICTX's forms it
// finds variables and flags within a command, addresses with a password within a text, and a private key whose end is missing.
func Redact(t Text) Text {
	s, find := t.Raw(), secrets() // raw: a Text again
	if find.key.MatchString(s) {
		return "[redacted:private_key]"
	}
	s = redactNamed(find.line, s)
	s = find.url.ReplaceAllString(s, "$1[redacted:credential]@")
	s = find.bearer.ReplaceAllString(s, "Bearer [redacted:token]")
	s = find.github.ReplaceAllString(find.jwt.ReplaceAllString(s, "[redacted:token]"), "[redacted:token]")
	s = find.aws.ReplaceAllString(s, "[redacted:access_key]")
	for _, form := range []*regexp.Regexp{find.inline, find.variable, find.flag} {
		s = redactNamed(form, s)
	}
	return Text(s)
}

// redactNamed replaces the values whose names say that they are secrets. A form has three groups: name, sign, value.
func redactNamed(form *regexp.Regexp, s string) string {
	return form.ReplaceAllStringFunc(s, func(found string) string {
		part := form.FindStringSubmatch(found)
		name := strings.ReplaceAll(strings.ToLower(part[1]), "-", "_")
		for _, k := range secretKinds {
			if strings.Contains(name, k[0]) {
				return part[1] + part[2] + "[redacted:" + k[1] + "]"
			}
		}
		return found
	})
}
