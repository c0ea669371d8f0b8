package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

func (c Console) todoPage(d model.Detail, w int) []string {
	if len(d.TodoList) == 0 {
		return []string{" " + c.styles.Muted.Paint("No todos. t writes a checklist.")}
	}
	var out []string
	for _, t := range c.checklist(d) {
		lines := text.Wrap(c.show(t.Text), max(w-4, 1))
		mark, ink := todoMark(c.styles, t.State)
		for i, l := range lines {
			if i > 0 {
				mark = " "
			}
			out = append(out, " "+ink.Paint(mark)+" "+ink.Paint(l))
		}
	}
	return out
}

func todoMark(k *widget.Styles, s model.TodoState) (string, widget.Ink) {
	switch s {
	case model.TodoCompleted:
		return k.Glyph.Done, k.Done
	case model.TodoInProgress:
		return k.Glyph.InProgress, k.Current
	}
	return k.Glyph.Pending, k.Text
}

func (c Console) waitPage(d model.Detail, w int) []string {
	k := c.styles
	var out []string
	if d.BlockedBy != "" {
		out = append(out, " "+k.Muted.Paint("Blocked by"))
		out = append(out, c.frame().Wrapped(d.BlockedBy, w, k.Blocked)...)
		if !d.RecheckAt.IsZero() {
			out = append(out, " "+k.Muted.Paint("recheck "+d.RecheckAt.In(c.now.Location()).Format("Mon 15:04")))
		}
		out = append(out, "")
	}
	out = append(out, c.replyPage(d, w)...)
	if len(d.Waits) == 0 && len(d.Replies) == 0 {
		return append(out, " "+k.Muted.Paint(c.keys.Keyed("No waits. {wait} parks it until something happens.")))
	}
	for _, x := range d.Waits {
		out = append(out, waitLines(c.frame(), x, w)...)
	}
	return out
}

func waitLines(f widget.Frame, x model.Wait, w int) []string {
	k := f.Styles
	state, ink := "pending", k.NeedsYou
	switch {
	case x.Status == model.WaitCancelled:
		state, ink = "cancelled: "+strings.ReplaceAll(x.CancelReason, "_", " "), k.Faint
	case x.Triggered():
		state, ink = fmt.Sprintf("triggered %d×, last %s ago", x.TriggerCount, f.Age(x.LastTriggeredAt)), k.Triggered
	}
	out := []string{k.Strip(w, false, k.Strong.Of(" "+string(x.Kind)), ink.Of("  "+state), k.Muted.Of("  "+f.Clock(x.CreatedAt)))}
	out = append(out, f.Labelled("for", x.Reason, w)...)
	if what := x.WaitsFor(); what != "" {
		out = append(out, f.Labelled("on", what, w)...)
	}
	if !x.WakeAt.IsZero() {
		out = append(out, f.Labelled("at", model.Text(f.BothTimes(x.WakeAt)), w)...)
	}
	if x.Ask.Question != "" {
		out = append(out, f.Labelled("asks", x.Ask.Question, w)...)
	}
	for i, choice := range x.Ask.Choices {
		out = append(out, f.Labelled(fmt.Sprint(i+1), choice, w)...)
	}
	if x.TriggerCount > 0 {
		by := model.Text(x.LastTrigger.Actor)
		if x.LastTrigger.Source != "" {
			by += ", " + x.LastTrigger.Source
		}
		out = append(out, f.Labelled("by", by, w)...)
		if x.LastTrigger.Payload != "" {
			out = append(out, f.Labelled("said", excerpt(x.LastTrigger.Payload), w)...)
		}
	}
	return append(out, "")
}

func (c Console) eventPage(d model.Detail, w int) []string {
	_, h := c.layout.panes[paneDetail].inner()
	out := make([]string, len(d.Entries))
	top := c.place.scroll[c.place.page()]
	for i := top; i < min(top+h, len(out)); i++ {
		out[i] = c.entryLine(d.Entries[i], "", w)
	}
	return out
}

