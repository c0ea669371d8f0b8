// Package clip is what an operator can copy of work items, and how a text reaches a
// terminal's clipboard. Every door that has an operator copies the same.
package action

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// Subject is an item that is copied of.
type CopySubject struct {
	Row model.Row
	// Detail is nil where only the row was read.
	Detail *model.Detail
	// Plan is the absolute path of its plan.md; empty where it is not known.
	Plan string
}

// Copied is a text for the clipboard: exactly what was written, which nobody shows.
type Copied struct {
	// What names it: "The id", "3 ids".
	What, Text string
}

// lines are the copies that make a line for each item.
var lines = map[ID]struct {
	one, many string
	line      func(CopySubject) string
}{
	CopyID:        {"The id", "ids", func(s CopySubject) string { return string(s.Row.ID) }},
	CopyObjective: {"The objective", "objectives", CopySubject.objective},
	CopyMarkdown:  {"A Markdown line", "Markdown lines", CopySubject.markdown},
	CopyReference: {"The MCP reference", "MCP references", func(s CopySubject) string { return "vise://plan/" + string(s.Row.ID) }},
}

// Of is what the copying action id copies: a line of each marked item, or what at says, the
// item that the operator looks at. Trouble says why there is nothing to copy.
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
	case id == CopyPath && at.Plan == "":
		return c, "The plan's path is not known."
	case id == CopyPath:
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

// objective is the whole objective where the detail is read, else what the row holds.
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

// Most is how many bytes go to a terminal's clipboard: terminals cut longer sequences.
const MostCopied = 64 << 10

// screenChunk is how much GNU screen passes on in one piece.
const screenChunk = 768

// Sequence makes a terminal put text on its clipboard (OSC 52), which works over SSH and
// which nothing confirms. screen: GNU screen lies in between.
func ClipboardSequence(text string, screen bool) string {
	if screen {
		return ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenChunk)
	}
	return ansi.SetSystemClipboard(text)
}
