package threads

import (
	"bytes"
	"context"
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
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	g, ended := r.at(dir)
	if ended != nil {
		return thread.Undecided
	}
	if isBranch {
		return g.branch(ctx, branch)
	}
	// From here on only commits are read, which runs no filter.
	reachable := g.run(ctx, nil, "merge-base", "--is-ancestor", head, now)
	switch {
	case reachable.ok():
		return thread.Reachable
	case reachable.failed != nil:
		return thread.Undecided
	case reachable.status != 1:
		return g.goneOrUndecided(ctx, head)
	}
	return g.copied(ctx, head, now)
}

// branch looks for a branch by its full name, because git also matches longer names.
func (g git) branch(ctx context.Context, name string) thread.Lineage {
	refs := g.run(ctx, nil, "for-each-ref", "--format=%(refname)", thread.BranchRef+name, "refs/remotes/*/"+name)
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
func (g git) goneOrUndecided(ctx context.Context, head string) thread.Lineage {
	there := g.run(ctx, nil, "cat-file", "-e", head+"^{commit}")
	if there.failed != nil || there.status == 0 {
		return thread.Undecided
	}
	return thread.Gone
}

// copied searches base..now for the change of base..head: as one commit, or commit by commit. If nothing can be compared, the commit is
// unreachable.
func (g git) copied(ctx context.Context, head, now string) thread.Lineage {
	fork := g.run(ctx, nil, "merge-base", head, now)
	if !fork.ok() {
		return g.orUndecided(fork)
	}
	base := strings.TrimSpace(string(fork.out))
	whole, r := g.patchIDs(ctx, g.run(ctx, nil, diff("diff-tree", "-p", base, head)...))
	if !r.ok() {
		return g.orUndecided(r)
	}
	here, r := g.idsOfCommits(ctx, base+".."+now)
	if !r.ok() {
		return g.orUndecided(r)
	}
	if len(whole) == 1 && here[whole[0]] {
		return thread.Squashed
	}
	there, r := g.idsOfCommits(ctx, base+".."+head)
	if !r.ok() {
		return g.orUndecided(r)
	}
	for id := range there {
		if !here[id] {
			return thread.Unrelated
		}
	}
	if len(there) > 0 {
		return thread.Rebased
	}
	return thread.Unrelated
}

func (g git) orUndecided(r result) thread.Lineage {
	if r.failed != nil || r.cut {
		return thread.Undecided
	}
	return thread.Unrelated
}

// idsOfCommits returns the patch ids of a range's commits, without merges.
func (g git) idsOfCommits(ctx context.Context, span string) (map[string]bool, result) {
	list := g.run(ctx, nil, "rev-list", "--no-merges", "--max-count="+maxSearched, span)
	if !list.ok() {
		return nil, list
	}
	ids, r := g.patchIDs(ctx, g.run(ctx, list.out, diff("diff-tree", "--stdin", "-p")...))
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set, r
}

// diff returns the arguments of a diff that runs no driver and shows binary files by their object ids.
func diff(command string, args ...string) []string {
	return append([]string{command, "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--no-renames", "-r",
		"--ignore-submodules=none"}, args...)
}

// patchIDs hashes the patches of a diff, with one id for each patch.
func (g git) patchIDs(ctx context.Context, patches result) ([]string, result) {
	if !patches.ok() || patches.cut {
		patches.status = max(patches.status, 1)
		return nil, patches
	}
	r := g.run(ctx, patches.out, "patch-id", "--stable")
	var ids []string
	for _, line := range bytes.Split(r.out, []byte{'\n'}) {
		if id, _, ok := bytes.Cut(line, []byte{' '}); ok {
			ids = append(ids, string(id))
		}
	}
	return ids, r
}
