package screen

import (
	"vise/model"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// Events are entries of the journal, and the handles of the items that they speak of.
type Events struct {
	Entries []model.Entry
	Names   map[model.ItemID]model.Handle
}

// ofAgent is an event of the agent on screen on a line: when, what kind, about what, in words.
func (x Events) ofAgent(f Frame, e model.Entry, w int) string {
	return f.Strip(w, false, append([]widget.Piece{f.Muted.Of(" " + text.Pad(f.Clock(e.At), 8) + " ")}, x.words(f, e)...)...)
}

// ofAll are the pieces of an event of any agent: when, whose, then the same.
func (x Events) ofAll(f Frame, e model.Entry, w int) []widget.Piece {
	cells := min(max(w/7, 8), inboxAgentCells)
	return append([]widget.Piece{
		f.Muted.Of(text.Pad(f.Clock(e.At), 8) + "  "), f.Strong.Of(text.Pad(f.Show(model.Text(e.AgentID)), cells) + " "),
	}, x.words(f, e)...)
}

func (x Events) words(f Frame, e model.Entry) []widget.Piece {
	glyph, ink := f.eventMark(e.Kind)
	handle, who := string(x.Names[e.WorkItemID]), ""
	if handle != "" {
		handle += "  "
	}
	if e.Actor != model.AgentActor(e.AgentID) {
		who = "  " + f.Show(model.Text(e.Actor))
	}
	return []widget.Piece{ink.Of(glyph + " "), f.Muted.Of(handle), f.Text.Of(f.Show(e.Tell())), f.Faint.Of(who)}
}

func (f Frame) eventMark(kind model.EventKind) (string, widget.Ink) {
	switch kind {
	case model.EventWorkItemPicked:
		return f.Glyph.Current, f.Current
	case model.EventWaitTriggered:
		return f.Glyph.Triggered, f.Triggered
	case model.EventWaitRegistered:
		return f.Glyph.Blocked, f.Blocked
	case model.EventReportPromoted:
		return f.Glyph.Done, f.Done
	case model.EventPlanRefreshed:
		return f.Glyph.Changed, f.Accent
	case model.EventCompletionWarning:
		return f.Glyph.Warning, f.NeedsYou
	}
	return f.Glyph.Dot, f.Muted
}

// following says that the end of the events is followed.
func (f Frame) following() string {
	return f.Accent.Paint(f.Glyph.Following) + f.Muted.Paint(" following")
}

// Pane shows the events of the agent on screen in a pane, newest first, from the line top on.
func (x Events) Pane(f Frame, r Rect, id int, focused bool, top int) Drawing {
	w, h := r.Inner()
	p := paneOf(r, id, widget.Box{Title: f.Strong.Paint("Activity"), Focused: focused})
	top = min(top, max(len(x.Entries)-h, 0))
	if top == 0 {
		p.Right = f.following()
	}
	for _, e := range x.Entries[top:min(top+h, len(x.Entries))] {
		p.Lines = append(p.Lines, x.ofAgent(f, e, w))
	}
	return p.draw(f)
}
