package home

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
	"vise/store/threads"
)

// The home records below state/touched which files the work on an item changed: a directory for each repository, and in it a file for each
// item. Lines are only added. If two processes note the same file at once, the later one finds the earlier one's line.

// touch is a file of a repository that the work on an item changed, and the work tree of the change.
type touch struct {
	File string `json:"file"`
	Tree string `json:"tree"`
}

const (
	touchedSuffix = ".jsonl"
	// touchedAge is how long an item's changed files are kept after the last new one.
	touchedAge = 30 * 24 * time.Hour
	// maxTouched bounds an item's file, in bytes.
	maxTouched = 1 << 20
	// maxNoted bounds the overlaps that are examined at once, because each asks git.
	maxNoted = 20
)

func (h *Home) touchedDir(common string) string {
	return filepath.Join(h.Dir(), "state", "touched", model.Hash(common)[:16])
}

// NoteEdits notes the files that an agent's program reports as changed for an item. If another agent's open item changed one of them too,
// it notes the overlap on both items.
func (h *Home) NoteEdits(ctx context.Context, w model.WorkItem, paths []string) error {
	byTree := map[string][]string{}
	for _, path := range paths {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue // a file in a missing directory was not changed
		}
		tree := threads.FindRoot(dir)
		if name, err := filepath.Rel(tree, filepath.Join(dir, filepath.Base(path))); err == nil {
			byTree[tree] = append(byTree[tree], filepath.ToSlash(name))
		}
	}
	var all error
	for tree, names := range byTree {
		all = errors.Join(all, h.touched(ctx, w, tree, names))
	}
	return all
}

// NoteChanged notes, as NoteEdits does, the files in an item's work tree that differ from the commit at which the work began. If another
// agent works in the same tree, nobody can tell who changed a file, and it notes none.
func (h *Home) NoteChanged(ctx context.Context, w model.WorkItem) error {
	dir := w.Links.Worktree()
	tree, err := filepath.EvalSymlinks(dir)
	common := threads.CommonDir(tree)
	if dir == "" || err != nil || common == "" || h.sharesTree(ctx, w, common, tree) {
		return nil
	}
	var names []string
	for _, f := range (threads.Reader{}).Diff(ctx, tree, w.Links.Began(dir), true).Files {
		names = append(names, f.Path.Raw()) // raw: a path, compared
	}
	return h.touched(ctx, w, tree, names)
}

// changedLimit is how long NoteChanged can take at the end of a turn. After that the rest is left out.
var changedLimit = 2 * time.Second

// turnsItem returns the item of the turn that a command ends, or "" for any other command.
func (h *Home) turnsItem(ctx context.Context, c model.Command) (id model.ItemID) {
	end, ok := c.(model.EndTurn)
	if !ok {
		return ""
	}
	_ = h.Ledger.View(ctx, func(r model.Reader) error { // if the ledger is busy, nothing is noted
		if a, _ := r.Agent(end.AgentID); a.Turn != nil {
			id = cmp.Or(a.CurrentWorkItemID, a.Turn.About, a.Turn.WorkItemID)
		}
		return nil
	})
	return id
}

// noteWorked notes at the end of a turn what the work on an item changed. A failure gives no warning.
func (h *Home) noteWorked(ctx context.Context, id model.ItemID) {
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, changedLimit)
	defer cancel()
	if w, err := h.item(ctx, id); err == nil {
		_ = h.NoteChanged(ctx, w)
	}
}

// sharesTree reports whether another agent's open item has changed files in a work tree.
func (h *Home) sharesTree(ctx context.Context, w model.WorkItem, common, tree string) bool {
	var here []model.ItemID
	h.eachTouched(common, func(id model.ItemID, list []touch) {
		if id != w.ID && slices.ContainsFunc(list, func(x touch) bool { return x.Tree == tree }) {
			here = append(here, id)
		}
	})
	return slices.ContainsFunc(here, func(id model.ItemID) bool {
		other, err := h.item(ctx, id)
		return err == nil && other.State == model.Open && other.AgentID != w.AgentID
	})
}

