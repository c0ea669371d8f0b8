package threads

import (
	"context"
	"path/filepath"
	"strings"

	"vise/model"
	"vise/model/thread"
)

// CommonDir is the directory that all work trees of the repository around a work tree share; empty without a repository.
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

// Side is the work in one work tree: where it is, and the commit at which it began, if that is known.
type Side struct{ Dir, Began string }

// Shared are the lines of a file, by their numbers in work tree a and in work tree b of one repository, that the work in
// both changed since what both come from. Not known: git could not tell in time, or the file is no text.
func (r Reader) Shared(ctx context.Context, a, b Side, file string) (inA, inB []model.LineRange, known bool) {
	ga, gone := r.quiet(ctx, a.Dir)
	gb, lost := r.quiet(ctx, b.Dir)
	if gone != nil || lost != nil {
		return nil, nil, false
	}
	from, _, _ := ga.base(ctx, a.Began)
	if other, _, _ := gb.base(ctx, b.Began); other != from {
		both := ga.run(ctx, nil, "merge-base", from, other)
		if !both.ok() {
			return nil, nil, false
		}
		from = strings.TrimSpace(string(both.out))
	}
	mine, ok := ga.edits(ctx, from, file)
	theirs, found := gb.edits(ctx, from, file)
	if !ok || !found {
		return nil, nil, false
	}
	return meeting(mine, theirs), meeting(theirs, mine), true
}

// edit is a run of lines that were changed: those of the old file, and those that stand there now.
type edit struct{ old, now model.LineRange }

// edits are what differs in a file between a commit and the work tree.
func (g git) edits(ctx context.Context, from, file string) (list []edit, ok bool) {
	g.most = maxDiffBytes
	patch := g.run(ctx, nil, diffArgs(true, "--unified=0", from, "--", file)...)
	if !patch.ok() || patch.cut {
		return nil, false
	}
	hunks := thread.ParseHunks(patch.out)
	if len(patch.out) == 0 {
		if g.run(ctx, nil, "cat-file", "-e", from+":"+file).ok() {
			return nil, true // it is as it was
		}
		raw, err := readBelow(g.dir, file)
		if err != nil {
			return nil, false
		}
		hunks = thread.AddedHunks(raw) // git does not track it
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

// spanned are n lines from one on; of none, the lines before and after the place.
func spanned(first, n int) model.LineRange {
	if n == 0 {
		return model.LineRange{From: max(first, 1), To: first + 1}
	}
	return model.LineRange{From: first, To: first + n - 1}
}

// meeting are the lines, as they stand now, of those edits that changed what others changed too.
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
