package screen

import (
	"fmt"
	"strings"
	"testing"

	"vise/model"
	"vise/model/thread"
)

// TestUnfoldedFilesTakeBoundedMemory: the largest file that is read takes less than half, and of many those stay that were
// unfolded last.
func TestUnfoldedFilesTakeBoundedMemory(t *testing.T) {
	largest := Unfolded{Hunks: thread.AddedHunks([]byte(strings.Repeat(strings.Repeat("x", 51)+"\n", 1<<20/52)))}
	if n := largest.Cost(); n < 1<<20 || 2*n > MaxUnfolded {
		t.Fatalf("the largest file takes %d of %d bytes", n, MaxUnfolded)
	}
	x := Changes{Unfolded: map[model.Text]Unfolded{}}
	folded := 0
	for i := range 20 {
		path := model.Text(fmt.Sprintf("file%02d", i))
		x.Files = append(x.Files, thread.DiffFile{Path: path})
		var n int
		x, n = x.Unfold(path, largest).Bounded()
		folded += n
		total := 0
		for _, u := range x.Unfolded {
			total += u.Cost()
		}
		if _, there := x.Unfolded[path]; !there || total > MaxUnfolded {
			t.Fatalf("after %d files: unfolded %v, %d bytes", i+1, there, total)
		}
	}
	if len(x.Unfolded)+folded != 20 || len(x.Unfolded) < 2 {
		t.Errorf("%d are unfolded, %d were folded again", len(x.Unfolded), folded)
	}
}
