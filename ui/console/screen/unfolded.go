package screen

import (
	"cmp"
	"maps"
	"slices"

	"vise/model"
	"vise/model/thread"
)

// Unfolded holds the lines of a file, with the file's print when they were read.
type Unfolded struct {
	thread.Hunks
	Print string
	// Hash is the file's hash, as a comment stores it.
	Hash string
	// Turn is the position in the order in which files were unfolded.
	Turn int
}

// MaxUnfolded bounds the lines of all unfolded files together, in bytes. The lines of one file take less than half of it.
const MaxUnfolded = 12 << 20

// lineCost is the memory of a line without its text, here and as a row.
const lineCost = 160

// Cost estimates the bytes that the lines take.
func (u Unfolded) Cost() (n int) {
	for _, h := range u.List {
		for _, l := range h.Lines {
			n += len(l.Text) + lineCost
		}
	}
	return n
}

// Unfold returns x with the lines of a file.
func (x Changes) Unfold(path model.Text, u Unfolded) Changes {
	x.Unfolded = maps.Clone(x.Unfolded)
	for _, other := range x.Unfolded {
		u.Turn = max(u.Turn, other.Turn+1)
	}
	x.Unfolded[path] = u
	return x
}

// Bounded returns x with its rows in order and with as many files unfolded as the bound allows. It keeps those that were unfolded last and
// folds the others.
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

// Widest is the width of the longest line.
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

// The bounds for files that are unfolded automatically: the first files of a diff, and their lines together.
const unfoldFiles, unfoldLines = 12, 300

// Opening returns the files that are unfolded when a diff is first read.
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
