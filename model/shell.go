package model

import (
	"slices"
	"strings"
)

// ShellLine writes a command as a line of a POSIX shell.
func ShellLine(words []string) string {
	var line []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"$\\`;&|<>()*?[]#~!{}") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

// shellLink is a simple command of a line, or a group in parentheses, with the operator before it.
type shellLink struct {
	op    string
	words []string
	// behind: it runs in the background.
	behind bool
}

// group is the line in the parentheses of a subshell.
func (l shellLink) group() (inner string, is bool) {
	all := strings.Join(l.words, " ")
	return strings.TrimSuffix(strings.TrimPrefix(all, "("), ")"), strings.HasPrefix(all, "(") && strings.HasSuffix(all, ")")
}

// shellLinks are the simple commands of a line. If a pipe fails when any of its commands fails (pipefail), it counts as "&&".
// understood is false if the line after the last link could not be read.
func shellLinks(line string) (list []shellLink, understood bool) {
	s := shellReader{rest: line, op: ";"}
	for s.rest != "" {
		if !s.next() {
			return s.list, false
		}
	}
	s.end("")
	return s.list, s.depth == 0 && s.quote == 0
}

// shellReader reads a shell line only as far as needed to separate its commands.
type shellReader struct {
	rest  string
	list  []shellLink
	op    string
	words []string
	word  strings.Builder
	begun bool
	// quote is the open quotation mark, depth the number of open parentheses.
	quote byte
	depth int
	// pipefail: a pipe fails if any of its commands fails.
	pipefail bool
}

// next reads the next part of the line; false: it does not understand it.
func (s *shellReader) next() bool {
	c := s.rest[0]
	switch {
	case c == '\\' && s.quote != '\'':
		s.take(min(2, len(s.rest)))
	case s.quote != 0 || c == '\'' || c == '"' || c == '`':
		if s.quote == 0 {
			s.quote = c
		} else if s.quote == c {
			s.quote = 0
		}
		s.take(1)
	case c == '(' || c == ')':
		if c == '(' {
			s.depth++
		} else {
			s.depth--
		}
		s.take(1)
		return s.depth >= 0
	case s.depth > 0:
		s.take(1)
	case strings.HasPrefix(s.rest, "<<"):
		return false
	case c == '#' && !s.begun:
		comment, _, _ := strings.Cut(s.rest, "\n")
		s.rest = s.rest[len(comment):]
	case c == ' ' || c == '\t' || c == '\r':
		s.endWord()
		s.rest = s.rest[1:]
	case strings.ContainsRune(";\n|&", rune(c)) && !s.redirects():
		op := s.rest[:1]
		if len(s.rest) > 1 && s.rest[1] == c && c != '\n' {
			op = s.rest[:2]
		}
		s.rest = strings.TrimPrefix(s.rest[len(op):], "&") // of |&
		s.end(op)
	default:
		s.take(1)
	}
	return true
}

// redirects reports whether the next character is part of a redirection: 2>&1, &>file, >|file.
func (s *shellReader) redirects() bool {
	soFar := s.word.String()
	return strings.HasSuffix(soFar, ">") || strings.HasSuffix(soFar, "<") || strings.HasPrefix(s.rest, "&>")
}

func (s *shellReader) take(n int) {
	s.begun = true
	if taken := s.rest[:n]; taken != "\\\n" {
		s.word.WriteString(taken)
	}
	s.rest = s.rest[n:]
}

func (s *shellReader) endWord() {
	if w := s.word.String(); w != "" {
		s.words = append(s.words, w)
	}
	s.word.Reset()
	s.begun = false
}

// end ends a command; op joins the next command to it.
func (s *shellReader) end(op string) {
	s.endWord()
	if len(s.words) > 0 {
		s.pipefail = s.pipefail || s.words[0] == "set" && slices.Contains(s.words, "pipefail")
		s.list = append(s.list, shellLink{s.op, s.words, op == "&"})
		s.op = op
	} else if op == "&&" || op == "||" || op == "|" {
		s.op = op
	}
	s.words = nil
	if s.op == "|" && s.pipefail {
		s.op = "&&"
	}
}
