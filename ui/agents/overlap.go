package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/ui/transcript"
)

// overlapTimeout bounds how long a hook may take to find out which other agents change a file.
const overlapTimeout = time.Second

// edited records the files that a tool changed for the session's item.
func (c *call) edited(ctx context.Context, p payload) {
	paths := transcript.ToolCall{Tool: p.Tool, Input: p.Input, Dir: c.Dir}.Edited()
	if len(paths) == 0 || c.busy {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.FactTimeout, overlapTimeout))
	defer cancel()
	if w, ok := c.worksOn(ctx); ok {
		_ = c.home.RefreshEdited(ctx, w, paths) // the files are read again when the item is completed
		_ = c.home.NoteEdits(ctx, w, paths)     // if the ledger is busy, the end of the turn records them
	}
}

// changed records the files that the session's item had changed by the end of a turn. A driver records them itself.
func (c *call) changed(ctx context.Context) {
	if c.driven() || c.busy {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.FactTimeout, overlapTimeout))
	defer cancel()
	if w, ok := c.worksOn(ctx); ok {
		_ = c.home.NoteChanged(ctx, w) // the end of the next turn records them
	}
}

// worksOn returns the session's open item: the one that it holds, else the agent's focus.
func (c *call) worksOn(ctx context.Context) (w model.WorkItem, ok bool) {
	held := c.siblings().own
	err := c.view(ctx, func(r model.Reader) { w, ok = c.focus(r, held) })
	return w, ok && err == nil
}

func (c *call) focus(r model.Reader, held model.ItemID) (model.WorkItem, bool) {
	agent := c.agent
	if w, ok := r.Item(held); ok && w.State == model.Open && w.AgentID == agent {
		return w, true
	}
	return model.Focus(r, agent)
}

// overlaps returns text about files that other agents change too and that the session was not told about yet.
func (c *call) overlaps(ctx context.Context) string {
	if c.session == "" || c.busy {
		return ""
	}
	held := c.siblings().own
	var list []model.Overlapped
	err := c.view(ctx, func(r model.Reader) {
		if w, ok := c.focus(r, held); ok {
			list = model.OverlapsOf(r, w)
		}
	})
	if err != nil {
		return ""
	}
	return prompt.Overlaps(slices.DeleteFunc(list, func(x model.Overlapped) bool { return !c.tellsOf(x) }))
}

// tellsOf reports whether the session must be told of an overlap. It returns true once for each overlap in a session.
func (c *call) tellsOf(x model.Overlapped) bool {
	return c.once("overlap", fmt.Sprintf("%s\x00%s\x00%s\x00%t", c.session, x.With, x.File.Raw(), x.Apart)) // raw: a name, not shown
}

// toldOverlaps remembers that the session was told of the overlaps in its work context.
func (c *call) toldOverlaps(r model.Reader, told prompt.Layered) {
	w, ok := model.Focus(r, told.AgentID)
	if !ok || c.session == "" || !told.TellsAll("overlaps") {
		return
	}
	for _, x := range model.OverlapsOf(r, w) {
		c.tellsOf(x)
	}
}

// joined returns two texts, one below the other.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
