package thread

import (
	"cmp"
	"fmt"
	"strings"

	"vise/model"
)

// reason names the rule that decided. Rules that AICTX also has keep its names.
type reason string

// The reasons, in the order in which the rules are applied.
const (
	noGitContext     reason = "no_git_context"
	fallbackNoGit    reason = "missing_git_context_thread_fallback"
	gitUnavailable   reason = "git_unavailable"
	sameBranch       reason = "same_branch"
	historyRewritten reason = "same_branch_history_rewritten"
	dirtyElsewhere   reason = "dirty_branch_mismatch"
	merged           reason = "branch_changed_but_merged"
	squashMerged     reason = "branch_changed_but_squashed"
	rebaseMerged     reason = "branch_changed_but_rebased"
	Unmerged         reason = "branch_mismatch_unmerged"
	lineageUnknown   reason = "branch_mismatch_undecided"
)

// BranchCheck says whether a thread can be loaded here, and why.
type BranchCheck struct {
	Loadable      bool       `key:"loadable"`
	Reason        reason     `key:"reason" empty:"kept"`
	SavedBranch   model.Text `key:"saved_branch" empty:"kept"`
	CurrentBranch model.Text `key:"current_branch" empty:"kept"`
	SavedHead     string     `key:"saved_head" empty:"kept"`
	CurrentHead   string     `key:"current_head" empty:"kept"`
	Warning       model.Text `key:"warning" empty:"kept"`
	// Git is the state of the repository, as far as it could be read.
	Git GitState `key:"git" empty:"kept"`
	// branchGone: the repository has no such branch any more. commitGone: it does not have the saved commit either.
	branchGone, commitGone bool
}

// CheckBranch applies the branch rules to a thread's saved git context. The first rule that matches decides. A fallback thread is one that
// no pointer names: without a saved context it is not trusted. The error is a *NeedLineage when the rules need more facts from git.
func CheckBranch(saved *GitContext, fallback bool, now Git, known Lineages) (BranchCheck, error) {
	j := BranchCheck{Git: now.State, Loadable: true, CurrentBranch: now.BranchName(), CurrentHead: now.Head}
	if now.State != GitOK {
		j.CurrentBranch, j.CurrentHead = "", ""
	}
	switch {
	case saved == nil && fallback:
		return j.skip(fallbackNoGit, "the thread was found without a pointer and has no saved git context"), nil
	case saved == nil:
		return j.load(noGitContext, ""), nil
	case !saved.Available:
		return j.load(gitUnavailable, "saved Work State git context unavailable; loading conservatively"), nil
	}
	j.SavedBranch, j.SavedHead = saved.Branch, saved.Head
	if now.State != GitOK {
		return j.load(gitUnavailable, "current repository git context unavailable; loading conservatively: "+now.Words().Raw()), nil
	}
	same, err := saved.sameBranch(now, known)
	if err != nil {
		return j, err
	}
	if same {
		return j.onSameBranch(saved, now, known)
	}
	j, err = j.onOtherBranch(saved, now, known)
	if err != nil || j.Loadable || saved.Branch == DetachedBranch || saved.Branch == "" {
		return j, err
	}
	return j.askBranch(known)
}

// askBranch finds out whether the branch of a skipped thread still exists.
func (j BranchCheck) askBranch(known Lineages) (BranchCheck, error) {
	branch := BranchRef + j.SavedBranch.Raw()
	line, ok := known[branch]
	if !ok {
		return BranchCheck{}, &NeedLineage{Head: branch}
	}
	if j.branchGone = line == Gone; !j.branchGone {
		return j, nil
	}
	if line, ok = known[j.SavedHead]; !ok {
		return BranchCheck{}, &NeedLineage{Head: j.SavedHead}
	}
	j.commitGone = line == Gone
	return j, nil
}

// sameBranch reports whether now is where the thread was saved. "(detached)" is no branch: a detached HEAD is the same place while the
// saved commit leads to it, as after the author's own commits.
func (c *GitContext) sameBranch(now Git, known Lineages) (bool, error) {
	detached := c.Branch == DetachedBranch || now.Detached
	if c.Branch != now.BranchName() || !detached || c.Head == now.Head {
		return c.Branch == now.BranchName(), nil
	}
	line, ok := known[c.Head]
	if !ok {
		return false, &NeedLineage{Head: c.Head}
	}
	return line == Reachable, nil
}

func (j BranchCheck) onSameBranch(saved *GitContext, now Git, known Lineages) (BranchCheck, error) {
	reason, warning := sameBranch, ""
	if saved.Head != now.Head {
		line, ok := known[saved.Head]
		if !ok {
			return j, &NeedLineage{Head: saved.Head}
		}
		warning = "same branch but HEAD changed since Work State was saved"
		if line != Reachable && line != Undecided {
			reason = historyRewritten
			warning = "same branch but its history was rewritten since Work State was saved: the saved commit is " + rewritten(line)
		}
	}
	return j.load(reason, join(warning, dirtyDrift(saved, now))), nil
}

func rewritten(l Lineage) string {
	said := map[Lineage]string{Squashed: "in HEAD as part of one commit", Rebased: "in HEAD as a copy", Gone: "gone"}
	return cmp.Or(said[l], "not in HEAD")
}

