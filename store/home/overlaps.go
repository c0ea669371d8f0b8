package home

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// Which files the work on an item changed lies in the home, below state/touched: a directory for each repository, in it a
// file for each item, to which lines are added alone. Of two that note the same file at once, the later one finds the other.

// touch is a file of a repository that the work on an item changed, and the work tree in which it did.
type touch struct {
	File string `json:"file"`
	Tree string `json:"tree"`
}

const (
	touchedSuffix = ".jsonl"
	// touchedAge is after how long without a new file what an item changed is forgotten.
	touchedAge = 30 * 24 * time.Hour
	// maxTouched bounds an item's file, in bytes.
	maxTouched = 1 << 20
	// maxNoted bounds the overlaps that are looked into at once: each asks git.
	maxNoted = 20
)

func (h *Home) touchedDir(common string) string {
	sum := sha256.Sum256([]byte(common))
	return filepath.Join(h.Dir(), "state", "touched", hex.EncodeToString(sum[:8]))
}

// NoteEdits notes files that an agent's program says it has changed for an item, and where another agent's open item
// changes one of them too, that both overlap.
func (h *Home) NoteEdits(ctx context.Context, w model.WorkItem, paths []string) error {
	byTree := map[string][]string{}
	for _, path := range paths {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue // what is not there is not changed
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

// NoteChanged notes the files that differ in an item's work tree from where the work on it began, as NoteEdits does.
// Where others work in that tree too nobody knows who changed a file: then it notes none.
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

// changedLimit is how long what a turn changed may take to be known; what takes longer is left out.
var changedLimit = 2 * time.Second

// turnsItem is the item that a turn was about which a command ends; empty for any other command.
func (h *Home) turnsItem(ctx context.Context, c model.Command) (id model.ItemID) {
	end, ok := c.(model.EndTurn)
	if !ok {
		return ""
	}
	_ = h.ledger.View(ctx, func(r model.Reader) error { // while the ledger is busy nothing is noted
		if a, _ := r.Agent(end.AgentID); a.Turn != nil {
			id = cmp.Or(a.CurrentWorkItemID, a.Turn.About, a.Turn.WorkItemID)
		}
		return nil
	})
	return id
}

// noteWorked notes what the work on an item changed by the end of a turn. What cannot be noted is no reason to warn.
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

// touched keeps files of a work tree that the work on an item changed, and notes the overlaps that follow.
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

// overlap is a file that another item's work has changed, and where.
type overlap struct {
	with model.ItemID
	touch
}

// noteOverlaps has the ledger keep what of the overlaps is news, on both sides.
func (h *Home) noteOverlaps(ctx context.Context, w model.WorkItem, common, tree string, found []overlap) error {
	noted := 0
	for _, x := range found {
		other, err := h.item(ctx, x.with)
		switch {
		case err != nil:
			return err
		case other.State != model.Open:
			_ = os.Remove(h.touchedFile(common, x.with)) // it overlaps with nothing any more
			continue
		case other.AgentID == w.AgentID || !w.NewOverlap(model.Overlap{With: other.ID, File: fileText(x.File)}):
			continue
		}
		if noted++; noted > maxNoted {
			return nil // the rest is noted with the next edit, or at the end of the turn
		}
		mine, theirs := compared(ctx, w, tree, other, x.touch)
		if !w.NewOverlap(model.Overlap{With: other.ID, File: mine.File, Apart: mine.Apart}) {
			continue
		}
		for _, c := range []model.NoteOverlap{mine, theirs} {
			if _, err := h.send(ctx, model.Envelope{Key: NewKey(), Actor: model.Watcher, Command: c}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compared are the commands that note, on both sides, what an item's work in a tree overlaps with in another's.
func compared(ctx context.Context, w model.WorkItem, tree string, other model.WorkItem, x touch) (mine, theirs model.NoteOverlap) {
	mine = model.NoteOverlap{WorkItemID: w.ID, With: other.ID, File: fileText(x.File), SameTree: x.Tree == tree}
	theirs = model.NoteOverlap{WorkItemID: other.ID, With: w.ID, File: mine.File, SameTree: mine.SameTree}
	if mine.SameTree {
		return mine, theirs // whose lines are whose is not known
	}
	a, b := threads.Side{Dir: tree, Began: w.Links.Began(tree)}, threads.Side{Dir: x.Tree, Began: other.Links.Began(x.Tree)}
	var known bool
	mine.Lines, theirs.Lines, known = (threads.Reader{}).Shared(ctx, a, b, x.File)
	mine.Apart = known && len(mine.Lines) == 0
	theirs.Apart = mine.Apart
	return mine, theirs
}

// fileText is a file's name as the ledger keeps it.
func fileText(name string) model.Text { return model.Text(strings.ToValidUTF8(name, "\uFFFD")) }

func (h *Home) touchedFile(common string, id model.ItemID) string {
	return filepath.Join(h.touchedDir(common), string(id)+touchedSuffix)
}

// keepTouched adds files to those of an item.
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
	f, err := files.OpenRegular(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// eachTouched visits what the items of a repository have changed.
func (h *Home) eachTouched(common string, visit func(model.ItemID, []touch)) {
	dir := h.touchedDir(common)
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		id, ok := strings.CutSuffix(x.Name(), touchedSuffix)
		info, err := x.Info()
		if !ok || !model.ValidID(id) || err != nil {
			continue
		}
		if h.o.Now().Sub(info.ModTime()) > touchedAge {
			_ = os.Remove(filepath.Join(dir, x.Name()))
			continue
		}
		touches, _ := readTouched(filepath.Join(dir, x.Name()))
		visit(model.ItemID(id), touches)
	}
}

// readTouched reads an item's file, and its size; a line that is none is passed over.
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
