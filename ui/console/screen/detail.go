package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/model/todo"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/text"
)

// Detail shows the item under the cursor: its description, and the page of a tab.
type Detail struct {
	Frame
	Rect
	Focused bool
	// Row is the item as its list shows it; nil means that nothing is selected.
	Row *model.Row
	// Detail is nil until it was read.
	*model.Detail
	// Agent is the agent of the item.
	Agent model.Agent
	Tab   Tab
	// Events are the item's events as shown. Story is read only if events are shown.
	Events Events
	Story  model.Story
	// Scroll is the first visible line of the page. The plan has its own position.
	Scroll int
	Plan   Plan
	// Session is the item's session, or its agent's last one; nil if vise runs none.
	Session *Session
	// Live is what the item's agent does now.
	Live  home.Session
	Files FileTodos
	// FileCursor is the selected todo on the page of files.
	FileCursor todo.Ref
	// Changes are the files that the work changed. HasChanges means that the directory of the work is known.
	Changes    Changes
	HasChanges bool
	// Card says where the work was left. HasThreads means that threads are read at all. Linked means that the item links to a thread.
	Card               thread.Card
	HasThreads, Linked bool
	// Reasons unfolds the header: why the item is where it is, Path, and the keys that would change it ("i answer").
	Reasons bool
	Path    model.Path
	WhyKeys []string
	// Opened means that there is a ledger.
	Opened bool
	// Preview means that it is shown beside a list that has the keys.
	Preview bool
}

// Draw draws the detail.
func (v Detail) Draw(pane int) Drawing {
	p := v.pane(v.Rect, pane, "", "", v.Focused)
	p.Title, p.regions = v.tabs(pane)
	w, h := v.Inner()
	switch {
	case v.Row == nil && v.Tab == TabSession && v.Session != nil:
		p.Lines, p.Foot = v.talk(w, h), v.sessionFoot()
	case v.Row == nil && v.Preview:
		p.Lines = []string{v.Note("No work item.")}
	case v.Row == nil && v.Opened:
		p.Lines = []string{v.Note("Nothing is selected.")}
	case v.Row != nil:
		p.Lines = v.head(w)
		if v.Detail != nil {
			p.Lines = append(p.Lines, v.window(w, h-len(p.Lines))...)
		}
		p.Foot = v.foot()
	}
	if v.Tab == TabSession && v.Session != nil {
		p.Right = v.Muted.Paint(string(v.Session.State) + " " + v.Age(v.Session.Since) + v.Session.Used())
	}
	return p.draw()
}

func (v Detail) head(w int) []string {
	r := v.Row
	facts := fmt.Sprintf(" %s  %s · plan %s", r.Handle, model.Spaced(r.Scheduling), model.Spaced(r.PlanStatus))
	if r.Priority != "" {
		facts += " · " + string(r.Priority) + " priority"
	}
	switch {
	case r.AgentFails():
		facts = fmt.Sprintf(" %s  the agent's program fails", r.Handle)
	case r.IsPermission():
		facts = fmt.Sprintf(" %s  asks in %s for permission · %s", r.Handle, v.Show(r.Wait.Source), r.ID)
	case r.OfAgent():
		facts = fmt.Sprintf(" %s  the agent itself asks · %s", r.Handle, r.ID)
	case r.Stalled:
		facts += " · stalled"
	}
	facts += v.rests()
	if w := v.Card.Worktree; w.Path != "" {
		facts += " · " + v.Show(model.Text(w.Line()))
	}
	if s := v.replyMark(); text.Width(facts+s) < w {
		facts += s
	}
	left, why := v.Muted.Paint(facts), ""
	if v.Detail != nil && v.hidden() {
		left += "  " + v.Badge.Paint(" hidden characters ")
	}
	if v.Detail != nil && v.Wide && len(v.Why.Lines) > 0 {
		words := v.Why.Lines[0].Text
		switch {
		case r.Stalled:
			words = "it was offered again and again, and nothing changed"
		case v.rests() != "":
			words = model.Text("its agent rests: " + v.Why.Decision.HeldBy)
		}
		why = text.Cut("why: "+v.Show(words), w-text.Width(left)-3) + " "
	}
	said := text.Sides(left, v.Muted.Paint(why), w)
	if s := v.save(); s != nil {
		said = v.saveLine(s, w)
	}
	out := []string{v.Strip(w, false, v.Strong.Of(" "+v.Show(r.Objective))), said}
	if v.Detail != nil && v.Tab != TabHistory { // which has all of it
		if v.save() == nil {
			out = append(out, v.held(w)...)
		}
		_, h := v.Inner()
		reasons := v.reasons(w)
		if most := max(h/2, 1); len(reasons) > most {
			reasons = append(reasons[:most-1], v.Note("The tab History (g h) shows all of it."))
		}
		out = append(out, reasons...)
	}
	return append(out, v.rule(w))
}