// entryLine is an event on a line: when, what kind, whose, in words.
func (c Console) entryLine(e model.Entry, handle string, w int) string {
	k := c.styles
	glyph, ink := c.glyphOfEvent(e.Kind)
	who := ""
	if e.Actor != model.AgentActor(c.place.agent) {
		who = "  " + c.show(model.Text(e.Actor))
	}
	if handle != "" {
		handle += "  "
	}
	return k.Strip(w, false,
		k.Muted.Of(" "+text.Pad(c.frame().Clock(e.At), 8)+" "), ink.Of(glyph+" "),
		k.Muted.Of(handle), k.Text.Of(c.show(e.Tell())), k.Faint.Of(who))
}

func (c Console) glyphOfEvent(kind model.EventKind) (string, widget.Ink) {
	k := c.styles
	switch kind {
	case model.EventWorkItemPicked:
		return k.Glyph.Current, k.Current
	case model.EventWaitTriggered:
		return k.Glyph.Triggered, k.Triggered
	case model.EventWaitRegistered:
		return k.Glyph.Blocked, k.Blocked
	case model.EventReportPromoted:
		return k.Glyph.Done, k.Done
	case model.EventPlanRefreshed:
		return k.Glyph.Changed, k.Accent
	case model.EventCompletionWarning:
		return k.Glyph.Warning, k.NeedsYou
	}
	return k.Glyph.Dot, k.Muted
}

func (c Console) whyPage(d model.Detail, w int) []string {
	var out []string
	for _, l := range d.Why.Lines {
		out = append(out, c.frame().Labelled(l.Label, l.Text, w)...)
	}
	if len(d.Why.Order) == 0 {
		return out
	}
	var order []string
	for _, r := range d.Why.Order {
		order = append(order, glyphOfRow(c.styles, r)+" "+string(r.Handle))
	}
	return append(append(out, ""), c.frame().Labelled("Order", model.Text(strings.Join(order, "  ")), w)...)
}

func (c Console) reportPage(d model.Detail, w int) []string {
	k := c.styles
	switch r := d.Report; {
	case r != nil:
		head := " " + k.Done.Paint(k.Glyph.Done) + " " + k.Muted.Paint("report, "+strings.ReplaceAll(string(r.By), "_", " ")+" "+c.frame().Clock(r.CreatedAt))
		return append([]string{head, ""}, c.frame().Wrapped(r.Text, w, k.Text)...)
	case len(d.Offered) > 0:
		return c.offeredPage(d, w)
	case model.NotOffered(c.rowOf(d), "ReportWorkItem") == "":
		return c.frame().Warned(c.keys.Keyed("Completed without a report. {report} gives it one."), w)
	}
	return c.frame().Said(c.keys.Keyed("No report yet. It is given when the item is completed ({complete})."), w)
}

func (c Console) rowOf(d model.Detail) model.Row {
	if r := c.queue.row(d.ID); r != nil {
		return *r
	}
	if r := c.truth.row; r != nil && r.ID == d.ID {
		return *r
	}
	return model.Row{}
}

// activityPane draws the agent's newest events.
func (c Console) activityPane(r rect) []string {
	w, h := r.inner()
	b := widget.Box{Title: c.styles.Strong.Paint("Activity"), Focused: c.place.focus == paneActivity}
	top := min(c.place.scroll[page{tab: tabActivity}], c.lastTop(paneActivity))
	if top == 0 {
		b.Right = c.styles.Accent.Paint(c.styles.Glyph.Following) + c.styles.Muted.Paint(" following")
	}
	for _, e := range c.truth.activity[top:min(top+h, len(c.truth.activity))] {
		b.Lines = append(b.Lines, c.entryLine(e, string(c.truth.names[e.WorkItemID]), w))
	}
	return b.Draw(r.w, r.h, c.styles)
}
