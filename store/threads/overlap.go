package threads

import (
	"context"
	"path/filepath"

	"vise/model"
	"vise/model/thread"
)

// CommonDir returns the directory that all work trees of the repository around root share, or "" without a repository.
func CommonDir(root string) string {
	dir := GitDir(root)
	if dir == "" {
		return ""
	}
	if common := namedIn(dir, "commondir", ""); common != "" {
		dir = common
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// Side is the work in one work tree: its directory, and the commit at which the work began, if it is known.
type Side struct{ Dir, Began string }

// Shared returns the lines of a file that the work in both work trees changed since their common ancestor, by their numbers in work tree a
// and in work tree b of one repository. known is false if git did not answer in time or the file is no text.
func (r Reader) Shared(ctx context.Context, a, b Side, file string) (inA, inB []model.LineRange, known bool) {
	ga, gone := r.quiet(ctx, a.Dir, diffLimit)
	defer ga.cancel()
	gb, lost := r.quiet(ctx, b.Dir, diffLimit)
	defer gb.cancel()
	if gone != nil || lost != nil {
		return nil, nil, false
	}
	from, _, _ := ga.base(a.Began)
	if other, _, _ := gb.base(b.Began); other != from {
		if from = ga.says("merge-base", from, other); from == "" {
			return nil, nil, false
		}
	}
	mine, ok := ga.edits(from, file)
	theirs, found := gb.edits(from, file)
	if !ok || !found {
		return nil, nil, false
	}
	return meeting(mine, theirs), meeting(theirs, mine), true
}

// edit is a run of changed lines: those of the old file, and the present ones.
type edit struct{ old, now model.LineRange }

// edits returns the differences of a file between a commit and the work tree.
func (g git) edits(from, file string) (list []edit, ok bool) {
	g.most = maxDiffBytes
	patch := g.run(diffArgs(true, "--unified=0", from, "--", file)...)
	if !patch.ok() || patch.cut {
		return nil, false
	}
	hunks := thread.ParseHunks(patch.out)
	if len(patch.out) == 0 {
		if g.run("cat-file", "-e", from+":"+file).ok() {
			return nil, true // the file is unchanged
		}
		raw, err := readBelow(g.dir, file)
		if err != nil {
			return nil, false
		}
		hunks = thread.AddedHunks(raw) // the file is untracked
	}
	for _, h := range hunks.List {
		gone, came := 0, 0
		for _, l := range h.Lines {
			if l.Sign == '-' {
				gone++
			} else {
				came++
			}
		}
		list = append(list, edit{spanned(h.Old, gone), spanned(h.New, came)})
	}
	return list, len(list) > 0
}

// spanned returns the range of n lines from first on. If n is 0, it is the lines before and after the place.
func spanned(first, n int) model.LineRange {
	if n == 0 {
		return model.LineRange{From: max(first, 1), To: first + 1}
	}
	return model.LineRange{From: first, To: first + n - 1}
}

// meeting returns the present lines of those edits that changed lines that the others changed too.
func meeting(list, others []edit) (out []model.LineRange) {
	for _, e := range list {
		for _, o := range others {
			if e.old.From <= o.old.To && o.old.From <= e.old.To {
				out = append(out, e.now)
				break
			}
		}
	}
	return out
}