// reasons say why the item is where it is, and which keys would change that, if they are unfolded.
func (v Detail) reasons(w int) []string {
	if !v.Reasons {
		return nil
	}
	return append(v.why(w), v.Note(strings.Join(v.WhyKeys, " · ")))
}

// held says in one line what the item waits for, and its blocker.
func (v Detail) held(w int) []string {
	var waits []string
	for _, x := range v.ActiveWaits {
		s := model.Spaced(x.Kind)
		if x.Triggered() {
			s += " (news)"
		}
		waits = append(waits, s)
	}
	var held []Piece
	if len(waits) > 0 {
		held = append(held, v.Muted.Of(" Waits for "), v.Text.Of(strings.Join(waits, ", ")+"  "))
	}
	if s := v.Show(v.BlockedBy); s != "" {
		held = append(held, v.Muted.Of(" Blocker "), v.Text.Of(s))
	}
	if held == nil {
		return nil
	}
	return []string{v.Strip(w, false, held...)}
}

// room is the size of the page below the header.
func (v Detail) room() (w, h int) {
	w, h = v.Inner()
	if v.Row != nil {
		h -= len(v.head(w))
	}
	return w, h
}

// rests says how long the item's agent waits before its next turn, if the item would have a turn otherwise.
func (v Detail) rests() string {
	if v.Detail == nil || v.Why.Decision.HeldBy == "" || v.Row.Class.Rank() > model.QueuedRunnable.Rank() && !v.Row.AgentFails() {
		return ""
	}
	return " · rests " + text.Age(v.Why.Decision.Until.Sub(v.Now))
}

// rule returns a line across w cells.
func (f Frame) rule(w int) string {
	return " " + f.Faint.Paint(strings.Repeat(f.Glyph.Rule, max(w-2, 0)))
}

// hidden reports whether an item's text contains characters that no terminal shows.
func (v Detail) hidden() bool {
	hidden := func(t model.Todo) bool { return t.Text.Hidden() }
	return v.Objective.Hidden() || v.BlockedBy.Hidden() || slices.ContainsFunc(v.TodoList, hidden)
}

// window returns the part of the page that is visible in h lines.
func (v Detail) window(w, h int) []string {
	switch {
	case v.Row.AgentFails(), v.Row.IsPermission():
		return visibleRows(v.why(w), 0, h)
	case v.Row.OfAgent():
		return visibleRows(v.waits(w), 0, h)
	case v.Tab == TabPlan:
		return v.plan(w, h)
	case v.Tab == TabFiles:
		return visibleRows(v.page(w), v.fileLine(w)-h+2, h)
	case v.Tab == TabChanges:
		return v.changes(w, h)
	case v.Tab == TabSession && v.Session != nil:
		return v.talk(w, h)
	case v.Tab == TabSession:
		return []string{v.Note("Nothing was said yet.")}
	}
	return visibleRows(v.page(w), v.Scroll, h)
}

