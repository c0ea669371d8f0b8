package thread

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// GitState says whether a repository could be read, or why not.
type GitState string

// The states of git. Users are told about each state except GitOK.
const (
	GitOK           GitState = "ok"
	GitNoRepository GitState = "no_repository"
	GitMissing      GitState = "git_missing"
	GitUnborn       GitState = "unborn_branch"
	GitSlow         GitState = "git_slow"
	GitFailed       GitState = "git_failed"
)

// sentence describes a state that is not ok.
func (s GitState) sentence() string {
	return cmp.Or(map[GitState]string{
		GitNoRepository: "this is no git repository",
		GitMissing:      "the git program is missing",
		GitUnborn:       "the branch has no commit yet",
		GitSlow:         "git did not answer in time",
	}[s], "git failed")
}

// Words say why git did not answer.
func (g Git) Words() model.Text {
	if g.Detail == "" || g.State == GitNoRepository {
		return model.Text(g.State.sentence())
	}
	return model.Text(g.State.sentence()) + ": " + g.Detail
}

// DetachedBranch is the branch of a detached HEAD in thread files.
const DetachedBranch = "(detached)"

// Git is the present state of a repository.
type Git struct {
	State GitState
	// Branch is empty if HEAD is detached.
	Branch   model.Text
	Detached bool
	Head     string
	// Dirty: a file is changed or untracked, apart from vise's state directories.
	Dirty        bool
	ChangedFiles []model.Text
	// Detail is git's error message.
	Detail model.Text
}

// BranchName returns the branch as thread files name it.
func (g Git) BranchName() model.Text {
	if g.Detached {
		return DetachedBranch
	}
	return g.Branch
}

// GitContext is the state of the repository that a thread saved.
type GitContext struct {
	Available bool `key:"available"`
	// Reason is the reason why git was not available.
	Reason       model.Text   `key:"reason"`
	Branch       model.Text   `key:"branch"`
	Head         string       `key:"head"`
	Dirty        bool         `key:"dirty"`
	ChangedFiles []model.Text `key:"changed_files"`
	CapturedAt   model.Text   `key:"captured_at"`

	more object
}

// Lineage is the relation of a saved commit to HEAD.
type Lineage string

const (
	Reachable Lineage = "reachable"
	// Squashed: not reachable, but HEAD's history has its whole change as one commit.
	Squashed Lineage = "squashed"
	// Rebased: not reachable, but HEAD's history has a copy of each of its commits.
	Rebased   Lineage = "rebased"
	Unrelated Lineage = "unreachable"
	// Gone: the repository does not have the commit.
	Gone Lineage = "gone"
	// Undecided: git did not answer.
	Undecided Lineage = "undecided"
)

// Lineages holds the answers for saved commits. Commits without an entry were not asked about yet.
type Lineages map[string]Lineage

// BranchRef, followed by a branch's name, asks whether the branch still exists or is Gone.
const BranchRef = "refs/heads/"

// NeedLineage is the error of a rule that needs the lineage of Head, a commit or a BranchRef. The caller asks git and judges again.
type NeedLineage struct{ Head string }

func (e *NeedLineage) Error() string { return "the lineage of a saved commit is not known" }

// contextOf returns what a thread saves about the repository. If git cannot answer, the facts of an earlier save stay.
func contextOf(g Git, at model.Text, before *GitContext) *GitContext {
	var more object
	if before != nil {
		more = before.more
	}
	if g.State != GitOK {
		if before != nil && before.Available {
			return before
		}
		return &GitContext{Reason: "git_unavailable", CapturedAt: at, more: more}
	}
	return &GitContext{
		Available: true, Branch: g.BranchName(), Head: g.Head, Dirty: g.Dirty,
		ChangedFiles: g.ChangedFiles, CapturedAt: at, more: more,
	}
}

func readGitContext(o object) (*GitContext, bool) {
	c, ok := &GitContext{}, false
	c.more, ok = readEntry(o, c)
	return c, ok
}

func (c *GitContext) json() object {
	o := copyOf(c.more)
	o["available"] = c.Available
	o["captured_at"] = c.CapturedAt
	if !c.Available {
		o["reason"] = c.Reason
		return o
	}
	o["branch"], o["head"], o["dirty"] = c.Branch, c.Head, c.Dirty
	o["changed_files"] = c.ChangedFiles[:min(len(c.ChangedFiles), maxChanged)]
	return o
}

// OwnState reports whether a file never makes a repository dirty. Work State and file todos are about the work, not part of it. An
// untracked entry in tmp can be a whole directory that git shows as one, so it counts as own state.
func OwnState(name string, untracked bool) bool {
	if name == ".aictx" || strings.HasPrefix(name, ".aictx/") || strings.Contains(name, "/.aictx/") {
		return true
	}
	rest, inTmp := strings.CutPrefix(name, "tmp/")
	steps := strings.Split(rest, "/")
	return inTmp && (untracked || len(steps) > 3 && steps[2] == "todos")
}

// dirty returns the saved flag. It returns false if all changed files are own state, which other programs count as changes. A full list can
// be incomplete, so then the flag counts.
func (c *GitContext) dirty() bool {
	known := len(c.ChangedFiles) > 0 && len(c.ChangedFiles) < maxChanged
	return c.Dirty && !(known && !slices.ContainsFunc(c.ChangedFiles, func(f model.Text) bool {
		return !OwnState(f.Raw(), f == "tmp/")
	}))
}
