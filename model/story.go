package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Story tells the life of a work item in a few lines, with the use of its time.
type Story struct {
	// Done: the item is completed; its time ends there.
	Done bool `json:"completed"`
	// Spent is the whole age.
	Spent
	// Lines are in the order of time; their times add up to Spent.
	Lines []StoryLine `json:"lines"`
}

// Spent divides the age of an item. The four parts do not overlap.
type Spent struct {
	// WorkedMS: the item was its agent's focus and could go on, whether or not a turn ran.
	WorkedMS int64 `json:"worked_ms"`
	// YouMS: the item had a question for the operator, or its plan needed input.
	YouMS int64 `json:"waited_for_you_ms"`
	// OthersMS is all other time: in the queue, blocked, waiting for a task, a timer or something outside, or triggered and not
	// yet seen.
	OthersMS int64 `json:"waited_for_others_ms"`
	// UntoldMS is the time before the oldest event that was read, for an import or a very long life.
	UntoldMS int64 `json:"untold_ms,omitempty"`
}

// Age is the sum of the parts.
func (s Spent) Age() time.Duration {
	return time.Duration(s.WorkedMS+s.YouMS+s.OthersMS+s.UntoldMS) * time.Millisecond
}

// Words say how the time was used: "open for 2h16m: worked 28m, waited for you 31m, waited for others 1h17m".
func (s Story) Words() string {
	out, before := "open for ", ": "
	if s.Done {
		out = "completed after "
	}
	out += Span(s.Age())
	for _, part := range []struct {
		name string
		ms   int64
	}{{"worked", s.WorkedMS}, {"waited for you", s.YouMS}, {"waited for others", s.OthersMS}, {"not known", s.UntoldMS}} {
		if part.ms > 0 {
			out += before + part.name + " " + Span(time.Duration(part.ms)*time.Millisecond)
			before = ", "
		}
	}
	return out
}

func (s Spent) plus(o Spent) Spent {
	return Spent{s.WorkedMS + o.WorkedMS, s.YouMS + o.YouMS, s.OthersMS + o.OthersMS, s.UntoldMS + o.UntoldMS}
}

// StoryLine is a step of an item's life and the events until the next step.
type StoryLine struct {
	At   time.Time `json:"at"`
	Kind StoryKind `json:"kind"`
	Text Text      `json:"text"`
	// Times is how often the step happened in a row, if more than once.
	Times int `json:"times,omitempty"`
	Spent
	tally storyTally
}

// Lasted says how much time passed until the next line; empty if none.
func (x StoryLine) Lasted() string {
	if x.Age() <= 0 {
		return ""
	}
	return Span(x.Age())
}

// StoryKind is the kind of a step.
type StoryKind string

// The kinds of steps. StoryFolded stands for several steps of a long life for which there is no room.
const (
	StoryEarlier   StoryKind = "earlier"
	StoryAsked     StoryKind = "asked"
	StoryPlanned   StoryKind = "planned"
	StoryWorked    StoryKind = "worked"
	StoryReady     StoryKind = "ready"
	StoryQuestion  StoryKind = "question"
	StoryAnswered  StoryKind = "answered"
	StoryWaited    StoryKind = "waited"
	StoryTriggered StoryKind = "triggered"
	StoryReviewed  StoryKind = "reviewed"
	StoryStalled   StoryKind = "stalled"
	StoryCompleted StoryKind = "completed"
	StoryFolded    StoryKind = "folded"
)

// Bounds of a story: its lines, the first lines that are never folded, and the events that are read.
const (
	storyLines  = 20
	storyFirst  = 4
	storyEvents = 2000
)

// StoryOf tells the life of w until now.
func StoryOf(f Facts, w WorkItem, now time.Time) Story {
	entries := f.Entries(w.ID, storyEvents)
	s := &storyteller{at: milli(w.CreatedAt)}
	if len(entries) == storyEvents {
		s.line(s.at, StoryEarlier, Textf("before the newest %d events", storyEvents))
	}
	for _, e := range slices.Backward(entries) {
		s.pass(e.At)
		s.take(e)
	}
	s.pass(now)
	return s.told()
}

