package agents

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// The instruction files of a repository: the one that most programs read, and Claude Code's.
const (
	InstructionFile       = "AGENTS.md"
	ClaudeInstructionFile = "CLAUDE.md"
)

// The lines around vise's block in such a file.
const (
	primerBegins = "<!-- vise prime --write keeps this up to the line that ends it -->\n"
	primerEnds   = "<!-- end of vise prime -->\n"
)

// KeepPrimer writes a text as a block of an instruction file, or removes the block.
func KeepPrimer(o Options, path, text string) (Installed, error) {
	return o.carryOut([]target{primerFile(path, text)}, Installed{DryRun: o.DryRun})
}

// primerOf returns the instruction file of a project, or the user's, for a program, if it contains the block, so that the block can be
// removed.
func (o Options) primerOf() []target {
	p := programOf(o.Program)
	path := filepath.Join(o.dir(p.config[0], p.config[1:]...), p.instructions)
	if o.Project != "" {
		path = filepath.Join(o.Project, InstructionFile)
	}
	if o.Project != "" && o.Program == "claude" {
		path = filepath.Join(o.Project, ClaudeInstructionFile)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), primerBegins) {
		return nil
	}
	return []target{primerFile(path, "")}
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