// page returns a whole tab, except the plan and the changes, which show a part of something longer.
func (v Detail) page(w int) []string {
	return [TabCount]func(Detail, int) []string{
		tabTodos: Detail.todos, TabHistory: Detail.history, TabReport: Detail.report, TabThread: Detail.thread, TabFiles: Detail.files,
	}[v.Tab](v, w)
}

// LastLine is the last line that can be the first visible one; -1 if that is not known yet.
func (v Detail) LastLine() int {
	w, h := v.room()
	switch {
	case v.Detail == nil:
		return -1
	case v.Tab == TabPlan, v.Tab == TabSession, v.Tab == TabChanges:
		return 0
	}
	return max(len(v.page(w))-h, 0)
}

// foot says where in the page the reader is, what changed in the plan, or which keys would change what the page shows.
func (v Detail) foot() string {
	switch {
	case v.Row.OfAgent():
		return ""
	case v.Tab == TabPlan:
		return v.planFoot()
	case v.Tab == TabChanges:
		return v.changesFoot()
	case v.Tab == TabSession && v.Session != nil:
		return v.sessionFoot()
	}
	if last := v.LastLine(); last > 0 && v.Tab != TabFiles {
		return v.Muted.Paint(fmt.Sprintf("%d%%", v.Scroll*100/last))
	}
	return ""
}

func (v Detail) todos(w int) []string {
	if len(v.TodoList) == 0 {
		return []string{v.Note(v.Keyed("No todos. {todos} writes a checklist."))}
	}
	var out []string
	for _, t := range v.Files.Checklist(*v.Detail) {
		mark, ink := v.TodoMark(t.State)
		out = append(out, v.marked(mark, ink, t.Text, w)...)
	}
	return out
}

// TodoMark returns a todo's glyph.
func (f Frame) TodoMark(s model.TodoState) (string, Ink) {
	switch s {
	case model.TodoCompleted:
		return f.Glyph.Done, f.Done
	case model.TodoInProgress:
		return f.Glyph.InProgress, f.Current
	}
	return f.Glyph.Pending, f.Text
}

// history returns why the item is where it is, if that is unfolded, what it waits and waited for, its story and its events. Only visible
// events are laid out.
func (v Detail) history(w int) []string {
	_, h := v.Inner()
	out := slices.Concat(v.reasons(w), v.waits(w), v.story(w))
	above := len(out)
	out = append(out, make([]string, len(v.Events.Acts))...)
	for i := max(v.Scroll, above); i < min(v.Scroll+h, len(out)); i++ {
		out[i] = v.Events.ofAgent(v.Frame, v.Events.Acts[i-above], w)
	}
	return out
}

func (v Detail) why(w int) []string {
	var out []string
	for i, l := range v.Why.Lines {
		if i == len(v.Why.Lines)-1 { // when its agent runs next
			l.Text = cmp.Or(model.Text(v.Live.Says(v.Now, v.Why.Decision)), l.Text)
		}
		out = append(out, v.labelled(l.Label, l.Text, w)...)
	}
	if len(v.Path.Steps) > 0 {
		out = append(out, "")
	}
	for i, r := range v.Path.Steps {
		label := []string{"Order", ""}[min(i, 1)]
		out = append(out, v.labelled(label, model.Text(v.RowMark(r.Row).Text+" ")+r.Objective+" · "+r.Because, w)...)
	}
	return out
}

