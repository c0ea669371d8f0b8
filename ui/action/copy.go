package action

import (
	"encoding/json"
	"fmt"
	"strings"

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

// CopyChoice is a part of a work item that can be copied.
type CopyChoice struct {
	// Key chooses it after the key of the copy action.
	Key, Title, Does string
	// one and many name the text of one item, and of several. Without many it is only of one.
	one, many string
	text      func(CopySubject) (text, trouble string)
}

// CopyChoices returns what can be copied, in the order of likely use.
func CopyChoices() []CopyChoice {
	line := func(of func(CopySubject) string) func(CopySubject) (string, string) {
		return func(s CopySubject) (string, string) { return of(s), "" }
	}
	return []CopyChoice{
		{"y", "id", "of the work item", "The id", "ids", line(func(s CopySubject) string { return string(s.Row.ID) })},
		{"p", "plan path", "the absolute path of plan.md", "The plan's path", "", func(s CopySubject) (string, string) {
			if s.Plan == "" {
				return "", "The plan's path is not known."
			}
			return s.Plan, ""
		}},
		{"o", "objective", "as it was written", "The objective", "objectives", line(CopySubject.objective)},
		{"r", "report", "the completion report as it was written", "The report", "", CopySubject.report},
		{"j", "as JSON", "as vise show --json", "The work item", "", CopySubject.json},
		{"m", "as Markdown", "a task list line for each item", "A Markdown line", "Markdown lines", line(CopySubject.markdown)},
		{"c", "MCP reference", "of the plan: vise://plan/ID", "The MCP reference", "MCP references",
			line(func(s CopySubject) string { return "vise://plan/" + string(s.Row.ID) })},
	}
}

// Of returns what is copied: one line for each marked item, or the part of at, which is the item on screen. trouble says why there is
// nothing to copy.
func (c CopyChoice) Of(at CopySubject, marked []CopySubject) (_ Copied, trouble string) {
	if len(marked) == 0 || c.many == "" {
		marked = []CopySubject{at}
	}
	var lines []string
	for _, s := range marked {
		l, trouble := c.text(s)
		if trouble != "" {
			return Copied{}, trouble
		}
		lines = append(lines, l)
	}
	out := Copied{c.one, strings.Join(lines, "\n")}
	if len(lines) > 1 {
		out.What = fmt.Sprintf("%d %s", len(lines), c.many)
	}
	return out, ""
}

const unreadDetail = "The detail is not read yet."

func (s CopySubject) report() (text, trouble string) {
	switch {
	case s.Detail == nil:
		return "", unreadDetail
	case s.Detail.Report == nil:
		return "", "There is no report."
	}
	return s.Detail.Report.Text.Raw(), "" // raw: to the clipboard, encoded, not shown
}

func (s CopySubject) json() (text, trouble string) {
	if s.Detail == nil {
		return "", unreadDetail
	}
	raw, err := json.MarshalIndent(struct {
		WorkItem model.View `json:"work_item"`
	}{s.Detail.View}, "", "  ")
	if err != nil {
		return "", model.Text(err.Error()).String()
	}
	return string(raw), ""
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

// BlockRows returns one command that changes the blockers of all rows, or says what is missing. It clears them with their waits, or sets a
// new one; without by each item keeps its own. after is when to check again, in milliseconds; nil means the default.
func BlockRows(rows []model.Row, clears bool, by model.Text, after *int64) (c model.Batch, trouble string) {
	for _, r := range rows {
		u := model.UpdateWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
		switch {
		case clears:
			u.BlockedBy = model.Clear()
		case by != "":
			u.BlockedBy, u.RecheckAfterMS = model.SetTo(by), after
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
func AcknowledgeRows(rows []model.Row) (all model.Batch) {
	for _, r := range rows {
		all.Calls = append(all.Calls, model.Call{Command: model.Acknowledge{WorkItemID: r.ID, SeenRevision: r.Revision}})
	}
	return all
}
