package thread

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// GitState says what could be learned of a repository.
type GitState string

// The states of git. Everything but GitOK is told to the user as such.
const (
	GitOK           GitState = "ok"
	GitNoRepository GitState = "no_repository"
	GitMissing      GitState = "git_missing"
	GitUnborn       GitState = "unborn_branch"
	GitSlow         GitState = "git_slow"
	GitFailed       GitState = "git_failed"
)

// sentence says what a state that is not ok means.
func (s GitState) sentence() string {
	return cmp.Or(map[GitState]string{
		GitNoRepository: "this is no git repository",
		GitMissing:      "the git program is missing",
		GitUnborn:       "the branch has no commit yet",
		GitSlow:         "git did not answer in time",
	}[s], "git failed")
}

// Words say why git does not answer.
func (g Git) Words() model.Text {
	if g.Detail == "" || g.State == GitNoRepository {
		return model.Text(g.State.sentence())
	}
	return model.Text(g.State.sentence()) + ": " + g.Detail
}

// DetachedBranch stands for the branch of a detached HEAD in thread files.
const DetachedBranch = "(detached)"

// Git is a repository as it is now.
type Git struct {
	State GitState
	// Branch is empty when HEAD is detached.
	Branch   model.Text
	Detached bool
	Head     string
	// Dirty: something is changed or untracked, the state directories of vise aside.
	Dirty        bool
	ChangedFiles []model.Text
	// Worktree: a linked worktree; Submodule: the repository belongs to another one.
	Worktree, Submodule bool
	// Detail is what git said when it failed.
	Detail model.Text
}

// BranchName is the branch as a thread file names it.
func (g Git) BranchName() model.Text {
	if g.Detached {
		return DetachedBranch
	}
	return g.Branch
}

// GitContext is the repository as a thread saved it.
type GitContext struct {
	Available bool `key:"available"`
	// Reason is why git was not available.
	Reason       model.Text   `key:"reason"`
	Branch       model.Text   `key:"branch"`
	Head         string       `key:"head"`
	Dirty        bool         `key:"dirty"`
	ChangedFiles []model.Text `key:"changed_files"`
	CapturedAt   model.Text   `key:"captured_at"`

	more object
}

// Lineage says how a saved commit stands to HEAD.
type Lineage string

// The lineages.
const (
	Reachable Lineage = "reachable"
	// Squashed: not reachable, yet HEAD's history holds its whole change as one commit.
	Squashed Lineage = "squashed"
	// Rebased: not reachable, yet each of its commits is in HEAD's history as a copy.
	Rebased   Lineage = "rebased"
	Unrelated Lineage = "unreachable"
	// Gone: the repository does not hold the commit.
	Gone Lineage = "gone"
	// Undecided: git did not answer.
	Undecided Lineage = "undecided"
)

// Lineages answers for saved commits; what it does not hold was not asked yet.
type Lineages map[string]Lineage

// BranchRef and a branch's name ask whether the branch is there, or Gone.
const BranchRef = "refs/heads/"

// NeedLineage is the error of a rule that must know how Head, a commit or a BranchRef, stands
// to HEAD: ask git, then judge again.
type NeedLineage struct{ Head string }

func (e *NeedLineage) Error() string { return "the lineage of a saved commit is not known" }

// contextOf is what a thread saves of the repository. Where git cannot answer, what an
// earlier save knew is kept: not knowing replaces no knowledge.
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
	o["captured_at"] = c.CapturedAt.Raw()
	if !c.Available {
		o["reason"] = c.Reason.Raw()
		return o
	}
	o["branch"], o["head"], o["dirty"] = c.Branch.Raw(), c.Head, c.Dirty
	o["changed_files"] = texts(c.ChangedFiles[:min(len(c.ChangedFiles), maxChanged)])
	return o
}

// OwnState reports what never makes a repository dirty: Work State and file todos are
// about the work, not part of it. Of tmp, what git does not track may be a folded
// directory, so all of that counts as own.
func OwnState(name string, untracked bool) bool {
	if name == ".aictx" || strings.HasPrefix(name, ".aictx/") || strings.Contains(name, "/.aictx/") {
		return true
	}
	rest, inTmp := strings.CutPrefix(name, "tmp/")
	steps := strings.Split(rest, "/")
	return inTmp && (untracked || len(steps) > 3 && steps[2] == "todos")
}

// dirty is the saved flag, unless all that was changed is own state: other programs count
// that as dirt. A list that is full may be cut, and is believed.
func (c *GitContext) dirty() bool {
	known := len(c.ChangedFiles) > 0 && len(c.ChangedFiles) < maxChanged
	return c.Dirty && !(known && !slices.ContainsFunc(c.ChangedFiles, func(f model.Text) bool {
		return !OwnState(f.Raw(), f == "tmp/")
	}))
}
