package screen

import (
	"cmp"
	"maps"
	"slices"

	"vise/model"
	"vise/model/thread"
)

// Unfolded are the lines of a file, which had this print when they were read.
type Unfolded struct {
	thread.Hunks
	Print string
	// Hash is the file's, as a comment keeps it.
	Hash string
	// Turn is the place in the order in which files were unfolded.
	Turn int
}

// MaxUnfolded bounds what the lines of all unfolded files take together, in bytes; of one file they take less than half
// of it.
const MaxUnfolded = 12 << 20

// lineCost is what a line takes beside its words, here and as a row.
const lineCost = 160

// Cost is about how many bytes the lines take.
func (u Unfolded) Cost() (n int) {
	for _, h := range u.List {
		for _, l := range h.Lines {
			n += len(l.Text) + lineCost
		}
	}
	return n
}

// Unfold is x with the lines of a file.
func (x Changes) Unfold(path model.Text, u Unfolded) Changes {
	x.Unfolded = maps.Clone(x.Unfolded)
	for _, other := range x.Unfolded {
		u.Turn = max(u.Turn, other.Turn+1)
	}
	x.Unfolded[path] = u
	return x
}

// Bounded is x with its rows in order, and as many files unfolded as may be, those that were unfolded last; the others
// are folded again.
func (x Changes) Bounded() (_ Changes, folded int) {
	left := MaxUnfolded
	byTurn := func(a, b model.Text) int { return cmp.Compare(x.Unfolded[b].Turn, x.Unfolded[a].Turn) }
	for _, path := range slices.SortedStableFunc(maps.Keys(x.Unfolded), byTurn) {
		if left -= x.Unfolded[path].Cost(); left < 0 {
			delete(x.Unfolded, path)
			folded++
		}
	}
	return x.Laid(), folded
}

// Widest is how many cells the longest line takes.
func (x Changes) Widest() (n int) {
	for _, open := range x.Unfolded {
		for _, h := range open.List {
			for _, l := range h.Lines {
				n = max(n, len(l.Text))
			}
		}
	}
	return n
}

// Files that are unfolded by themselves: so many at the top, of so many lines together.
const unfoldFiles, unfoldLines = 12, 300

// Opening are the files that are unfolded when a diff is read first.
func Opening(d thread.Diff) (out []model.Text) {
	lines := 0
	for _, f := range d.Files {
		if lines += f.Added + f.Removed; lines > unfoldLines || len(out) == unfoldFiles {
			break
		}
		if f.Counted {
			out = append(out, f.Path)
		}
	}
	return slices.Clip(out)
}