// report returns the completion report, how far the work is verified, and the checks.
func (v Detail) report(w int) []string {
	r := v.Report
	if r == nil {
		out := v.unreported(w)
		if words := v.Verified(w); len(words) > 0 {
			out = append(append(out, ""), words...)
		}
		return append(out, v.checks(w)...)
	}
	head := " " + v.Done.Paint(v.Glyph.Done) + " " + v.Muted.Paint("report, "+v.Show(model.By(r.By, r.Person))+" "+v.Clock(r.CreatedAt))
	if words := v.Used.Words(); words != "" {
		head += v.Muted.Paint(" · its turns used " + words)
	}
	out := append([]string{head}, v.Verified(w)...)
	for _, x := range r.Warnings {
		if x.Kind != model.WarnUnverified {
			out = append(out, v.Warned(x.Message, w)...)
		}
	}
	out = append(append(out, ""), v.Prose(r.Text, w, v.Text)...)
	if r.TurnFinal != "" {
		out = append(append(out, "", v.Note(model.Spaced(model.ReportTurnFinal))), v.Prose(r.TurnFinal, w, v.Text)...)
	}
	return append(out, v.checks(w)...)
}

func (v Detail) unreported(w int) []string {
	switch {
	case len(v.Offered) > 0:
		return v.offered(w)
	case v.Row != nil && model.NotOffered(*v.Row, "ReportWorkItem") == "":
		return v.Warned(v.Keyed("Completed without a report. {report} gives it one."), w)
	}
	return v.Said(v.Keyed("No report yet. It is given when the item is completed ({complete})."), w)
}

// offered returns the offered reports. The operator can choose one.
func (v Detail) offered(w int) []string {
	ask := "Completed without a report. One is offered: {report} chooses."
	if n := len(v.Offered); n > 1 {
		ask = fmt.Sprintf("Completed without a report. %d are offered: {report} chooses.", n)
	}
	if !v.NeedsOperator {
		ask = "Completed without a report. What was offered was declined: {report} can still choose."
	}
	out := v.Warned(v.Keyed(ask), w)
	return append(out, v.offers(w, false)...)
}

// offers are the offered reports, each below its source; numbered like the choices among them.
func (v Detail) offers(w int, numbered bool) (out []string) {
	for i, o := range v.Offered {
		head := v.Note(model.Spaced(o.Provenance) + " · " + v.OfferNote(o))
		if numbered {
			head = " " + v.Key.Paint(strconv.Itoa(i+1)) + head
		}
		out = append(append(out, "", head), v.Prose(o.Text, w, v.Text)...)
	}
	return out
}

// OfferNote says when a text was offered as a report, and which other items it may belong to.
func (f Frame) OfferNote(o model.ReportOffer) string {
	s := f.Age(o.At) + " ago"
	if n := len(o.SharedWith); n > 0 {
		s += fmt.Sprintf(" · the same reply completed %d more", n)
	}
	return s
}

// thread returns the resume card.
func (v Detail) thread(w int) []string {
	switch {
	case !v.HasThreads:
		return []string{v.Note("Threads are not read here.")}
	case v.Card.Repo == "":
		return []string{v.Note("Reading…")}
	case v.Card.Empty() && v.Linked:
		return v.goneThreads(w)
	case v.Card.Empty():
		return v.Said("This item links to no thread, and none is active in this repository. "+
			v.KeyOf(action.Threads)+" shows the paused ones; vise thread start GOAL begins one.", w)
	}
	const labelCells = 11
	inks := map[thread.CardKind]Ink{
		thread.CardPlain: v.Text, thread.CardStrong: v.Strong, thread.CardWarning: v.NeedsYou, thread.CardMuted: v.Muted,
	}
	var out []string
	label := ""
	for _, row := range v.Card.Rows("") {
		shown := row.Label
		if shown == label {
			shown = ""
		}
		label = row.Label
		out = append(out, v.beside(" ", shown, labelCells, row.Text, w, inks[row.Kind])...)
	}
	return append(append(out, ""), v.Said(v.KeyOf(action.Threads)+" acts on it, and shows every thread.", w)...)
}

// goneThreads names the threads that an item links to and that do not exist.
func (v Detail) goneThreads(w int) (out []string) {
	if v.Detail == nil {
		return nil
	}
	for _, l := range v.Detail.Links.Threads {
		out = append(out, v.Said("The linked thread "+l.TaskID.String()+" is not there any more.", w)...)
	}
	return out
}
