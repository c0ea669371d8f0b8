package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// letters are n characters of two bytes each: a limit in characters is none in bytes.
func letters(n int) Text { return Text(strings.Repeat("é", n)) }

// numbered are n different short texts.
func numbered(n int) (out []Text) {
	for i := range n {
		out = append(out, Text(fmt.Sprint("t", i)))
	}
	return out
}

// limits are the limits of what commands take: at n a command is taken, at n+1 it is invalid. none says that a command without
// the thing is taken.
var limits = []struct {
	name string
	n    int
	none bool
	of   func(n int) Command
}{
	{"objective", MaxObjective, false, func(n int) Command { return CreateWorkItem{Objective: letters(n)} }},
	{"plan, in bytes", MaxPlanBytes, true, func(n int) Command {
		return CreateWorkItem{Objective: "o", Plan: Text(strings.Repeat("x", n))}
	}},
	{"todos", MaxTodos, true, func(n int) Command {
		c := CreateWorkItem{Objective: "o"}
		for _, t := range numbered(n) {
			c.TodoList = append(c.TodoList, Todo{Text: t, State: TodoPending})
		}
		return c
	}},
	{"a todo's text", MaxTodoText, false, func(n int) Command {
		return CreateWorkItem{Objective: "o", TodoList: []Todo{{Text: letters(n), State: TodoPending}}}
	}},
	{"a blocker", MaxBlocker, false, func(n int) Command {
		return UpdateWorkItem{WorkItemID: "wi-a", BlockedBy: SetTo(letters(n))}
	}},
	{"a pick's reason", MaxReason, true, func(n int) Command { return PickWorkItem{WorkItemID: "wi-a", Reason: letters(n)} }},
	{"a wait's reason", MaxWaitText, false, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeExternal, Resource: "r", Reason: letters(n)}
	}},
	{"a wait's resource", MaxWaitText, false, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeExternal, Resource: letters(n), Reason: "r"}
	}},
	{"a wait's source", MaxWaitText, true, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeExternal, Resource: "r", Source: letters(n), Reason: "r"}
	}},
	{"a wait's condition", MaxWaitText, true, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeExternal, Resource: "r", Condition: letters(n), Reason: "r"}
	}},
	{"a question", MaxWaitText, true, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeOperatorInput, Question: letters(n), Reason: "r"}
	}},
	{"choices", maxChoices, true, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeOperatorInput, Choices: numbered(n), Reason: "r"}
	}},
	{"a choice", MaxTodoText, false, func(n int) Command {
		return WaitFor{WorkItemID: "wi-a", Wake: WakeOperatorInput, Choices: []Text{letters(n)}, Reason: "r"}
	}},
	{"a payload, in bytes", MaxPayload, true, func(n int) Command {
		return Trigger{WorkItemID: "wi-w", Payload: Text(strings.Repeat("x", n))}
	}},
	{"a trigger's source", MaxWaitText, true, func(n int) Command { return Trigger{WorkItemID: "wi-w", Source: letters(n)} }},
	{"an answer, in bytes", MaxMessage, false, func(n int) Command {
		return Answer{WorkItemID: "wi-q", Text: Text(strings.Repeat("x", n))}
	}},
	{"a message, in bytes", MaxMessage, false, func(n int) Command {
		return Say{AgentID: "ann", Priority: Normal, Text: Text(strings.Repeat("x", n))}
	}},
	{"a report", MaxWords, false, func(n int) Command { return ReportWorkItem{WorkItemID: "wi-d", Text: letters(n)} }},
	{"a comment", MaxComment, false, func(n int) Command { return CommentOn{WorkItemID: "wi-a", File: "f", Text: letters(n)} }},
	{"a comment's file", maxCommentFile, false, func(n int) Command {
		return CommentOn{WorkItemID: "wi-a", File: letters(n), Text: "t"}
	}},
	{"a check's command", rowObjective, true, func(n int) Command {
		s := letters(n)
		return UpdateAgent{AgentID: "ann", CheckCommand: &s}
	}},
	{"quiet turns an hour", maxTurnsLimit, true, func(n int) Command { return UpdateAgent{AgentID: "ann", MaxQuietTurnsPerHour: &n} }},
	{"an agent's name", MaxID, false, func(n int) Command { return AddAgent{AgentID: AgentID(strings.Repeat("a", n))} }},
	{"a work tree's contents, in bytes", maxContents, true, func(n int) Command {
		return RefreshTree{WorkItemID: "wi-a", Contents: strings.Repeat("x", n)}
	}},
	{"a check's contents, in bytes", maxContents, true, func(n int) Command {
		return KeepCheck{WorkItemID: "wi-a", Command: "go test ./...", Contents: strings.Repeat("x", n)}
	}},
	{"a task's command, in words", maxCommand, true, func(n int) Command {
		return StartTask{WorkItemID: "wi-a", Summary: "s", Run: TaskRun{Command: numbered(n)}}
	}},
	{"dollars a day", maxCostLimit, true, func(n int) Command {
		x := float64(n)
		return UpdateAgent{AgentID: "ann", MaxCostPerDay: &x}
	}},
	{"items of one offered report", maxRoundCompleted, false, func(n int) Command {
		c := OfferReport{Text: "t", Provenance: ReportSameRound, WorkItemIDs: make([]ItemID, n)}
		for i := range c.WorkItemIDs {
			c.WorkItemIDs[i] = "wi-d"
		}
		return c
	}},
	{"links", maxLinks, false, func(n int) Command {
		c := LinkWorkItem{WorkItemID: "wi-a"}
		for _, t := range numbered(n) {
			c.Add.Refs = append(c.Add.Refs, Ref{Kind: "issue", Ref: t})
		}
		return c
	}},
	{"a link", maxLinkName, false, func(n int) Command {
		return LinkWorkItem{WorkItemID: "wi-a", Add: Links{Refs: []Ref{{Kind: "issue", Ref: letters(n)}}}}
	}},
}

