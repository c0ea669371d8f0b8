package thread

import (
	"strings"

	"vise/model"
)

// Remedy is a way out of a skip, with the command that does it.
type Remedy struct {
	Kind    string
	Command model.Text
}

// The lengths of what may be handed to git as a commit. Hostile thread files cannot smuggle
// an option in.
const (
	shortCommit = 7
	longCommit  = 64
)

// IsCommit reports whether s is spelled like a commit id.
func IsCommit(s string) bool {
	return len(s) >= shortCommit && len(s) <= longCommit && strings.Trim(s, "0123456789abcdef") == ""
}

// Remedies are the ways out of a skip: back to where it was saved, a fresh thread here,
// taking it over, looking at the difference. None for a loadable thread.
func (j BranchCheck) Remedies(id ID) []Remedy {
	if j.Loadable {
		return nil
	}
	var out []Remedy
	if j.Reason != FallbackNoGit {
		out = append(out, Remedy{"switch", model.Text(j.checkout())})
	}
	out = append(out,
		Remedy{"fresh", "vise thread start GOAL"},
		Remedy{"rebind", model.Text("vise thread resume " + string(id) + " --rebind")})
	if IsCommit(j.SavedHead) {
		out = append(out, Remedy{"diff", model.Text("git diff " + j.SavedHead + " HEAD")})
	}
	return out
}

func (j BranchCheck) checkout() string {
	if j.SavedBranch == DetachedBranch || j.SavedBranch == "" {
		return "git switch --detach " + shellWord(j.SavedHead)
	}
	return "git switch " + shellWord(j.SavedBranch.Raw())
}

// shellWord quotes a word for a shell; branch names come from files.
func shellWord(s string) string {
	plain := strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" &&
		s != "" && s[0] != '-'
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
