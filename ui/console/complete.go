package console

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// completing asks for the report and shows the work that is still open.
func completing(c *console) dialog {
	x, r := c.facts(), *c.row()
	round := model.Round{WorkItemID: r.ID}
	f := itemForm(x, r, "CompleteWorkItem", "complete", about(x, "Complete", r), "{submit} complete · {back} keeps the draft")
	f.Fields = []formField{textField("Report", 6, model.MaxReport, &round.Text, "")}
	var open []LinkedTodo
	if x.Detail != nil {
		open = c.files.openLinked(r.ID)
	}
	todos := deciding(x, f, open)
	f.Head = evidenceLines
	f.Warn = func(x facts) []string {
		out := []string{}
		if d := x.Detail; d != nil && d.Evidence.IsKnown() && d.Evidence.State != model.EvidenceVerified {
			out = append(out, x.Show(d.Evidence.Words()))
		}
		if x.Detail != nil && x.Detail.Unfinished() != nil {
			out = append(out, x.Detail.Unfinished().Message)
		}
		if f.Fields[0].Empty() {
			out = append(out, "No report will be saved. vise never writes one.")
		}
		return out
	}
	f.Final = "Final: it cannot be reopened."
	f.Tail = func(x facts) []string {
		if f.Fields[0].Empty() {
			return []string{"", nextLine(x, r.ID)}
		}
		return []string{"", x.Note("Saved as: yours."), nextLine(x, r.ID)}
	}
	f.Submit = func(x facts) message {
		words, missing := todos.words()
		if missing != "" {
			return trouble(x.Keyed(missing))
		}
		complete := model.CompleteWorkItem{WorkItemID: r.ID, LinkedTodos: words, SeenRevision: x.Revision(r)}
		round.Calls = []model.Call{{Command: complete}}
		return apply{Said: "Completed " + string(r.Handle), Command: round}
	}
	if c.fx.Threads != nil && r.ID == c.threads.item {
		unsettled(f, c.threads.card)
	}
	return f
}

// evidenceLines says how far the work is verified, and names open todos.
func evidenceLines(x facts) (out []string) {
	if x.Detail == nil {
		return nil
	}
	v := screen.Detail{Frame: x.Frame, Detail: x.Detail}
	if out = v.ToVerify(x.Inner()); x.Detail.Evidence.State == model.EvidenceVerified {
		out = v.Verified(x.Inner())
	} else if x.Detail.Evidence.Policy == model.EvidenceRequire {
		out = append(out, x.Note("  You may complete it all the same."))
	}
	if u := x.Detail.Unfinished(); u != nil {
		for _, t := range u.Sample[:min(len(u.Sample), 3)] {
			mark, ink := x.TodoMark(t.State)
			out = append(out, "   "+ink.Paint(mark+" "+x.Cut(t.Text, x.Inner()-8)))
		}
	}
	return out
}

// reporting adds the missing report to a completed item.
func reporting(x facts, r model.Row) dialog {
	report := model.ReportWorkItem{WorkItemID: r.ID}
	f := itemForm(x, r, model.CommandName(report), "complete", about(x, "Report on", r), "{submit} save · {back} keeps the draft")
	f.Fields = []formField{textField("Report   given once, saved as: yours", 6, model.MaxReport, &report.Text, "")}
	f.Submit = func(facts) message { return apply{Said: "Reported on " + string(r.Handle), Command: report} }
	return f
}

// mostAsked is the number of linked todos with a question of their own. All others share one answer.
const mostAsked = 20

// The choices about an open todo of a completed item, in the order of the dialog.
const (
	undecided = iota
	finished
	wontFix
	moved
	keepOpen
)

var decisions = []string{"undecided", "finished", "won't fix", "moved", "stays open"}

// openLinked returns the open linked todos of an item.
func (x fileTodos) openLinked(id model.ItemID) []LinkedTodo {
	if x.item != id {
		return nil
	}
	over := func(l LinkedTodo) bool { return l.Missing != "" || l.Todo.Status.Final() }
	return slices.DeleteFunc(slices.Clone(x.Linked), over)
}

// todoDecisions ask what to do with each open linked todo of a completed item. No todo is closed unless the operator says so here.
type todoDecisions struct {
	groups []([]LinkedTodo)
	// of returns the choice about a group.
	of func(int) int
	// why and to are the reason and the item for the todos that are not fixed or moved.
	why, to model.Text
}

// deciding adds the fields to a completion.
func deciding(x facts, f *form, open []LinkedTodo) *todoDecisions {
	d, first := &todoDecisions{}, len(f.Fields)
	for i, l := range open {
		if last := len(d.groups) - 1; i >= mostAsked {
			d.groups[last] = append(d.groups[last], l)
			continue
		}
		d.groups = append(d.groups, []LinkedTodo{l})
	}
	if len(d.groups) == 0 {
		return d
	}
	for _, g := range d.groups {
		ref := g[0].Todo.Full()
		label := fmt.Sprintf("%s  %s, %s", ref, screen.FileWord(g[0].Todo.Status), x.Cut(g[0].Todo.Title, 44))
		if len(g) > 1 {
			label = fmt.Sprintf("%s and %d more linked todos", ref, len(g)-1)
		}
		f.Fields = append(f.Fields, formField{Label: label, Name: string(ref), Options: decisions})
	}
	d.of = func(i int) int { return f.Fields[first+i].Chosen }
	why := lineField("Why won't it be fixed?", model.MaxReason, &d.why, "")
	to := lineField("Moved to which work item?", model.MaxReason, &d.to, "")
	why.Shown, to.Shown = d.any(wontFix), d.any(moved)
	f.Fields, f.Chord = append(f.Fields, why, to), true
	return d
}

