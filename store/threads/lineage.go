package threads

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"vise/model/thread"
)

// maxSearched bounds how many commits of a history are searched for a squashed copy.
const maxSearched = "500"

// Lineage returns the relation of a saved commit to now, the captured commit: reachable; in its history as one commit with the whole change
// (squashed); in its history as copies of the commits (rebased); unreachable; gone; or undecided, if git did not answer in time. For a
// branch (thread.BranchRef) it reports whether the branch is gone, here and in the known state of remotes.
func (r Reader) Lineage(ctx context.Context, dir, head, now string) thread.Lineage {
	branch, isBranch := strings.CutPrefix(head, thread.BranchRef)
	if !isBranch && !thread.IsCommit(head) {
		return thread.Gone
	}
	g, ended := r.at(ctx, dir, limit)
	defer g.cancel()
	if ended != nil {
		return thread.Undecided
	}
	if isBranch {
		return g.branch(branch)
	}
	// From here on only commits are read, which runs no filter.
	reachable := g.run("merge-base", "--is-ancestor", head, now)
	switch {
	case reachable.ok():
		return thread.Reachable
	case reachable.failed != nil:
		return thread.Undecided
	case reachable.status != 1:
		return g.goneOrUndecided(head)
	}
	return g.copied(head, now)
}

// branch looks for a branch by its full name, because git also matches longer names.
func (g git) branch(name string) thread.Lineage {
	refs := g.run("for-each-ref", "--format=%(refname)", thread.BranchRef+name, "refs/remotes/*/"+name)
	if !refs.ok() {
		return thread.Undecided
	}
	for ref := range strings.Lines(string(refs.out)) {
		ref = strings.TrimSuffix(ref, "\n")
		if ref == thread.BranchRef+name || strings.HasPrefix(ref, "refs/remotes/") && strings.HasSuffix(ref, "/"+name) {
			return thread.Reachable
		}
	}
	return thread.Gone
}

// goneOrUndecided distinguishes a missing commit from a failed git.
func (g git) goneOrUndecided(head string) thread.Lineage {
	there := g.run("cat-file", "-e", head+"^{commit}")
	if there.failed != nil || there.status == 0 {
		return thread.Undecided
	}
	return thread.Gone
}

// copied searches the history of now for the change of head since both parted, as one commit or commit by commit; as one commit also for
// the change of a branch that goes on from head. If nothing can be compared, the commit is unreachable.
func (g git) copied(head, now string) thread.Lineage {
	tips := g.run("for-each-ref", "--contains="+head, "--count="+maxTips, "--format=%(objectname)", "refs/heads", "refs/remotes")
	for i, tip := range append([]string{head}, strings.Fields(string(tips.out))...) {
		fork := g.run("merge-base", tip, now)
		if !fork.ok() {
			return g.orUndecided(fork)
		}
		base := strings.TrimSpace(string(fork.out))
		here, r := g.changes(g.commits(base + ".." + now))
		if !r.ok() {
			return g.orUndecided(r)
		}
		found, r := g.copies(here, result{out: []byte(tip + " " + base + "\n")})
		if found {
			return thread.Squashed
		}
		if i == 0 && r.ok() {
			if found, r = g.copies(here, g.commits(base+".."+tip)); found {
				return thread.Rebased
			}
		}
		if !r.ok() {
			return g.orUndecided(r)
		}
	}
	return thread.Unrelated
}

// maxTips bounds how many branches that go on from a saved commit are compared.
const maxTips = "4"

func (g git) orUndecided(r result) thread.Lineage {
	if r.failed != nil || r.cut {
		return thread.Undecided
	}
	return thread.Unrelated
}

// commits lists a range without merges, the newest first.
func (g git) commits(span string) result {
	return g.run("rev-list", "--topo-order", "--no-merges", "--max-count="+maxSearched, span)
}

// change is the change of one commit: the patch ids of its files.
type change map[string]bool

// has reports whether the other change is a part of c.
func (c change) has(other change) bool {
	for id := range other {
		if !c[id] {
			return false
		}
	}
	return true
}

// copies reports whether here, the newest first, has all changes of the listed commits, and takes none of them back later.
func (g git) copies(here []change, list result) (bool, result) {
	wanted, r := g.changes(list)
	if !r.ok() {
		return false, r
	}
	undone, r := g.changes(list, "-R")
	for i, want := range wanted {
		last := slices.IndexFunc(here, func(c change) bool { return c.has(want) || i < len(undone) && c.has(undone[i]) })
		if last < 0 || !here[last].has(want) {
			return false, r
		}
	}
	return len(wanted) > 0 && r.ok(), r
}

// changes returns the changes of listed commits, those that change nothing left out. A line can name a parent to compare with.
func (g git) changes(list result, more ...string) (all []change, r result) {
	if !list.ok() {
		return nil, list
	}
	g.stdin = list.out
	r = g.run(append(slices.Clip(diffTree), more...)...)
	if !r.ok() || r.cut {
		r.status = max(r.status, 1)
		return nil, r
	}
	// Each file's patch becomes a commit of its own for git, under the name of the file's commit.
	var patches bytes.Buffer
	commit := ""
	for line := range strings.Lines(string(r.out)) {
		if thread.IsCommit(strings.TrimSpace(line)) {
			commit = line
			continue
		}
		if strings.HasPrefix(line, "diff --git ") {
			patches.WriteString(commit)
		}
		patches.WriteString(line)
	}
	g.stdin = patches.Bytes()
	r = g.run("patch-id", "--stable")
	last := ""
	for line := range strings.Lines(string(r.out)) {
		id, commit, _ := strings.Cut(line, " ")
		if commit != last {
			all, last = append(all, change{}), commit
		}
		all[len(all)-1][id] = true
	}
	return all, r
}

// diffTree are the arguments of a diff that runs no driver and shows binary files by their object ids.
var diffTree = strings.Fields("diff-tree --stdin -p --no-ext-diff --no-textconv --no-color --full-index --no-renames --no-prefix -r " +
	"--ignore-submodules=none")
