package agents

import (
	"errors"
	"path/filepath"
	"strings"
)

// The files of a repository in which agents' programs look for instructions: the one that most read,
// and Claude Code's.
const (
	InstructionFile       = "AGENTS.md"
	ClaudeInstructionFile = "CLAUDE.md"
)

// The lines around what vise keeps in such a file.
const (
	primerBegins = "<!-- vise prime --write keeps this up to the line that ends it -->\n"
	primerEnds   = "<!-- end of vise prime -->\n"
)

// KeepPrimer keeps a text as a block of an instruction file, or takes it out.
func KeepPrimer(o Options, path, text string) (Installed, error) {
	return o.carryOut([]target{primerFile(path, text)}, Installed{DryRun: o.DryRun})
}

// primerOf is the instruction file of a project for its program, from which the block is taken.
func (o Options) primerOf() target {
	name := InstructionFile
	if o.Program == "claude" {
		name = ClaudeInstructionFile
	}
	return primerFile(filepath.Join(o.Project, name), "")
}

func primerFile(path, text string) target {
	return target{path: path, edit: func(before []byte, remove bool) ([]byte, string, error) {
		s := string(before)
		head, rest, begins := strings.Cut(s, primerBegins)
		_, tail, ends := strings.Cut(rest, primerEnds)
		block := primerBegins + text + primerEnds
		switch {
		case begins != ends || strings.Contains(tail, primerBegins):
			return nil, "", errors.New("the lines around vise's block are not both there once")
		case remove && !begins:
			return before, "", nil
		case remove && strings.TrimSpace(tail) == "":
			return []byte(strings.TrimSuffix(head, "\n") + tail), "", nil
		case remove:
			return []byte(head + tail), "", nil
		case begins:
			return []byte(head + block + tail), "", nil
		case s != "" && !strings.HasSuffix(s, "\n"):
			s += "\n"
		}
		if s != "" {
			s += "\n"
		}
		return []byte(s + block), "", nil
	}}
}
