package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Overlap is a file of one repository that the work on an item and the work on another agent's item both change.
type Overlap struct {
	With ItemID `json:"with_work_item_id"`
	// File is relative to the work tree.
	File Text `json:"file"`
	// SameTree: both work in the same work tree.
	SameTree bool `json:"same_work_tree,omitempty"`
	// Lines are lines of this item's work tree that both changed. Apart: both changed other lines. If neither is set, the lines
	// are not known.
	Lines []LineRange `json:"lines,omitempty"`
	Apart bool        `json:"other_lines,omitempty"`
	At    time.Time   `json:"at"`
}

// LineRange is a range of lines of a file.
type LineRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Bounds of an item's overlaps: their number, and the ranges of each.
const (
	maxOverlaps     = 50
	maxOverlapLines = 10
)

// NoteOverlap notes that another agent's open item changes a file that this item changes too. It is noted once for the two
// items and the file, and once more when they first change the same lines.
type NoteOverlap struct {
	WorkItemID ItemID      `json:"work_item_id"`
	With       ItemID      `json:"with_work_item_id"`
	File       Text        `json:"file"`
	SameTree   bool        `json:"same_work_tree,omitempty"`
	Lines      []LineRange `json:"lines,omitempty"`
	Apart      bool        `json:"other_lines,omitempty"`
}

// overlapNews is the data of work_item_overlap_noted.
type overlapNews struct {
	Revision uint64     `json:"revision"`
	Overlap  Overlapped `json:"overlap"`
}

// step is bookkeeping: UpdatedAt stays.
func (c NoteOverlap) step(s *step) error {
	w, err := s.openItem(c.WorkItemID, 0, "note an overlap of")
	if err != nil {
		return err
	}
	other, ok := s.Item(c.With)
	switch {
	case !ok:
		return notFound(c.With)
	case other.State != Open || other.AgentID == w.AgentID:
		return Invalid("%s is no open work item of another agent", other.Handle).At("with_work_item_id",
			"an overlap is between the open work items of two agents")
	}
	x := Overlap{With: other.ID, SameTree: c.SameTree, Apart: c.Apart && len(c.Lines) == 0, At: s.at.At}
	if x.File, err = required("file", c.File, maxCommentFile); err != nil {
		return err
	}
	x.Lines = slices.Clone(c.Lines[:min(len(c.Lines), maxOverlapLines)])
	if !w.NewOverlap(x) {
		return nil
	}
	w.Overlaps = slices.DeleteFunc(slices.Clone(w.Overlaps), func(y Overlap) bool {
		of, ok := s.Item(y.With)
		return !ok || of.State != Open || y.With == x.With && y.File == x.File
	})
	if len(w.Overlaps) == maxOverlaps {
		return nil
	}
	w.Overlaps = append(w.Overlaps, x)
	w = s.save(w, false)
	s.event(EventOverlapNoted, w.ID, overlapNews{w.Revision, overlapped(x, other)})
	return nil
}

// NewOverlap reports whether an overlap is news: the first of the file with the other item, or the first in the same lines.
func (w WorkItem) NewOverlap(x Overlap) bool {
	i := slices.IndexFunc(w.Overlaps, func(y Overlap) bool { return y.With == x.With && y.File == x.File })
	return i < 0 || w.Overlaps[i].Apart && !x.Apart
}

// Overlapped is an overlap together with the other item.
type Overlapped struct {
	Overlap
	AgentID   AgentID `json:"agent_id"`
	Handle    Handle  `json:"handle"`
	Objective Text    `json:"objective"`
}

func overlapped(x Overlap, other WorkItem) Overlapped {
	return Overlapped{Overlap: x, AgentID: other.AgentID, Handle: other.Handle, Objective: cut(other.Objective, rowObjective)}
}

// OverlapsOf are the overlaps of an item, newest first; they hold as long as both items are open.
func OverlapsOf(f Facts, w WorkItem) (out []Overlapped) {
	if w.State != Open {
		return nil
	}
	for _, x := range slices.Backward(w.Overlaps) {
		if other, ok := f.Item(x.With); ok && other.State == Open {
			out = append(out, overlapped(x, other))
		}
	}
	return out
}

// Words say who changes the file too, and for what.
func (x Overlapped) Words() string {
	return fmt.Sprintf("%s, for %s: %s", x.Where(), x.Handle, string(x.Objective))
}

// Where says who changes the file too, and in which lines.
func (x Overlapped) Where() string {
	return fmt.Sprintf("%s changes %s too%s", x.AgentID, string(x.File), x.where())
}

// where says in which lines both change the file, and whether they do so in one work tree.
func (x Overlap) where() string {
	s := ""
	switch {
	case len(x.Lines) > 0:
		s = ", " + x.LinesWords()
	case x.Apart:
		s = ", in other lines"
	}
	if x.SameTree {
		s += ", in the same work tree"
	}
	return s
}

// LinesWords are the lines that both change, as "lines 12–20, 31"; empty if there are none, or if they are not known.
func (x Overlap) LinesWords() string {
	if len(x.Lines) == 0 {
		return ""
	}
	var list []string
	for _, r := range x.Lines {
		if r.From == r.To {
			list = append(list, fmt.Sprint(r.From))
			continue
		}
		list = append(list, fmt.Sprintf("%d–%d", r.From, r.To))
	}
	word := "lines "
	if len(x.Lines) == 1 && x.Lines[0].From == x.Lines[0].To {
		word = "line "
	}
	return word + strings.Join(list, ", ")
}
