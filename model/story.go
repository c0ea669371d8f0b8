package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Story is the life of a work item in a few lines, and where its time went.
type Story struct {
	// Done: it is completed, and its time ended then.
	Done bool `json:"completed"`
	// Spent is the whole age.
	Spent
	// Lines are in the order in which things happened; their times add up to Spent.
	Lines []StoryLine `json:"lines"`
}

// Spent is where time went. The four are exclusive.
type Spent struct {
	// WorkedMS: the item was its agent's focus and could go on, whether or not a turn ran.
	WorkedMS int64 `json:"worked_ms"`
	// YouMS: it had asked the operator something, or its plan needed input.
	YouMS int64 `json:"waited_for_you_ms"`
	// OthersMS is all other time: in the queue, blocked, waiting for a task, a timer or something outside, or triggered and
	// not looked at yet.
	OthersMS int64 `json:"waited_for_others_ms"`
	// UntoldMS is the time before the events that were read, of an import or a very long life.
	UntoldMS int64 `json:"untold_ms,omitempty"`
}

// Age is all of it.
func (s Spent) Age() time.Duration {
	return time.Duration(s.WorkedMS+s.YouMS+s.OthersMS+s.UntoldMS) * time.Millisecond
}

// Words say what it came to: "open for 2h16m: worked 28m, waited for you 31m, waited for others 1h17m".
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

// StoryLine is a step of an item's life and what happened until the next one.
type StoryLine struct {
	At   time.Time `json:"at"`
	Kind StoryKind `json:"kind"`
	Text Text      `json:"text"`
	// Times is how often it happened in a row, where that is more than once.
	Times int `json:"times,omitempty"`
	Spent
	tally storyTally
}

// Lasted says how long it was until the next line; nothing where that is no time.
func (x StoryLine) Lasted() string {
	if x.Age() <= 0 {
		return ""
	}
	return Span(x.Age())
}

// StoryKind is what a step of an item's life was.
type StoryKind string

// The kinds of steps. StoryFolded stands for several that a long life leaves no room for.
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

// Bounds of a story: its lines, those at its beginning that are never folded, and the events that it is made of.
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
		s.line(s.at, StoryEarlier, Text(fmt.Sprintf("before the newest %d events", storyEvents)))
	}
	for _, e := range slices.Backward(entries) {
		s.pass(e.At)
		s.take(e)
	}
	s.pass(now)
	return s.told()
}

func milli(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// storyteller goes through an item's events, oldest first, and knows how the item stands.
type storyteller struct {
	lines []StoryLine
	at    time.Time
	// known: an event has said how the item stands.
	known                           bool
	done, current, blocked, asksFor bool
	// waits are the active ones; true for a question that is not answered.
	waits map[WaitID]bool
}

// pass counts the time until at to the line under way.
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

// line begins a line. What repeats the one before is counted there; what only made way for it, in the same change, goes.
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

// tally is the line under way's, for what happens within it.
func (s *storyteller) tally() *storyTally {
	if len(s.lines) == 0 {
		return &storyTally{}
	}
	return &s.lines[len(s.lines)-1].tally
}

// take goes on with an event.
func (s *storyteller) take(e Entry) {
	switch e.Kind {
	case EventWorkItemWritten:
		s.written(e, DataOf[Written](e))
	case EventWorkItemPicked:
		s.picked(e, DataOf[Picked](e))
	case EventFocusReleased:
		if s.current = false; DataOf[Released](e).Reason == ReleasedByPick {
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
		s.line(e.At, StoryAnswered, e.Describe())
	case EventStalled:
		s.line(e.At, StoryStalled, e.Describe())
	default:
		s.happened(e)
	}
}

// hold keeps an active wait.
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
		s.line(e.At, StoryAsked, "asked by "+Text(e.Actor))
	case "imported":
		s.line(e.At, StoryAsked, "taken over by "+Text(e.Actor))
	case "completed":
		s.done = true
		s.line(e.At, StoryCompleted, e.Describe())
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

// planned begins a line of planning where nothing else has happened since the item was asked for.
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

// happened counts what changes nothing of where the time goes.
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

// storyTally is what happened within a line.
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

// words are what happened, in the order in which it matters.
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

// told is the story, with the middle of a long one folded.
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
			x.Text += Text(fmt.Sprintf(" ×%d", x.Times))
		}
		for _, words := range x.tally.words() {
			x.Text += Text(" · " + words)
		}
		lines[i].Text = x.Text
	}
	return out
}

// folded is one line for several, which counts the steps of each kind.
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
		words = append(words, fmt.Sprintf("%s ×%d", k, times[k]))
	}
	out.Text = Text(strings.Join(words, ", "))
	return out
}
