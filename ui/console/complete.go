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
	f := itemForm(x, r, "CompleteWorkItem", "complete")
	f.Title = about(x, "Complete", r)
	f.Fields = []formField{{Label: "Report", Field: textField(6, model.MaxReport)}}
	f.Foot = "{submit} complete · {close} keeps the draft"
	f.EmptyFoot = "{submit} complete without report · {close} closes"
	todos := deciding(x, f, c.openLinked())
	f.WithDraft(x.Drafts)
	f.Head = func(x facts, _ *form) []string {
		return append(verifiedLines(x), unfinishedLines(x)...)
	}
	f.Tail = func(x facts, f *form) []string {
		out := []string{"", x.Note("Saved as: operator.")}
		if f.Fields[0].Empty() {
			out = append(out[:1], x.Warn("No report will be saved. vise never writes one.")...)
		}
		return append(out, x.Note("Final: it cannot be reopened."), nextLine(x, r.ID))
	}
	f.Submit = func(x facts, f *form) message {
		words, missing := todos.words(f)
		if missing != "" {
			return trouble(x.Keyed(missing))
		}
		return apply{Said: "Completed " + string(r.Handle), Command: model.Round{
			Text: f.Text(0), WorkItemID: r.ID,
			Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: r.ID, LinkedTodos: words, SeenRevision: x.Revision(r)}}},
		}}
	}
	if c.fx.Threads != nil && r.ID == c.threads.item {
		unsettled(f, c.threads.card)
	}
	return f
}

// verifiedLines says how far the work is verified.
func verifiedLines(x facts) []string {
	if x.Detail == nil {
		return nil
	}
	out := screen.Detail{Frame: x.Frame, Detail: x.Detail}.Verified(x.Inner())
	if len(out) == 0 {
		return nil
	}
	if e := x.Detail.Evidence; e.Policy == model.EvidenceRequire && e.State != model.EvidenceVerified {
		out = append(out, x.Note("  You may complete it all the same."))
	}
	return append(out, "")
}

func unfinishedLines(x facts) []string {
	if x.Detail == nil || x.Detail.Unfinished() == nil {
		return nil
	}
	u := x.Detail.Unfinished()
	out := x.Warn(u.Message)
	for _, t := range u.Sample[:min(len(u.Sample), 3)] {
		mark, ink := x.TodoMark(t.State)
		out = append(out, "   "+ink.Paint(mark+" "+x.Cut(t.Text, x.Inner()-8)))
	}
	return append(out, "")
}

// reporting adds the missing report to a completed item.
func reporting(x facts, r model.Row) dialog {
	f := itemForm(x, r, "ReportWorkItem", "complete")
	f.Title, f.Foot = about(x, "Report on", r), "{submit} save · {close} keeps the draft"
	f.Fields = []formField{{Label: "Report   given once, saved as: operator", Field: textField(6, model.MaxReport)}}
	f.Submit = func(_ facts, f *form) message {
		return apply{Said: "Reported on " + string(r.Handle), Command: model.ReportWorkItem{WorkItemID: r.ID, Text: f.Text(0)}}
	}
	return f.WithDraft(x.Drafts)
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

// openLinked returns the open linked todos of the item under the cursor.
func (c *console) openLinked() []LinkedTodo {
	d := c.detail()
	if d == nil || c.files.item != d.ID {
		return nil
	}
	over := func(l LinkedTodo) bool { return l.Missing != "" || l.Todo.Status.Final() }
	return slices.DeleteFunc(slices.Clone(c.files.Linked), over)
}

// decisionFields are the fields of a completion that ask what to do with each open linked todo. No todo is
// closed unless the operator says so here.
type decisionFields struct {
	groups []([]LinkedTodo)
	// first is the index of the first group's field. The fields of the reason and the item follow the last
	// group.
	first int
}

// deciding adds the fields to a completion.
func deciding(x facts, f *form, open []LinkedTodo) decisionFields {
	d := decisionFields{first: len(f.Fields)}
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
		label := fmt.Sprintf("%s  %s, %s", g[0].Todo.Ref(), screen.FileWord(g[0].Todo.Status), x.Cut(g[0].Todo.Title, 44))
		if len(g) > 1 {
			label = fmt.Sprintf("%s and %d more linked todos", g[0].Todo.Ref(), len(g)-1)
		}
		f.Fields = append(f.Fields, formField{Label: label, Name: string(g[0].Todo.Ref()), Options: decisions})
	}
	f.Fields = append(f.Fields,
		formField{Label: "Why won't it be fixed?", Field: textField(1, model.MaxReason), Shown: d.any(wontFix)},
		formField{Label: "Moved to which work item?", Field: textField(1, model.MaxReason), Shown: d.any(moved)})
	f.Chord = true
	return d
}

// any returns a test for whether the operator made this choice for any todo.
func (d decisionFields) any(choice int) func(*form) bool {
	return func(f *form) bool {
		return slices.ContainsFunc(f.Fields[d.first:d.first+len(d.groups)], func(ff formField) bool { return ff.Chosen == choice })
	}
}