func TestCommandsTakeWhatIsAtALimitAndRefuseWhatIsBeyond(t *testing.T) {
	for _, x := range limits {
		for n, taken := range map[int]bool{0: x.none, x.n: true, x.n + 1: false} {
			b := newBook()
			for i, c := range []Command{
				CreateWorkItem{Objective: "a"}, CreateWorkItem{Objective: "q", PlanStatus: NeedsInput}, CreateWorkItem{Objective: "d"},
				CreateWorkItem{Objective: "w"}, WaitFor{WorkItemID: "wi-w", Wake: WakeExternal, Resource: "r", Reason: "r"}, CompleteWorkItem{WorkItemID: "wi-d"},
			} {
				at := Stamp{At: time.Unix(int64(i+1), 0), NewID: []string{"a", "q", "d", "w", "5", "6"}[i], Actor: Operator, Agent: "ann"}
				if _, err := b.apply(at, c); err != nil {
					t.Fatalf("%s: %v", CommandName(c), err)
				}
			}
			_, err := b.apply(Stamp{At: time.Unix(9, 0), NewID: "9", Actor: Operator, Agent: "ann"}, x.of(n))
			if e := AsError(err); taken != (err == nil) || !taken && (e == nil || e.Code != CodeInvalid) {
				t.Errorf("%s: %d is taken: %v (%v), want %v", x.name, n, err == nil, err, taken)
			}
		}
	}
}

