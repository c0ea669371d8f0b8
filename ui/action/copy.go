package action

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// CopySubject is an item from which something is copied.
type CopySubject struct {
	Row model.Row
	// Detail is nil if only the row was read.
	Detail *model.Detail
	// Plan is the absolute path of its plan.md; empty if unknown.
	Plan string
}

// Copied is a text for the clipboard, exactly as written. It is never shown.
type Copied struct {
	// What names the text: "The id", "3 ids".
	What, Text string
}

// lines are the copies that consist of one line for each item.
var lines = map[ID]struct {
	one, many string
	line      func(CopySubject) string
}{
	copyID:        {"The id", "ids", func(s CopySubject) string { return string(s.Row.ID) }},
	copyObjective: {"The objective", "objectives", CopySubject.objective},
	copyMarkdown:  {"A Markdown line", "Markdown lines", CopySubject.markdown},
	copyReference: {"The MCP reference", "MCP references", func(s CopySubject) string { return "vise://plan/" + string(s.Row.ID) }},
}

// CopyOfItems returns what a copy action copies: one line for each marked item, or the part of at, which is the item on screen. trouble
// says why there is nothing to copy.
func CopyOfItems(id ID, at CopySubject, marked []CopySubject) (c Copied, trouble string) {
	if l, ok := lines[id]; ok {
		all := marked
		if len(all) == 0 {
			all = []CopySubject{at}
		}
		var text []string
		for _, s := range all {
			text = append(text, l.line(s))
		}
		c = Copied{l.one, strings.Join(text, "\n")}
		if len(all) > 1 {
			c.What = fmt.Sprintf("%d %s", len(all), l.many)
		}
		return c, ""
	}
	switch {
	case id == copyPath && at.Plan == "":
		return c, "The plan's path is not known."
	case id == copyPath:
		return Copied{"The plan's path", at.Plan}, ""
	case at.Detail == nil:
		return c, "The detail is not read yet."
	case id == CopyReport && at.Detail.Report == nil:
		return c, "There is no report."
	case id == CopyReport:
		return Copied{"The report", at.Detail.Report.Text.Raw()}, "" // raw: to the clipboard, encoded, not shown
	}
	return at.json()
}

func (s CopySubject) json() (c Copied, trouble string) {
	raw, err := json.MarshalIndent(struct {
		WorkItem model.View `json:"work_item"`
	}{s.Detail.View}, "", "  ")
	if err != nil {
		return c, model.Text(err.Error()).String()
	}
	return Copied{"The work item", string(raw)}, ""
}

// objective returns the whole objective if the detail was read, else the objective of the row.
func (s CopySubject) objective() string {
	if s.Detail != nil {
		return s.Detail.Objective.Raw() // raw: to the clipboard, encoded, not shown
	}
	return s.Row.Objective.Raw() // raw: to the clipboard, encoded, not shown
}

func (s CopySubject) markdown() string {
	box := " "
	if s.Row.Class == model.CompletedRecent {
		box = "x"
	}
	return "- [" + box + "] " + s.objective() + " (" + string(s.Row.Handle) + ")"
}

// MostCopied bounds the bytes for a terminal's clipboard. Terminals cut longer sequences.
const MostCopied = 64 << 10

// screenChunk is how many bytes GNU screen passes on in one piece.
const screenChunk = 768

// ClipboardSequence makes a terminal put text on its clipboard (OSC 52). It works over SSH. Terminals do not confirm it. screen means that
// GNU screen is in between.
func ClipboardSequence(text string, screen bool) string {
	if screen {
		return ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenChunk)
	}
	return ansi.SetSystemClipboard(text)
}

// BlockRows describes a change of the blockers of some items.
type BlockRows struct {
	// Clear removes the blockers and their waits. The other fields are then ignored.
	Clear bool
	// By is the new blocker; if empty, each item keeps its own.
	By model.Text
	// Recheck is the recheck time in the operator's words; empty means the default.
	Recheck string
}

// Command returns one command that changes all rows, or says what is missing.
func (b BlockRows) Command(rows []model.Row, now time.Time) (c model.Batch, trouble string) {
	var after *int64
	if b.Recheck != "" {
		at, err := model.ParseTime(b.Recheck, now)
		if err != nil {
			return c, err.Error()
		}
		ms := at.Sub(now).Milliseconds()
		after = &ms
	}
	for _, r := range rows {
		u := model.UpdateWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
		switch {
		case b.Clear:
			u.BlockedBy = model.Clear()
		case b.By != "":
			u.BlockedBy, u.RecheckAfterMS = model.SetTo(b.By), after
		case r.BlockedBy == "":
			return c, string(r.Handle) + " has no blocker: say what blocks it"
		case after == nil:
			return c, "say what blocks them, or when to look again"
		default:
			u.RecheckAfterMS = after
		}
		c.Calls = append(c.Calls, model.Call{Command: u})
	}
	return c, ""
}

// AcknowledgeRows records that the operator has seen the needs of rows. It skips rows that need nothing.
func AcknowledgeRows(rows []model.Row) model.AcknowledgeAll {
	var all model.AcknowledgeAll
	for _, r := range rows {
		all.Items = append(all.Items, model.Acknowledge{WorkItemID: r.ID, SeenRevision: r.Revision})
	}
	return all
}
