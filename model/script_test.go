package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestRules runs the scripts in testdata, one for each rule of the lifecycle. A command is the tool's name with its
// input as JSON below it. The answer shows the written records and the events. Ids count up: the first item is wi-1.
// The time between commands is a minute, unless the script sets another pace.
func TestRules(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			return
		}
		s := &script{book: newBook(), pace: time.Minute, now: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := s.run(t, d)
			if broken := s.book.check(); broken != "" {
				t.Fatalf("%s: %s", d.Pos, broken)
			}
			return out
		})
	})
}

type script struct {
	book *book
	now  time.Time
	// pace is the time between commands.
	pace time.Duration
	ids  int
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	agent, actor := "ann", "agent:ann"
	for name, arg := range map[string]*string{"agent": &agent, "as": &actor} {
		if d.HasArg(name) {
			d.ScanArgs(t, name, arg)
		}
	}
	switch d.Cmd {
	case "after":
		s.now = s.now.Add(duration(t, d))
		return s.now.Format("15:04:05") + "\n"
	case "pace":
		s.pace = duration(t, d)
		return ""
	case "lease":
		s.book.leases[AgentID(agent)] = d.CmdArgs[0].Key == "valid"
		return ""
	case "show":
		return s.show(t, ItemID(d.CmdArgs[0].Key))
	case "list":
		return s.list(AgentID(agent), d)
	case "decide":
		return fmt.Sprintln(toJSON(Decide(s.book, AgentID(agent), s.now)))
	case "inbox":
		_, snoozed, _ := SnoozedEntries(s.book, s.now, 20)
		return inboxed(Inbox(s.book, s.now, 20)) + later(snoozed)
	case "next":
		return s.next(AgentID(agent))
	case "advise":
		w, _ := s.book.Item(ItemID(d.CmdArgs[0].Key))
		return advice(Advise(s.book, w, s.now))
	case "explain":
		y := ExplainAgent(s.book, AgentID(agent), s.now)
		return why(Why{explanation: y.explanation})
	case "saves":
		return s.saves(ItemID(d.CmdArgs[0].Key))
	case "awaited":
		return fmt.Sprintln(s.book.item(ItemID(d.CmdArgs[0].Key)).PlanAwaited)
	case "surplus":
		return surplus(t, d)
	case "comments":
		w, _ := s.book.Item(ItemID(d.CmdArgs[0].Key))
		return commentsText(CommentsOf(s.book, w))
	case "evidence":
		w, _ := s.book.Item(ItemID(d.CmdArgs[0].Key))
		return evidenceText(EvidenceOf(s.book, w))
	case "path":
		return path(PathOf(s.book, AgentID(agent), s.now))
	case "strip":
		return s.strip(t, AgentID(agent), d)
	case "story":
		w, _ := s.book.Item(ItemID(d.CmdArgs[0].Key))
		return story(StoryOf(s.book, w, s.now))
	case "why":
		w, _ := s.book.Item(ItemID(d.CmdArgs[0].Key))
		return why(Explain(s.book, w, s.now))
	}
	return s.command(t, d, AgentID(agent), Actor(actor))
}