func milli(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// storyteller goes through an item's events, oldest first, and keeps the item's state at each.
type storyteller struct {
	lines []StoryLine
	at    time.Time
	// known: an event has set the item's state.
	known                           bool
	done, current, blocked, asksFor bool
	// waits are the active waits; true for a question without an answer.
	waits map[WaitID]bool
}

// pass adds the time until at to the present line.
func (s *storyteller) pass(at time.Time) {
	ms := milli(at).Sub(s.at).Milliseconds()
	if ms <= 0 || s.done {
		return
	}
	s.at = milli(at)
	if len(s.lines) == 0 {
		s.line(s.at.Add(-time.Duration(ms)*time.Millisecond), StoryEarlier, "before it came here")
	}
	x := &s.lines[len(s.lines)-1]
	switch {
	case !s.known:
		x.UntoldMS += ms
	case s.asks():
		x.YouMS += ms
	case s.current && !s.blocked && len(s.waits) == 0:
		x.WorkedMS += ms
	default:
		x.OthersMS += ms
	}
}

func (s *storyteller) asks() bool {
	for _, question := range s.waits {
		if question {
			return true
		}
	}
	return s.asksFor
}

// line begins a line. A repetition of the line before is counted there. It replaces a line "ready" of the same instant.
func (s *storyteller) line(at time.Time, kind StoryKind, text Text) {
	next := StoryLine{At: at, Kind: kind, Text: cut(text, rowObjective)}
	if n := len(s.lines) - 1; n >= 0 {
		switch last := &s.lines[n]; {
		case last.Kind == kind && last.Text == next.Text:
			last.Times = max(last.Times, 1) + 1
			return
		case last.Kind == StoryReady && last.At.Equal(at):
			next.tally = last.tally
			s.lines = s.lines[:n]
		}
	}
	s.lines = append(s.lines, next)
}

// tally is the tally of the present line.
func (s *storyteller) tally() *storyTally {
	if len(s.lines) == 0 {
		return &storyTally{}
	}
	return &s.lines[len(s.lines)-1].tally
}

// take processes an event.
func (s *storyteller) take(e Entry) {
	switch e.Kind {
	case EventWorkItemWritten:
		s.written(e, DataOf[Written](e))
	case EventWorkItemPicked:
		s.picked(e, DataOf[Picked](e))
	case EventFocusReleased:
		s.current = false
		if DataOf[Released](e).Reason == ReleasedByPick {
			s.line(e.At, StoryReady, "put aside for another work item")
		}
	case EventWaitRegistered:
		s.waited(e, DataOf[registered](e))
	case EventWaitsCancelled:
		for _, id := range DataOf[cancelled](e).WaitIDs {
			delete(s.waits, id)
		}
	case EventWaitTriggered:
		d := DataOf[TriggerNews](e)
		if s.hold(d.WaitID, false); d.Source != answerSource {
			s.line(e.At, StoryTriggered, e.Describe())
		}
	case EventOperatorAnswered:
		s.asksFor = s.asksFor && !DataOf[answered](e).PlanReady
		s.line(e.At, StoryAnswered, withPerson(e))
	case EventStalled:
		s.line(e.At, StoryStalled, e.Describe())
	default:
		s.happened(e)
	}
}

// withPerson is an event in words, with the person who did it.
func withPerson(e Entry) Text { return trimmed(e.Person + " " + e.Describe()) }

// hold adds an active wait.
func (s *storyteller) hold(id WaitID, question bool) {
	if s.waits == nil {
		s.waits = map[WaitID]bool{}
	}
	s.waits[id], s.known = question, true
}

func (s *storyteller) written(e Entry, d Written) {
	s.known, s.blocked = true, d.BlockedBy != ""
	asked := s.asksFor
	if d.PlanStatus != "" {
		s.asksFor = d.PlanStatus == NeedsInput
	}
	switch d.Action {
	case "created":
		s.line(e.At, StoryAsked, "asked by "+By(e.Actor, e.Person))
	case "imported":
		s.line(e.At, StoryAsked, "taken over by "+By(e.Actor, e.Person))
	case "completed":
		s.done = true
		s.line(e.At, StoryCompleted, withPerson(e))
	case "blocked":
		s.line(e.At, StoryWaited, e.Describe())
	case "unblocked", "undone", "redone":
		s.line(e.At, StoryReady, e.Describe())
	case "updated":
		s.planned(e)
		if d.Todo != nil {
			s.tally().todo = d.Todo
		}
	}
	if s.asksFor && !asked {
		s.line(e.At, StoryQuestion, "its plan needs input")
	}
}

// planned begins a line of planning, if nothing else has happened since the item's creation.
func (s *storyteller) planned(e Entry) {
	if n := len(s.lines) - 1; n >= 0 && s.lines[n].Kind == StoryAsked && !s.current {
		s.line(e.At, StoryPlanned, "planned")
	}
}

func (s *storyteller) picked(e Entry, d Picked) {
	s.known, s.current = true, true
	switch n := len(s.lines) - 1; {
	case d.FocusMode == FocusInspection:
		s.line(e.At, StoryReviewed, e.Describe())
	case d.SwitchKind != switchSame || n < 0 || s.lines[n].Kind != StoryWorked:
		s.line(e.At, StoryWorked, e.Describe())
	}
}

func (s *storyteller) waited(e Entry, d registered) {
	question := d.Kind == WaitOperator && d.Count == 0
	s.hold(d.WaitID, question)
	if question {
		s.line(e.At, StoryQuestion, "asks: "+cmp.Or(d.Question, d.Reason))
		return
	}
	s.line(e.At, StoryWaited, e.Describe()+": "+d.Reason)
}

// happened counts events that do not change the use of the time.
func (s *storyteller) happened(e Entry) {
	switch x := s.tally(); e.Kind {
	case EventPlanRefreshed:
		d := DataOf[refreshed](e)
		s.planned(e)
		x = s.tally()
		x.saves, x.added, x.removed = x.saves+1, x.added+d.Added, x.removed+d.Removed
	case EventTurnEnded:
		d := DataOf[TurnNews](e)
		x.turns, x.ran = x.turns+1, x.ran+time.Duration(d.DurationMS)*time.Millisecond
		if d.Outcome == TurnFailed || d.Outcome == TurnTimedOut {
			x.failed++
		}
	case EventTaskEnded:
		x.tasks++
	case EventDelegationOpened:
		x.delegated++
	case EventReportPromoted:
		x.reported = true
	}
}

// storyTally counts the events within a line.
type storyTally struct {
	turns, failed, saves, added, removed, tasks, delegated int
	ran                                                    time.Duration
	todo                                                   *TodoGist
	reported                                               bool
}

func (x storyTally) plus(o storyTally) storyTally {
	return storyTally{x.turns + o.turns, x.failed + o.failed, x.saves + o.saves, x.added + o.added, x.removed + o.removed,
		x.tasks + o.tasks, x.delegated + o.delegated, x.ran + o.ran, cmp.Or(o.todo, x.todo), x.reported || o.reported}
}

// words name the events, the most important first.
func (x storyTally) words() (out []string) {
	if x.turns > 0 {
		turns := Counted(x.turns, "turn") + ", " + Span(x.ran)
		if x.failed > 0 {
			turns += fmt.Sprintf(", %d failed", x.failed)
		}
		out = append(out, turns)
	}
	if x.todo != nil {
		out = append(out, describeTodo(*x.todo))
	}
	if x.saves > 0 {
		saved := fmt.Sprintf("plan.md +%d −%d", x.added, x.removed)
		if x.saves > 1 {
			saved += fmt.Sprintf(" in %d saves", x.saves)
		}
		out = append(out, saved)
	}
	if x.tasks > 0 {
		out = append(out, Counted(x.tasks, "task"))
	}
	if x.delegated > 0 {
		out = append(out, Counted(x.delegated, "delegation"))
	}
	if x.reported {
		out = append(out, "report kept")
	}
	return out
}

// told returns the story; the middle of a long one is folded.
func (s *storyteller) told() Story {
	lines := s.lines
	if n := len(lines) - storyLines; n > 0 {
		lines = append(slices.Clone(lines[:storyFirst]), folded(lines[storyFirst:storyFirst+n+1]))
		lines = append(lines, s.lines[storyFirst+n+1:]...)
	}
	out := Story{Done: s.done, Lines: lines}
	for i, x := range lines {
		out.Spent = out.Spent.plus(x.Spent)
		if x.Times > 1 && x.Kind != StoryFolded {
			x.Text += Textf(" ×%d", x.Times)
		}
		for _, words := range x.tally.words() {
			x.Text += Text(" · " + words)
		}
		lines[i].Text = x.Text
	}
	return out
}

// folded is one line in place of several; it counts the steps of each kind.
func folded(lines []StoryLine) StoryLine {
	out := StoryLine{At: lines[0].At, Kind: StoryFolded, Times: len(lines)}
	times := map[StoryKind]int{}
	var kinds []StoryKind
	for _, x := range lines {
		if times[x.Kind] == 0 {
			kinds = append(kinds, x.Kind)
		}
		times[x.Kind] += max(x.Times, 1)
		out.Spent, out.tally = out.Spent.plus(x.Spent), out.tally.plus(x.tally)
	}
	var words []string
	for _, k := range kinds {
		words = append(words, fmt.Sprintf("%s ×%d", Spaced(k), times[k]))
	}
	out.Text = Text(strings.Join(words, ", "))
	return out
}