// any returns a test for whether the operator made this choice for any todo.
func (d *todoDecisions) any(choice int) func() bool {
	return func() bool {
		for i := range d.groups {
			if d.of(i) == choice {
				return true
			}
		}
		return false
	}
}

// words are the decisions by todo. missing says what is missing.
func (d *todoDecisions) words() (words map[string]model.Text, missing string) {
	for i, g := range d.groups {
		ref := g[0].Todo.Full().String()
		word := model.Text("keep")
		switch choice := d.of(i); {
		case choice == undecided:
			return nil, "say what becomes of " + ref + " ({next-pane}, then 2 to 5)"
		case choice == wontFix && d.why == "":
			return nil, "say why " + ref + " won't be fixed"
		case choice == wontFix:
			word = "wont_fix: " + d.why
		case choice == moved && d.to == "":
			return nil, "say which work item takes " + ref + " over"
		case choice == moved:
			word = "moved: " + d.to
		case choice == finished:
			word = "finished"
		}
		for _, l := range g {
			if words == nil {
				words = map[string]model.Text{}
			}
			words[string(l.Todo.Full())] = word
		}
	}
	return words, ""
}

// unsettled adds a field for a reason to a completion if the item's thread is not settled. The reason goes to
// the thread's log before the item is completed.
func unsettled(f *form, card thread.Card) {
	if !card.Linked || card.Thread == nil {
		return
	}
	against := card.Thread.Unsettled()
	if len(against) == 0 {
		return
	}
	var why model.Text
	head, warn, submit := f.Head, f.Warn, f.Submit
	f.Fields = append(f.Fields, lineField("Why all the same?   kept in the thread's log", model.MaxReason, &why,
		"say why, although the thread speaks against it"))
	f.Warn = func(x facts) []string {
		return append([]string{"Its thread " + string(card.Thread.ID) + " speaks against it."}, warn(x)...)
	}
	f.Head = func(x facts) (out []string) {
		for _, words := range against {
			out = append(out, x.Note("  "+x.Cut(words, x.Inner()-4)))
		}
		return append(out, head(x)...)
	}
	f.Submit = func(x facts) message {
		m := submit(x)
		if a, ok := m.(apply); ok {
			remark := thread.Remark{Thread: card.Thread.ID, Note: "completed all the same: " + why}
			a.Before = job{thread: &ThreadAct{Repo: card.Repo, Command: remark}}
			return a
		}
		return m
	}
}

// report opens the dialog for a completed item's report: a choice, if reports are offered.
func report(c *console) {
	x, r := c.facts(), *c.row()
	if d := x.Detail; d != nil && d.ID == r.ID && len(d.Offered) > 0 {
		c.open(choosing(x, r, d.Offered))
		return
	}
	c.open(reporting(x, r))
}

// choosing shows the reports that are offered for a completed item, the one at the cursor in full. The operator
// takes one of them, or writes a report, or leaves the item without one.
func choosing(x facts, r model.Row, offers []model.ReportOffer) dialog {
	n := len(offers)
	m := &menu{Title: about(x, "Report on", r), Lines: reportLines(x, r, offers),
		Foot: "{open} keep as the report · {page-up} {page-down} read · {back} decides nothing"}
	if x.Drafts["complete:"+string(r.ID)] != "" {
		m.Lines[n].Does, m.At = "your draft is kept", n
	}
	if !r.Offered() {
		m.Lines[n+1].Off = "declined already; one of them can still be kept"
	}
	m.Below = func(x facts) []string {
		if m.At >= n {
			return nil
		}
		return x.Prose(offers[m.At].Text, x.Inner()-2, x.Text)
	}
	return m
}

// reportLines are the offered reports, a report in the operator's own words, and no report.
func reportLines(x facts, r model.Row, offers []model.ReportOffer) (out []menuLine) {
	for _, o := range offers {
		out = append(out, menuLine{Title: model.Spaced(o.Provenance), Does: "becomes the report · " + x.OfferNote(o),
			Result: apply{Said: "Reported on " + string(r.Handle), Command: model.ReportWorkItem{WorkItemID: r.ID, Text: o.Text}}})
	}
	none := apply{Said: "Declined the reports offered for " + string(r.Handle), Command: model.DeclineReport{WorkItemID: r.ID}}
	return append(out,
		menuLine{Title: "your own words…", Does: "typed, and saved as: yours", Result: opens{reporting(x, r)}, as: action.Report},
		menuLine{Title: "none of them", Does: "it stays without a report, and asks no more", Result: none})
}