func duration(t *testing.T, d *datadriven.TestData) time.Duration {
	pause, err := time.ParseDuration(d.CmdArgs[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	return pause
}

func (s *script) command(t *testing.T, d *datadriven.TestData, agent AgentID, actor Actor) string {
	c, err := decodeAny(d.Cmd, []byte(d.Input))
	if err != nil {
		return refusal(err)
	}
	s.now = s.now.Add(s.pace)
	at := Stamp{At: s.now, NewID: fmt.Sprint(s.ids + 1), Actor: actor, Agent: agent}
	if id, ok := actor.Agent(); ok {
		at.Agent = id
	} else if !d.HasArg("agent") {
		at.Agent = ""
	}
	ch, err := s.book.apply(at, c)
	if err != nil {
		return refusal(err)
	}
	mustTell(t, s.book, at, c, ch)
	for _, w := range ch.Writes {
		x, _ := w.(WorkItem)
		if n := len(x.Comments); n > 0 && strings.HasSuffix(string(x.Comments[n-1].ID), "-"+at.NewID) {
			s.ids++
			break
		}
		if strings.HasSuffix(w.Name().Key, "-"+at.NewID) || strings.HasSuffix(string(ch.Receipt.PermissionID), "-"+at.NewID) {
			s.ids++
			break
		}
	}
	return s.changeText(ch)
}

// decodeAny reads any command, those of agents and those of the other frontends.
func decodeAny(name string, in []byte) (Command, error) {
	switch name {
	case "Trigger":
		return decode[Trigger](in)
	case "NoteChecks":
		return decode[NoteChecks](in)
	case "RefreshTodos":
		return decode[RefreshTodos](in)
	case "RefreshPlan":
		return decode[RefreshPlan](in)
	case "SavePlan":
		return decode[SavePlan](in)
	case "Round":
		return decode[Round](in)
	case "KeepUsageLimit":
		return decode[KeepUsageLimit](in)
	case "KeepSummary":
		return decode[KeepSummary](in)
	case "NotifyOperator":
		return decode[NotifyOperator](in)
	case "OfferReport":
		return decode[OfferReport](in)
	case "DeclineReport":
		return decode[DeclineReport](in)
	case "NoteOverlap":
		return decode[NoteOverlap](in)
	case "CommentOn":
		return decode[CommentOn](in)
	case "KeepCheck":
		return decode[KeepCheck](in)
	case "RefreshTree":
		return decode[RefreshTree](in)
	case "SendComments":
		return decode[SendComments](in)
	case "Snooze":
		return decode[Snooze](in)
	case "Acknowledge":
		return decode[Acknowledge](in)
	case "ReportWorkItem":
		return decode[ReportWorkItem](in)
	case "RemoveAgent":
		return decode[RemoveAgent](in)
	case "AddAgent":
		return decode[AddAgent](in)
	case "UpdateAgent":
		return decode[UpdateAgent](in)
	case "StartTask":
		return decode[StartTask](in)
	case "EndTask":
		return decode[EndTask](in)
	case "CancelDelegation":
		return decode[CancelDelegation](in)
	case "SpawnAgent":
		return decode[SpawnAgent](in)
	case "OpenDelegation":
		return decode[OpenDelegation](in)
	case "Undo":
		return decode[Undo](in)
	case "Batch":
		return decode[Batch](in)
	case "LinkWorkItem":
		return decode[LinkWorkItem](in)
	case "Say":
		return decode[Say](in)
	case "HandMessages":
		return decode[HandMessages](in)
	case "SeeMessages":
		return decode[SeeMessages](in)
	case "Answer":
		return decode[Answer](in)
	case "CancelWait":
		return decode[CancelWait](in)
	case "ClaimTurn":
		return decode[ClaimTurn](in)
	case "BeatTurn":
		return decode[BeatTurn](in)
	case "EndTurn":
		return decode[EndTurn](in)
	case "AskPermission":
		return decode[AskPermission](in)
	case "AnswerPermission":
		return decode[AnswerPermission](in)
	case "EndPermissions":
		return decode[EndPermissions](in)
	case "Retry":
		return decode[Retry](in)
	case "Tick":
		return decode[Tick](in)
	case "MintIngress":
		return decode[MintIngress](in)
	case "RevokeIngress":
		return decode[RevokeIngress](in)
	case "DeliverIngress":
		return decode[DeliverIngress](in)
	case "Import":
		return decode[Import](in)
	}
	return DecodeTool(name, in)
}

func refusal(err error) string {
	e, ok := err.(*Error)
	if !ok {
		return "error: " + err.Error() + "\n"
	}
	out := fmt.Sprintf("refused %s: %s\n", e.Code, e.Error())
	if e.Field != "" {
		out += "  field " + e.Field + "\n"
	}
	if e.Hint != "" {
		out += "  hint " + e.Hint + "\n"
	}
	return out
}

func commentsText(list []Commented) string {
	var b strings.Builder
	for _, x := range list {
		fmt.Fprintf(&b, "%s %s %s %s, if its lines changed %s\n", x.ID, x.Where(), cmp.Or(x.Delivery, "none"), x.State(false), x.State(true))
	}
	return b.String()
}

func (s *script) changeText(ch Change) string {
	if ch.Empty() {
		return "nothing written\n" + warnings(ch.Receipt)
	}
	var b strings.Builder
	for _, r := range ch.Writes {
		switch r := r.(type) {
		case WorkItem:
			b.WriteString(s.line(r.ID))
		case Agent:
			fmt.Fprintf(&b, "agent %s focus=%s%s\n", r.ID, orNone(r.CurrentWorkItemID), busy(r))
		case Wait:
			fmt.Fprintf(&b, "wait %s %s %s triggered=%d\n", r.ID, r.Kind, r.Status, r.TriggerCount)
		case Message:
			fmt.Fprintf(&b, "message %s %s %s\n", r.ID, r.Priority, r.Status)
		case Delegation:
			fmt.Fprintf(&b, "delegation %s%s\n", r.ID, label(r))
		case Attempt:
			fmt.Fprintf(&b, "attempt %s %d stalled=%v\n", r.WorkItemID, r.Turns, r.Stalled)
		case Task:
			fmt.Fprintf(&b, "task %s %s\n", r.ID, r.Status)
		default:
			fmt.Fprintf(&b, "%s %s\n", r.Name().Kind, r.Name().Key)
		}
	}
	if k := ch.Receipt.TickKey; k != "" {
		fmt.Fprintf(&b, "tick %s\n", k)
	}
	for _, e := range ch.Events {
		fmt.Fprintf(&b, "event %s %s %s\n", e.Kind, orNone(e.WorkItemID), toJSON(e.Data))
	}
	return b.String() + warnings(ch.Receipt)
}

func label(d Delegation) string {
	if d.Label == "" {
		return ""
	}
	return fmt.Sprintf(" label=%q", d.Label)
}

func busy(a Agent) string {
	out := ""
	if a.Turn != nil {
		out += fmt.Sprintf(" turn=%d", a.Turn.Index)
	}
	if a.QueuedInput > 0 {
		out += fmt.Sprintf(" queued=%d", a.QueuedInput)
	}
	if a.Pace.Quiet > 0 {
		out += fmt.Sprintf(" quiet=%d until %s", a.Pace.Quiet, a.Pace.QuietUntil.Format("15:04:05"))
	}
	return out
}

func warnings(r Receipt) string {
	var b strings.Builder
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Kind, w.Message)
	}
	for _, c := range r.Calls {
		for _, w := range c.Warnings {
			fmt.Fprintf(&b, "warning of %s %s: %s\n", c.Command, w.Kind, w.Message)
		}
	}
	return b.String()
}