func (j BranchCheck) onOtherBranch(saved *GitContext, now Git, known Lineages) (BranchCheck, error) {
	if saved.dirty() {
		return j.skip(dirtyElsewhere, "saved Work State was dirty on a different branch"), nil
	}
	line, ok := known[saved.Head]
	if !ok {
		return j, &NeedLineage{Head: saved.Head}
	}
	drift := dirtyDrift(saved, now)
	switch line {
	case Reachable:
		return j.load(merged, join("branch changed but saved commit is reachable from current HEAD", drift)), nil
	case Squashed:
		return j.load(squashMerged, join("branch changed but its whole change is in current HEAD as one commit", drift)), nil
	case Rebased:
		return j.load(rebaseMerged, join("branch changed but copies of its commits are in current HEAD", drift)), nil
	case Undecided:
		return j.skip(lineageUnknown, "saved branch differs and git did not say whether the saved commit is reachable"), nil
	case Gone:
		return j.skip(Unmerged, "saved branch differs and this repository does not hold the saved commit"), nil
	}
	return j.skip(Unmerged, "saved branch differs and saved commit is not reachable from current HEAD"), nil
}

func dirtyDrift(saved *GitContext, now Git) string {
	if saved.dirty() == now.Dirty {
		return ""
	}
	return "working tree dirty state changed since Work State was saved"
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func (j BranchCheck) load(r reason, warning string) BranchCheck {
	j.Reason, j.Warning = r, model.Text(warning)
	return j
}

func (j BranchCheck) skip(r reason, warning string) BranchCheck {
	j = j.load(r, warning)
	j.Loadable = false
	return j
}

// Moves reports whether a save here would move the thread to another branch.
func (j BranchCheck) Moves() bool {
	switch j.Reason {
	case merged, squashMerged, rebaseMerged:
		return true
	}
	return !j.Loadable
}

// Wake says what makes a skipped thread loadable again. It is empty for a loadable one.
func (j BranchCheck) Wake() model.Text {
	when := fmt.Sprintf("when %s is checked out", j.place())
	if j.branchGone {
		when = fmt.Sprintf("when %s is made again (the branch is gone)", j.place())
	}
	switch {
	case j.Loadable:
		return ""
	case j.Reason == fallbackNoGit:
		return "when it is resumed by name"
	case j.Reason == lineageUnknown:
		when += ", or git answers"
	case j.Reason != dirtyElsewhere && !j.commitGone:
		when += " or merged"
	}
	return model.Text(when)
}

// place is where the thread was saved: its branch, or its commit if there is no branch.
func (j BranchCheck) place() string {
	if j.SavedBranch == DetachedBranch || j.SavedBranch == "" {
		return "commit " + short(j.SavedHead)
	}
	return j.SavedBranch.Raw()
}

func short(head string) string { return head[:min(len(head), 12)] }

// Line is the check on one line for people.
func (j BranchCheck) Line() model.Text {
	if j.Reason == fallbackNoGit {
		return model.Textf("parked: %s; wakes %s", j.Warning.Raw(), j.Wake().Raw())
	}
	if !j.Loadable {
		return model.Textf("parked: saved on %s; %s; wakes %s", j.place(), j.Warning.Raw(), j.Wake().Raw())
	}
	where := cmp.Or(j.CurrentBranch.Raw(), j.Git.sentence())
	if j.Warning == "" {
		return model.Text(where)
	}
	return model.Text(where + ": loaded with warning: " + j.Warning.Raw())
}

// Remedy is a way to continue after a skip, with the command that does it.
type Remedy struct {
	Kind    string     `key:"kind" empty:"kept"`
	Command model.Text `key:"command" empty:"kept"`
}

func (r Remedy) json() object { return spellEntry(nil, &r) }

// The lengths of a commit id that is passed to git. Nothing else from a thread's file is passed as a commit, so a file cannot inject an
// option.
const (
	shortCommit = 7
	longCommit  = 64
)

// IsCommit reports whether s has the form of a commit id.
func IsCommit(s string) bool {
	return len(s) >= shortCommit && len(s) <= longCommit && strings.Trim(s, "0123456789abcdef") == ""
}

// Remedies returns the ways to continue after a skip: check out the place where the thread was saved, start a new thread here, take the
// thread over, look at the difference. It is empty for a loadable thread.
func (j BranchCheck) Remedies(id ID) []Remedy {
	if j.Loadable {
		return nil
	}
	var out []Remedy
	if j.Reason != fallbackNoGit && !j.commitGone {
		out = append(out, Remedy{"switch", model.Text(j.checkout())})
	}
	out = append(out,
		Remedy{"fresh", "vise thread start GOAL"},
		Remedy{"rebind", model.Text("vise thread resume " + string(id) + " --rebind")})
	if IsCommit(j.SavedHead) && !j.commitGone {
		out = append(out, Remedy{"diff", model.Text("git diff " + j.SavedHead + " HEAD")})
	}
	return out
}

func (j BranchCheck) checkout() string {
	words := []string{"git", "switch", j.SavedBranch.Raw()} // raw: quoted for a shell
	if j.SavedBranch == DetachedBranch || j.SavedBranch == "" {
		words = []string{"git", "switch", "--detach", j.SavedHead}
	} else if j.branchGone {
		words = []string{"git", "switch", "-c", j.SavedBranch.Raw(), j.SavedHead} // raw: quoted for a shell
	}
	return model.ShellLine(words)
}

// Unsettled returns what speaks against ending the work of a thread: gaps that need at least a review, and unverified entries. It is
// advice: an author who ends the work all the same must give a reason.
func (t Thread) Unsettled() []model.Text {
	if t.Status.Ended() {
		return nil
	}
	var out []model.Text
	claimed := map[model.Text]bool{}
	for _, g := range t.Gaps {
		if g.Severity.Rank() >= NeedsReview.Rank() {
			out = append(out, model.Text(g.Severity)+": "+g.Summary)
			claimed[g.claim()] = true
		}
	}
	for _, u := range t.Unverified {
		if !claimed[u] {
			out = append(out, "unverified: "+u)
		}
	}
	return out
}
