package model

import (
	"slices"
	"time"
)

// trace holds the rounds during which an item was the focus, newest last and bounded. It shows the process and is no memory
// (docs/lifecycle.md 9).
type trace struct {
	AgentID    AgentID      `json:"agent_id"`
	WorkItemID ItemID       `json:"work_item_id,omitempty"`
	Entries    []TraceEntry `json:"entries"`
	// Summary are the last words of the last session.
	Summary Summary `json:"summary,omitzero"`
	// Checks are the newest checks, oldest first; Trees are the present contents of their work trees.
	Checks []Check `json:"checks,omitempty"`
	Trees  []tree  `json:"trees,omitempty"`
	// Rule is the evidence rule at its completion.
	Rule EvidenceRule `json:"evidence,omitzero"`
	// Used is what the turns about the item used.
	Used Usage `json:"used,omitzero"`
}

// Summary are the last words of a session or a turn.
type Summary struct {
	At   time.Time `json:"at"`
	Text Text      `json:"text"`
}

// finalText are the newest words in t.
func (t trace) finalText() Summary {
	for _, e := range slices.Backward(t.Entries) {
		if e.Text != "" && e.At.After(t.Summary.At) {
			return Summary{e.At, e.Text}
		}
	}
	return t.Summary
}

// TraceEntry is one round.
type TraceEntry struct {
	At    time.Time `json:"at"`
	Turn  int       `json:"turn,omitempty"`
	Round int       `json:"round,omitempty"`
	Text  Text      `json:"text,omitempty"`
	Calls []string  `json:"calls,omitempty"`
	// Tools are the tools that the round called outside vise.
	Tools []Text `json:"tools,omitempty"`
	// Refused says why the calls were not carried out.
	Refused Text `json:"refused,omitempty"`
}

// Bounds of a trace.
const (
	maxTrace     = 20
	maxTraceText = 2000
	// maxTraceTools bounds the number of tools outside vise, maxToolName the length of their names.
	maxTraceTools = 20
	maxToolName   = 80
)

// traceRound keeps a round in the trace of the focus at its start, else of the item that it picked, and counts the round on the
// turn.
func (s *step) traceRound(c Round, text Text, item ItemID, completed []completedCall) {
	id := s.actingAgent()
	a, ok := s.Agent(id)
	if !ok || c.Turn == 0 {
		return
	}
	t := turn{Index: c.Turn}
	isOver := !a.holds(c.Turn)
	if !isOver {
		t = *a.Turn
	}
	t.Rounds++
	t.Promoted = t.Promoted || s.receipt.ReportPromoted
	for _, x := range completed {
		w, _ := s.Item(x.item)
		if cut(w.ResultSummary, maxPreamble) == w.ResultSummary && !slices.Contains(t.Unreported, x.item) {
			t.Unreported = append(slices.Clip(t.Unreported), x.item)
		}
	}
	if item == "" || a.TurnIndex > c.Turn { // the focus is another turn's
		item = s.boundTo(c, t, a.TurnIndex > c.Turn)
	}
	x, _ := s.Trace(a.ID, item)
	if isOver {
		for _, e := range x.Entries {
			if e.Turn == c.Turn {
				t.Rounds = max(t.Rounds, e.Round+1)
			}
		}
	} else {
		a.Turn = &t
		s.put(a)
	}
	e := TraceEntry{At: s.at.At, Turn: t.Index, Round: t.Rounds, Text: ends(text, maxTraceText), Refused: cut(c.Refused, rowObjective)}
	for _, call := range c.Calls {
		e.Calls = append(e.Calls, CommandName(call.Command))
	}
	for _, name := range c.Made[:min(len(c.Made), maxTraceTools)] {
		e.Calls = append(e.Calls, cut(name, maxToolName).String())
	}
	for _, tool := range c.Tools[:min(len(c.Tools), maxTraceTools)] {
		e.Tools = append(e.Tools, cut(trimmed(tool), maxToolName))
	}
	x.Entries = append(slices.Clone(x.Entries), e)
	x.Entries = x.Entries[max(0, len(x.Entries)-maxTrace):]
	s.put(x)
	s.event(EventRound, item, roundNews{Turn: t.Index, Round: t.Rounds, Text: cut(text, rowObjective), Calls: e.Calls, Refused: e.Refused})
}

// boundTo is the item of a round that began without a focus: the picked one, the one completed elsewhere, or the turn's first
// focus.
func (s *step) boundTo(c Round, t turn, later bool) ItemID {
	if w, ok := Focus(s, s.actingAgent()); ok && !later {
		return w.ID
	}
	if len(c.Done) == 1 {
		return c.Done[0]
	}
	return t.WorkItemID
}

// spend adds a turn's use to the item that it was about: its focus at the start, else the first item that it changed.
func (s *step) spend(item ItemID, u Usage) {
	w, ok := s.Item(item)
	if !ok || u == (Usage{}) {
		return
	}
	x, _ := s.Trace(w.AgentID, w.ID)
	x.Used = x.Used.Plus(u)
	s.put(x)
}

// summarise keeps a session's last words with its item: the focus, else the focus at the turn's start. A completed item keeps
// none, because it has its report.
func (s *step) summarise(agent AgentID, began ItemID, words Text) {
	w, ok := Focus(s, agent)
	if !ok {
		w, ok = s.Item(began)
	}
	x, _ := s.Trace(agent, w.ID)
	words = ends(trimmed(words), maxTraceText)
	if !ok || w.State != Open || w.AgentID != agent || words == "" || x.Summary.Text == words {
		return
	}
	x.Summary = Summary{At: s.at.At, Text: words}
	s.put(x)
}

// ends is a text of at most n scalars; from a longer text it cuts the middle.
func ends(t Text, n int) Text {
	r := []rune(t) // raw: cut, not shown
	if len(r) <= n {
		return t
	}
	const mark = " … "
	n -= len([]rune(mark))
	return Text(r[:n-n/2]) + mark + Text(r[len(r)-n/2:])
}

// KeepSummary keeps the last words of a session without a turn, for the agent's focus. While a turn runs, the turn keeps them.
type KeepSummary struct {
	Text Text `json:"text"`
}

func (c KeepSummary) step(s *step) error {
	text, err := optional("text", c.Text, MaxWords)
	if err != nil {
		return err
	}
	a, ok := s.Agent(s.actingAgent())
	if ok && !a.Turn.Runs(s.at.At) {
		s.receipt.AgentID = a.ID
		s.summarise(a.ID, "", text)
	}
	return nil
}

// NotifyOperator tells the operator something that needs no answer. It is an event of the named item, else of the focus, else
// of the agent.
type NotifyOperator struct {
	Text       Text   `json:"text"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
}

func (c NotifyOperator) step(s *step) error {
	text, err := required("text", c.Text, MaxReason)
	if err != nil {
		return err
	}
	a, err := s.agent(s.actingAgent())
	if err != nil {
		return err
	}
	s.receipt.AgentID = a.ID
	if c.WorkItemID == "" {
		if w, ok := Focus(s, a.ID); ok {
			c.WorkItemID = w.ID
		}
	}
	if c.WorkItemID != "" {
		if _, err := s.itemOf(c.WorkItemID, 0); err != nil {
			return err
		}
	}
	s.event(EventOperatorNotified, c.WorkItemID, notice{text})
	return nil
}