// line shows an item in one line: state, scheduling, class, revision and other notable fields.
func (s *script) line(id ItemID) string {
	w, _ := s.book.Item(id)
	a := s.book.agent(w.AgentID)
	d := Derive(w, s.book.ItemWaits(w.AgentID, id), a.CurrentWorkItemID == id)
	out := fmt.Sprintf("%s %s %s class=%s rev=%d", id, w.State, d.Scheduling, d.Class, w.Revision)
	if d.IsCurrent {
		out += " current"
	}
	if d.NeedsOperator {
		out += " needs_operator"
	}
	if w.BlockedBy != "" {
		out += fmt.Sprintf(" blocked_by=%q", w.BlockedBy.Raw())
	}
	if w.ResultSummary != "" {
		out += fmt.Sprintf(" report=%q", w.ResultSummary.Raw())
	}
	return out + "\n"
}

func (s *script) show(t *testing.T, id ItemID) string {
	d, err := DetailOf(s.book, id, Stamp{At: s.now})
	if err != nil {
		return refusal(err)
	}
	out, err := json.MarshalIndent(d.View, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

func (s *script) list(agent AgentID, d *datadriven.TestData) string {
	filter, limit := "", 0
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "filter":
			filter = a.Vals[0]
		case "limit":
			fmt.Sscan(a.Vals[0], &limit)
		}
	}
	l, err := ListItems(s.book, agent, Filter(filter), nil, limit)
	if err != nil {
		return refusal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d\n", l.Returned, l.Total)
	for _, r := range l.Rows {
		b.WriteString(s.line(r.ID))
	}
	return b.String()
}

// next is when the scheduler looks again, and what it would pick by itself.
func (s *script) next(agent AgentID) string {
	out := "look never\n"
	if at := NextPass(s.book, agent, Decide(s.book, agent, s.now)); !at.IsZero() {
		out = "look " + at.Format("15:04:05") + "\n"
	}
	if pick, ok := AutoPick(s.book, agent, s.now); ok {
		out += "pick " + string(pick.WorkItemID) + "\n"
	}
	if renewal, ok := Shortened(s.book, agent, s.now); ok {
		out += "BeatTurn " + toJSON(renewal) + "\n"
	}
	return out
}

func advice(list []Advice) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "%s: %s\n", a.Kind, a.Text)
	}
	return b.String()
}

func path(p Path) string {
	var b strings.Builder
	for _, x := range p.Steps {
		fmt.Fprintf(&b, "%d %s %s: %s\n", x.Position, x.ID, x.Objective, x.Because)
	}
	return b.String()
}

func why(y Why) string {
	var b strings.Builder
	for _, l := range y.Lines {
		fmt.Fprintf(&b, "%-13s %s\n", l.Label, l.Text)
	}
	return b.String()
}

func story(x Story) string {
	var b strings.Builder
	times := func(s Spent) string {
		out := ""
		for i, ms := range []int64{s.WorkedMS, s.YouMS, s.OthersMS, s.UntoldMS} {
			if ms > 0 {
				out += " " + []string{"worked", "you", "others", "untold"}[i] + "=" + Span(time.Duration(ms)*time.Millisecond)
			}
		}
		return out
	}
	fmt.Fprintf(&b, "%s\n", x.Words())
	for _, l := range x.Lines {
		fmt.Fprintf(&b, "%s %-9s %s |%s\n", l.At.Format("15:04:05"), l.Kind, l.Text, times(l.Spent))
	}
	return b.String()
}

func orNone(id ItemID) string {
	if id == "" {
		return "none"
	}
	return string(id)
}

func toJSON(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func evidenceText(e Evidence) string {
	out := fmt.Sprintf("%s: %s\n", e.State, e.Words())
	if e.Run != "" {
		out += "  run " + e.Run.String() + "\n"
	}
	for _, x := range e.Checks {
		out += fmt.Sprintf("  %s %s %s changed_since=%t\n", x.At.Format("15:04"), x.Kind, x.Words(), x.Changed)
	}
	return out
}