// words are the decisions by todo. trouble says what is missing.
func (d decisionFields) words(f *form) (words map[string]model.Text, trouble string) {
	if len(d.groups) == 0 {
		return nil, ""
	}
	why, to := f.Text(d.first+len(d.groups)), f.Text(d.first+len(d.groups)+1)
	words = map[string]model.Text{}
	for i, g := range d.groups {
		ref := g[0].Todo.Ref().String()
		word := model.Text("keep")
		switch f.Fields[d.first+i].Chosen {
		case undecided:
			return nil, "say what becomes of " + ref + " ({next-field}, then 2 to 5)"
		case wontFix:
			if why == "" {
				return nil, "say why " + ref + " won't be fixed"
			}
			word = "wont_fix: " + why
		case moved:
			if to == "" {
				return nil, "say which work item takes " + ref + " over"
			}
			word = "moved: " + to
		case finished:
			word = "finished"
		}
		for _, l := range g {
			words[string(l.Todo.Ref())] = word
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
	head, submit, at := f.Head, f.Submit, len(f.Fields)
	why := formField{Label: "Why all the same?   kept in the thread's log", Field: textField(1, model.MaxReason)}
	f.Fields = append(f.Fields, why)
	f.Head = func(x facts, f *form) []string {
		out := x.Warn("Its thread " + string(card.Thread.ID) + " speaks against it.")
		for i, words := range against {
			if i == mostAgainst && len(against) > mostAgainst+1 {
				out = append(out, x.Note(fmt.Sprintf("  and %d more", len(against)-i)))
				break
			}
			out = append(out, x.Note("  "+x.Cut(words, x.Inner()-4)))
		}
		return append(append(out, ""), head(x, f)...)
	}
	f.Submit = func(x facts, f *form) message {
		if f.Fields[at].Empty() {
			return trouble("say why, although the thread speaks against it")
		}
		r := submit(x, f)
		if apply, ok := r.(apply); ok {
			remark := thread.Remark{Thread: card.Thread.ID, Note: "completed all the same: " + f.Text(at)}
			apply.Before = job{thread: &ThreadAct{Repo: card.Repo, Command: remark}}
			return apply
		}
		return r
	}
}

// mostAgainst is the most lines in a dialog that list the objections.
const mostAgainst = 4

// choosing shows the reports that are offered for a completed item, the one at the cursor in full. The operator
// takes one of them, or writes a report, or leaves the item without one.
type choosing struct {
	*menu
	offers []model.ReportOffer
	shown  excerpt
}

// report opens the dialog for a completed item's report: a choice, if reports are offered.
func report(c *console) {
	x, r := c.facts(), *c.row()
	if d := x.Detail; d != nil && d.ID == r.ID && len(d.Offered) > 0 {
		c.open(newChoosing(x, r, d.Offered))
		return
	}
	c.open(reporting(x, r))
}

func newChoosing(x facts, r model.Row, offers []model.ReportOffer) *choosing {
	m := &menu{Title: about(x, "Report on", r),
		Foot: "{menu-run} keep as the report · {menu-page-up} {menu-page-down} read · {menu-close} decides nothing"}
	line := func(title, does string, result message) {
		m.Lines = append(m.Lines, menuLine{Title: fmt.Sprintf("%d %s", len(m.Lines)+1, title), Does: does, Result: result})
	}
	for _, o := range offers {
		line(model.Spaced(o.Provenance), x.OfferNote(o),
			apply{Said: "Reported on " + string(r.Handle), Command: model.ReportWorkItem{WorkItemID: r.ID, Text: o.Text}})
	}
	own := "typed, and saved as: operator"
	if x.Drafts["complete:"+string(r.ID)] != "" {
		own, m.At = "your draft is kept", len(offers)
	}
	line("your own words…", own, opens{reporting(x, r)})
	line("none of them", "it stays without a report, and asks no more",
		apply{Said: "Declined the reports offered for " + string(r.Handle), Command: model.DeclineReport{WorkItemID: r.ID}})
	if !r.Offered() {
		m.Lines[len(m.Lines)-1].Off = "declined already; one of them can still be kept"
	}
	return &choosing{menu: m, offers: offers}
}

// Press is part of dialog.
func (d *choosing) Press(k keyPress, x facts) (dialog, message) {
	if d.shown.Scroll(k, action.MenuPageDown, action.MenuPageUp, len(d.words(x)), d.height(x)) {
		return d, nil
	}
	before := d.At
	next, r := d.menu.Press(k, x)
	if d.At != before {
		d.shown = excerpt{}
	}
	if next == nil {
		return nil, r
	}
	return d, r
}

// Draw is part of dialog.
func (d *choosing) Draw(x facts) drawnDialog {
	out := d.menu.Draw(x)
	if lines := d.words(x); len(lines) > 0 {
		out.Lines = append(append(out.Lines, ""), d.shown.Draw(x, lines, d.height(x), "{menu-page-up} {menu-page-down}")...)
		out.H = min(len(out.Lines)+2, x.H)
	}
	return out
}

// words are the lines of the report at the cursor.
func (d *choosing) words(x facts) []string {
	if d.At >= len(d.offers) {
		return nil
	}
	return x.Wrapped(d.offers[d.At].Text, x.Inner()-2, x.Text)
}

// height is the number of lines of an offer that fit below the choices, without the border, a gap and the
// heading line.
func (d *choosing) height(x facts) int { return max(x.H-2-len(d.Lines)-2, 2) }
