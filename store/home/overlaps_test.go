package home

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// overlapping is a home with items of two agents, each in a work tree of one repository.
type overlapping struct {
	t        *testing.T
	home     *Home
	repo     storetest.Repo
	tree     storetest.Repo
	ann, bob model.ItemID
}

func newOverlapping(t *testing.T) *overlapping {
	limit := changedLimit
	changedLimit = time.Minute // git is slow on a busy machine
	t.Cleanup(func() { changedLimit = limit })
	r := storetest.RepoWithCommit(t)
	r.Write("limit.go", strings.Repeat("line\n", 40))
	r.Commit("limit")
	dir := filepath.Join(t.TempDir(), "bob")
	r.Git("worktree", "add", "-q", "-b", "bob", dir)
	h, _, err := OpenOrCreate(t.TempDir(), Options{OwnFiles: func(dir string) []string { return []string{filepath.Join(dir, "settings.json")} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	x := &overlapping{t: t, home: h, repo: r, tree: r.At(dir)}
	x.ann, x.bob = x.item("ann", r.Dir), x.item("bob", dir)
	return x
}

func (x *overlapping) do(agent model.AgentID, c model.Command) model.Receipt {
	x.t.Helper()
	in, err := x.home.Apply(x.t.Context(), model.Envelope{Key: NewKey(), Actor: model.AgentActor(agent), Command: c})
	if err != nil {
		x.t.Fatal(err)
	}
	return in
}

func (x *overlapping) item(agent model.AgentID, tree string) model.ItemID {
	id := x.do(agent, model.CreateWorkItem{Objective: model.Text("work of " + agent)}).WorkItemID
	x.do(agent, model.LinkWorkItem{WorkItemID: id, Add: model.Links{Refs: []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(tree)}}}})
	return id
}

func (x *overlapping) read(id model.ItemID) model.WorkItem {
	x.t.Helper()
	w, err := x.home.item(x.t.Context(), id)
	if err != nil {
		x.t.Fatal(err)
	}
	return w
}

func (x *overlapping) edits(id model.ItemID, tree storetest.Repo, names ...string) {
	x.t.Helper()
	for i, name := range names {
		names[i] = filepath.Join(tree.Dir, name)
	}
	if err := x.home.NoteEdits(x.t.Context(), x.read(id), names); err != nil {
		x.t.Fatal(err)
	}
}

func (x *overlapping) changed(id model.ItemID) {
	x.t.Helper()
	if err := x.home.NoteChanged(x.t.Context(), x.read(id)); err != nil {
		x.t.Fatal(err)
	}
}

// want compares what both items record: file, lines, other lines, same tree.
func (x *overlapping) want(what, ann, bob string) {
	x.t.Helper()
	for id, want := range map[model.ItemID]string{x.ann: ann, x.bob: bob} {
		var got []string
		for _, o := range x.read(id).Overlaps {
			got = append(got, fmt.Sprintf("%s %v %v %v", o.File.Raw(), o.Lines, o.Apart, o.SameTree))
		}
		if s := strings.Join(got, "; "); s != want {
			x.t.Errorf("%s: %s has %q, want %q", what, id, s, want)
		}
	}
}

// lines is the file with one line replaced.
func lines(at int, with string) string {
	list := strings.SplitAfter(strings.Repeat("line\n", 40), "\n")
	list[at-1] = with + "\n"
	return strings.Join(list, "")
}

// TestOverlapsOfTwoWorkTrees: edits that hooks report, and changes that git reports at the end of a turn, are recorded
// on both sides once, and once more when the same lines change.
func TestOverlapsOfTwoWorkTrees(t *testing.T) {
	x := newOverlapping(t)
	x.repo.Write("limit.go", lines(5, "mine"))
	x.edits(x.ann, x.repo, "limit.go")
	x.want("one alone", "", "")
	x.tree.Write("limit.go", lines(30, "theirs"))
	x.changed(x.bob)
	x.want("other lines", "limit.go [] true false", "limit.go [] true false")
	before := x.read(x.ann).Revision
	x.edits(x.ann, x.repo, "limit.go")
	x.changed(x.bob)
	if now := x.read(x.ann).Revision; now != before {
		t.Errorf("the item was written again: revision %d, before %d", now, before)
	}
	x.tree.Write("limit.go", "new\n"+lines(5, "theirs"))
	x.edits(x.bob, x.tree, "limit.go")
	x.want("the same lines", "limit.go [{5 5}] false false", "limit.go [{6 6}] false false")
	x.repo.Write("settings.json", "{}")
	x.repo.Write(".aictx/tasks/a.json", "{}")
	x.changed(x.ann)
	x.edits(x.bob, x.tree, "settings.json", ".aictx/tasks/a.json")
	x.want("vise's own files", "limit.go [{5 5}] false false", "limit.go [{6 6}] false false")
}

// TestOverlapsInOneWorkTree: there git does not know who changed a file, and only hooks count.
func TestOverlapsInOneWorkTree(t *testing.T) {
	x := newOverlapping(t)
	x.repo.Write("other.go", "package other\n")
	x.edits(x.bob, x.repo, "limit.go")
	x.changed(x.ann)
	x.want("what git tells", "", "")
	x.edits(x.ann, x.repo, "limit.go")
	x.want("what hooks tell", "limit.go [] false true", "limit.go [] false true")
}

// TestWhatEndedOverlapsWithNothing: a completed item has no overlaps, nor has another item of the same agent, and its
// changed files are forgotten.
func TestWhatEndedOverlapsWithNothing(t *testing.T) {
	x := newOverlapping(t)
	x.edits(x.bob, x.tree, "limit.go")
	x.do("bob", model.CompleteWorkItem{WorkItemID: x.bob})
	x.edits(x.ann, x.repo, "limit.go")
	x.want("a completed one", "", "")
	left, err := filepath.Glob(filepath.Join(x.home.Dir(), "state", "touched", "*", "*"))
	if err != nil || len(left) != 1 || !strings.Contains(left[0], string(x.ann)) {
		t.Errorf("kept: %v, %v", left, err)
	}
	more := x.item("ann", x.tree.Dir)
	x.edits(more, x.tree, "limit.go")
	x.want("the same agent's", "", "")
	if err := os.WriteFile(left[0], []byte("no line\n\x00{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.edits(x.ann, x.repo, "limit.go")
}

// TestATurnsEndNotesWhatItChanged, also if the turn left its item.
func TestATurnsEndNotesWhatItChanged(t *testing.T) {
	x := newOverlapping(t)
	x.tree.Write("limit.go", lines(7, "theirs"))
	x.edits(x.bob, x.tree, "limit.go")
	x.repo.Write("limit.go", lines(7, "mine"))
	x.do("ann", model.PickWorkItem{WorkItemID: x.ann})
	turn := x.do("ann", model.ClaimTurn{AgentID: "ann", Holder: "test"}).Turn
	x.do("ann", model.WaitFor{WorkItemID: x.ann, Reason: "review", Wake: model.WakeOperatorInput})
	x.do("ann", model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted})
	x.want("after the turn", "limit.go [{7 7}] false false", "limit.go [{7 7}] false false")
}