// Spans and moments at their limits.
func TestTimesAtTheirLimits(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	for name, c := range map[string]struct {
		of   func(time.Duration) Command
		most time.Duration
	}{
		"a recheck": {func(d time.Duration) Command {
			ms := d.Milliseconds()
			return WaitFor{WorkItemID: "wi-a", Wake: WakeExternal, Resource: "r", Reason: "r", RecheckAfterMS: &ms}
		}, maxRecheck},
		"a snooze": {func(d time.Duration) Command { return Snooze{WorkItemID: "wi-a", Until: at.Add(d)} }, maxSnooze},
		"a lease": {func(d time.Duration) Command {
			return ClaimTurn{AgentID: "ann", Holder: "p", TTLMS: d.Milliseconds()}
		}, maxLease},
	} {
		for d, taken := range map[time.Duration]bool{time.Millisecond: true, c.most: true, c.most + time.Millisecond: false, -time.Millisecond: false} {
			b := newBook()
			if _, err := b.apply(Stamp{At: at, NewID: "a", Actor: Operator, Agent: "ann"}, CreateWorkItem{Objective: "a", PlanStatus: NeedsInput}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.apply(Stamp{At: at, NewID: "m", Actor: Operator, Agent: "ann"}, Say{AgentID: "ann", Priority: Normal, Text: "hello"}); err != nil {
				t.Fatal(err)
			}
			actor := Operator
			if name == "a lease" {
				actor = Scheduler
			}
			if _, err := b.apply(Stamp{At: at, NewID: "9", Actor: actor, Agent: "ann"}, c.of(d)); taken != (err == nil) {
				t.Errorf("%s of %s: %v, want taken %v", name, d, err, taken)
			}
		}
	}
}

// Each class of characters is tried with the characters beside it.
func TestNamesEndAtTheirClasses(t *testing.T) {
	for s, valid := range map[string]bool{
		"": false, "a": true, "z": true, "0": true, "9": true, "a-_9": true, strings.Repeat("a", MaxID): true, strings.Repeat("a", MaxID+1): false,
		"`": false, "{": false, "/": false, ":": false, "A": false, "Z": false, "@": false, "[": false, "-a": false, "_a": false,
		"a`": false, "a{": false, "a/": false, "a:": false, "a.": false, "a,": false, "a^": false, "aA": false, "a ": false, "é": false, "aé": false,
	} {
		if ValidID(s) != valid {
			t.Errorf("%q is valid: %v", s, !valid)
		}
	}
	for name, valid := range map[string]bool{
		"report-0123456789ab.md": true, "report-0123456789abcd.md": false, "report-0123456789.md": false, "report-0123456789ag.md": false,
		"report-0123456789a`.md": false, "report-0123456789a/.md": false, "report-0123456789a:.md": false, "report-.md": false, "report-0123456789ab": false,
	} {
		if IsReportFile(name) != valid {
			t.Errorf("%q is a report's file: %v", name, !valid)
		}
	}
}

// A report of just so many characters is in its record whole; one more, and a file has it.
func TestAReportIsKeptInItsRecordUpToItsLimit(t *testing.T) {
	for n, inFile := range map[int]bool{MaxReport: false, MaxReport + 1: true} {
		b := newBook()
		var last Change
		for i, c := range []Command{
			CreateWorkItem{Objective: "a"}, CompleteWorkItem{WorkItemID: "wi-0"}, ReportWorkItem{WorkItemID: "wi-0", Text: letters(n)},
		} {
			var err error
			if last, err = b.apply(Stamp{At: time.Unix(int64(i), 0), NewID: fmt.Sprint(i), Actor: Operator, Agent: "ann"}, c); err != nil {
				t.Fatal(err)
			}
		}
		if (len(last.NewPlans) > 0) != inFile {
			t.Errorf("a report of %d characters makes files %v, want one %v", n, last.NewPlans, inFile)
		}
	}
}

// The hours of a day, and the age at which a host's state is dated, not timed.
func TestHoursAtTheirLimits(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for clock, taken := range map[string]bool{"0:00": true, "23:59": true, "24:00": false, "23:60": false, "-1:00": false, "1:-1": false} {
		if _, err := dayTime(now, 0, clock); (err == nil) != taken {
			t.Errorf("%s: %v, want taken %v", clock, err, taken)
		}
	}
	for age, want := range map[time.Duration]string{24 * time.Hour: "as of 12:00", 24*time.Hour + 1: "as of Feb 28"} {
		if got := (HostState{AsOf: now.Add(-age)}).AsOfWords(now); got != want {
			t.Errorf("%v old: %q, want %q", age, got, want)
		}
	}
}

// What is cut is cut after just so many characters, and never within one.
func TestCutKeepsJustSoMany(t *testing.T) {
	for n := range 5 {
		for of := range 6 {
			if got := cut(letters(of), n); utf8.RuneCountInString(string(got)) != min(n, of) || !utf8.ValidString(string(got)) {
				t.Errorf("%d of %d characters are %q", n, of, got)
			}
		}
	}
}

// A list has 1 to MaxLimit rows, whatever is asked for.
func TestListsAtTheirLimits(t *testing.T) {
	for n, want := range map[int]int{-1: 1, 0: DefaultLimit, 1: 1, MaxLimit: MaxLimit, MaxLimit + 1: MaxLimit} {
		if l, err := ListItems(newBook(), "ann", FilterOpen, nil, n); err != nil || l.Limit != want {
			t.Errorf("a list of %d: %d rows at most, %v, want %d", n, l.Limit, err, want)
		}
	}
	two := []Text{"LRU", "LRU"}
	if _, err := choices(two); err == nil {
		t.Error("two equal choices are taken")
	}
}