// touched keeps the files of a work tree that the work on an item changed, and notes the new overlaps.
func (h *Home) touched(ctx context.Context, w model.WorkItem, tree string, names []string) error {
	common := threads.CommonDir(tree)
	if common == "" || w.State != model.Open {
		return nil
	}
	var own []string
	if h.o.OwnFiles != nil {
		own = h.o.OwnFiles(tree)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return thread.OwnState(name, true) || slices.Contains(own, filepath.Join(tree, filepath.FromSlash(name)))
	})
	if err := h.keepTouched(common, w.ID, tree, names); err != nil {
		return err
	}
	is := map[string]bool{}
	for _, name := range names {
		is[name] = true
	}
	var found []overlap
	h.eachTouched(common, func(id model.ItemID, list []touch) {
		for _, x := range list {
			if id != w.ID && is[x.File] {
				found = append(found, overlap{id, x})
			}
		}
	})
	return h.noteOverlaps(ctx, w, common, tree, found)
}

// overlap is a file that the work on another item changed too.
type overlap struct {
	with model.ItemID
	touch
}

// noteOverlaps writes new overlaps to the ledger, on both items.
func (h *Home) noteOverlaps(ctx context.Context, w model.WorkItem, common, tree string, found []overlap) error {
	noted := 0
	for _, x := range found {
		other, err := h.item(ctx, x.with)
		switch {
		case err != nil:
			return err
		case other.State != model.Open:
			_ = os.Remove(h.touchedFile(common, x.with)) // a completed item overlaps with nothing
			continue
		case other.AgentID == w.AgentID || !w.NewOverlap(model.Overlap{With: other.ID, File: fileText(x.File)}):
			continue
		}
		if noted++; noted > maxNoted {
			return nil // the next edit, or the end of the turn, notes the rest
		}
		mine, theirs := compared(ctx, w, tree, other, x.touch)
		if !w.NewOverlap(model.Overlap{With: other.ID, File: mine.File, Apart: mine.Apart}) {
			continue
		}
		for _, c := range []model.NoteOverlap{mine, theirs} {
			if _, err := h.send(ctx, model.Envelope{Actor: model.Watcher}, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// compared returns the commands that note an overlap between two items' work, one for each item.
func compared(ctx context.Context, w model.WorkItem, tree string, other model.WorkItem, x touch) (mine, theirs model.NoteOverlap) {
	mine = model.NoteOverlap{WorkItemID: w.ID, With: other.ID, File: fileText(x.File), SameTree: x.Tree == tree}
	theirs = model.NoteOverlap{WorkItemID: other.ID, With: w.ID, File: mine.File, SameTree: mine.SameTree}
	if mine.SameTree {
		return mine, theirs // in one tree nobody can tell whose lines are whose
	}
	a, b := threads.Side{Dir: tree, Began: w.Links.Began(tree)}, threads.Side{Dir: x.Tree, Began: other.Links.Began(x.Tree)}
	var known bool
	mine.Lines, theirs.Lines, known = (threads.Reader{}).Shared(ctx, a, b, x.File)
	mine.Apart = known && len(mine.Lines) == 0
	theirs.Apart = mine.Apart
	return mine, theirs
}

// fileText is a file's name as the ledger keeps it: valid UTF-8.
func fileText(name string) model.Text { return model.Text(strings.ToValidUTF8(name, "\uFFFD")) }

func (h *Home) touchedFile(common string, id model.ItemID) string {
	return filepath.Join(h.touchedDir(common), string(id)+touchedSuffix)
}

// keepTouched adds files to an item's file.
func (h *Home) keepTouched(common string, id model.ItemID, tree string, names []string) error {
	path := h.touchedFile(common, id)
	before, size := readTouched(path)
	known := map[touch]bool{}
	for _, x := range before {
		known[x] = true
	}
	var b bytes.Buffer
	for _, name := range names {
		x := touch{name, tree}
		if known[x] {
			continue
		}
		line, err := json.Marshal(x)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if b.Len() == 0 || size+b.Len() > maxTouched {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := files.OpenRegular(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// eachTouched visits the changed files of each item of a repository.
func (h *Home) eachTouched(common string, visit func(model.ItemID, []touch)) {
	h.eachFile(h.touchedDir(common), touchedAge, func(path string, _ fs.FileInfo, _ time.Duration) {
		if id, ok := strings.CutSuffix(filepath.Base(path), touchedSuffix); ok && model.ValidID(id) {
			touches, _ := readTouched(path)
			visit(model.ItemID(id), touches)
		}
	})
}

// readTouched reads an item's file and its size, and skips lines that it cannot decode.
func readTouched(path string) (list []touch, size int) {
	raw, err := files.ReadSmall(path, maxTouched)
	if err != nil {
		return nil, 0
	}
	for line := range bytes.Lines(raw) {
		var x touch
		if json.Unmarshal(line, &x) == nil && x.File != "" {
			list = append(list, x)
		}
	}
	return list, len(raw)
}
