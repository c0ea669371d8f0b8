package accessible

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/ui/action"
	"vise/ui/config"
)

// noon is the time of a test's session.
var noon = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)

// stage is a ledger with two work items: one is queued, one asks.
type stage struct {
	t *testing.T
	*store.Ledger
	n      int
	custom func(context.Context, []string, []byte) (string, error)
	// verbs are the verbs that were run, with their input; verb carries one out; if it is nil, they succeed.
	verbs []string
	verb  func(args []string) int
	// wrong is what is wrong with the home.
	wrong []model.Condition
}

func newStage(t *testing.T) *stage {
	st := &stage{t: t, Ledger: store.NewMem(nil)}
	st.apply(model.CreateWorkItem{Objective: "Add jitter\x1b[31m"})
	asks := st.apply(model.CreateWorkItem{Objective: "Pick a policy"})
	st.apply(model.WaitFor{WorkItemID: asks.WorkItemID, Reason: "asks", Wake: model.WakeOperatorInput, Question: "LRU or LFU?", Choices: []model.Text{"LRU", "LFU"}})
	return st
}

func (st *stage) key() string {
	st.n++
	return fmt.Sprint("k", st.n)
}

func (st *stage) apply(c model.Command) model.Receipt {
	st.t.Helper()
	in, err := st.Apply(st.t.Context(), model.Envelope{Key: st.key(), Actor: model.Operator, Agent: "a", Command: c})
	if err != nil {
		st.t.Fatal(err)
	}
	return in
}

// Follow reports no changes by others.
func (st *stage) Follow(ctx context.Context, _ uint64) (uint64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (st *stage) Conditions(context.Context) []model.Condition { return st.wrong }

func (st *stage) Damage() []model.Warning { return nil }

func (st *stage) env(typed ...string) (Options, *strings.Builder) {
	var out strings.Builder
	in := io.Reader(strings.NewReader(strings.Join(typed, "\n") + "\n"))
	return Options{
		In: in, Out: &out,
		Run: func(_ context.Context, stdin io.Reader, args ...string) int {
			said := []byte{}
			if typed, is := stdin.(*strings.Reader); is && stdin != in { // an editor has the session's own input
				said, _ = io.ReadAll(typed)
			}
			st.verbs = append(st.verbs, strings.Join(args[5:], " ")+"|"+string(said))
			if st.verb == nil {
				return 0
			}
			return st.verb(args[5:])
		},
		Ledger: st, Form: formOf, RunCustom: st.custom, Agent: "a", Now: func() time.Time { return noon },
		Settings: config.Settings{Config: config.Config{
			Filters:  map[string]string{"mine": "jitter"},
			Commands: []config.Command{{Name: "say it", Run: []string{"echo", "{handle}"}}, {Name: "look", Context: config.OfAgent, Run: []string{"echo", "{agent}"}, Dangerous: true}},
		}},
	}, &out
}

// talk runs a session with the operator's input, and returns the output.
func (st *stage) talk(typed ...string) string {
	st.t.Helper()
	e, out := st.env(typed...)
	if err := Run(st.t.Context(), e); err != nil {
		st.t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\a\b") {
		st.t.Errorf("something drives the terminal: %q", out.String())
	}
	return out.String()
}

func (st *stage) says(want []string, typed ...string) {
	st.t.Helper()
	said := st.talk(typed...)
	for _, w := range want {
		if !strings.Contains(said, w) {
			st.t.Errorf("%q is not said:\n%s", w, said)
		}
	}
}

func (st *stage) ran(want ...string) {
	st.t.Helper()
	if !slices.EqualFunc(st.verbs, want, func(verb, want string) bool {
		for part := range strings.SplitSeq(want, " … ") {
			i := strings.Index(verb, part)
			if i < 0 {
				return false
			}
			verb = verb[i+len(part):]
		}
		return true
	}) {
		st.t.Errorf("got %q, want %q", st.verbs, want)
	}
}

// formOf returns what some verbs ask for, as the command line does.
func formOf(verb string) Form {
	none := func() []string { return nil }
	arg := func(name string) Field { return Field{Name: name, Needed: true, Values: none} }
	flag := func(name string) Field { return Field{Name: name, Flag: true, Values: none} }
	text := Field{Name: "TEXT", Needed: true, Text: true, Values: none}
	id := arg("ID")
	report := flag("report-file")
	report.Text = true
	recheck, choice := flag("recheck"), flag("choice")
	choice.Many = true
	is := func(name string) Field { return Field{Name: name, Flag: true, Switch: true, Values: none} }
	return map[string]Form{
		"answer":      {Fields: []Field{arg("WAIT|ID|AGENT"), text, is("plan-ready")}, Revision: true},
		"complete":    {Fields: []Field{id, flag("anyway"), report}, Revision: true},
		"block":       {Fields: []Field{id, arg("TEXT"), recheck}, Revision: true},
		"unblock":     {Fields: []Field{id}, Revision: true},
		"hide":        {Fields: []Field{id, flag("until")}, Revision: true},
		"pick":        {Fields: []Field{id, flag("reason")}, Revision: true},
		"wait":        {Fields: []Field{id, flag("external"), flag("operator"), choice, recheck}, Revision: true},
		"update":      {Fields: []Field{id, flag("objective"), flag("priority"), flag("plan-status")}, Revision: true},
		"report":      {Fields: []Field{id, flag("offered"), {Name: "file", Flag: true, Text: true, Values: none}}},
		"new":         {Fields: []Field{{Name: "OBJECTIVE", Values: none}, flag("priority")}},
		"say":         {Fields: []Field{arg("AGENT"), text, flag("priority")}},
		"agents":      {Verbs: []string{"stop", "rename"}},
		"agents stop": {Does: "Leave an agent alone", Fields: []Field{arg("AGENT")}}, "agents rename": {Fields: []Field{arg("AGENT"), arg("NAME")}},
		"plan": {Verbs: []string{"log", "edit"}}, "plan log": {Fields: []Field{id}}, "plan edit": {Fields: []Field{id}},
		"todo": {Verbs: []string{"triage", "cleanup"}}, "todo cleanup": {Fields: []Field{is("remove")}},
		"todo triage": {Fields: []Field{{Name: "ID", Many: true, Values: func() []string { return []string{"review/001\tIt leaks\x1b[2J", "review/002"} }},
			is("approve"), flag("reason")}},
		"thread": {Verbs: []string{"resume", "record"}}, "thread resume": {Fields: []Field{id, is("rebind")}},
		"thread record": {Fields: []Field{{Name: "COMMAND", Needed: true, Many: true, Values: none}}},
	}[verb]
}

func TestAQuestionIsAnsweredByItsNumber(t *testing.T) {
	st := newStage(t)
	st.says([]string{"asks: LRU or LFU?", "Question: LRU or LFU?", "1. LRU\n2. LFU\n"}, "1", "1", "answer", "2", "plan-ready", "", "q")
	st.ran("answer --if-revision= … --plan-ready -- wi- … -|LFU")
}

func TestWhatIsFinalIsAskedTwice(t *testing.T) {
	st := newStage(t)
	st.says([]string{"It is final and cannot be reopened. Run complete --if-revision="}, "desk", "add jitter", "complete", "", "no", "q")
	st.ran()
	st.talk("desk", "add jitter", "complete", "report-file", "Done.", "All of it.", ".", "", "yes", "q")
	st.ran("complete --if-revision= … --report-file=- -- wi- … |Done.\nAll of it.")
	st.verbs = nil
	st.talk("triage", "todo cleanup", "remove", "", "no", "b", "threads", "thread resume", "t-1", "rebind", "", "no", "b", "q")
	st.ran("todo triage|", "todo triage|", "thread list --everywhere|", "thread list --everywhere|")
}

// Somebody else is faster: what was given is kept, and used when the act is chosen again.
func TestWhatWasGivenIsKeptUntilTheVerbSucceeds(t *testing.T) {
	st := newStage(t)
	st.verb = func([]string) int { return map[bool]int{true: 4}[len(st.verbs) == 1] }
	st.says([]string{"What you gave is kept", "What can be added; text is ops has the keys; recheck is 2h"},
		"desk", "add jitter", "block", "ops has the keys", "recheck", "2h", "", "block", "", "block", "", "q")
	block := "block --if-revision= … --recheck=2h -- wi- … ops has the keys|"
	st.ran(block, block)
}

// A value that was added is taken away by an empty answer, a switch by choosing it again; a flag that can be given again takes several.
func TestWhatIsAddedToAVerbCanBeTakenAway(t *testing.T) {
	st := newStage(t)
	st.talk("desk", "add jitter", "wait", "external", "ci", "external", "", "operator", "Which?", "choice", "A", "choice", "B", "", "b", "b",
		"triage", "todo triage", "1", "approve", "approve", "reason", "It leaks.", "", "q")
	st.ran("wait --if-revision= … --operator=Which? --choice=A --choice=B -- wi-", "todo triage|", "todo triage --reason=It leaks. -- review/001|",
		"todo triage|")
}

func TestFiltersAndMistakesAreSaid(t *testing.T) {
	newStage(t).says([]string{"1 work item of a", "Add jitter·", "99 is no choice", "work items or is no choice", "more than one", "This is the first menu", "Bye."}, "filter mine", "b", "99", "work items or", "what", "?", "b")
}

func TestAnActIsTakenBackByItsVerb(t *testing.T) {
	st := newStage(t)
	st.talk("desk", "add jitter", "undo", "redo", "b", "b", "undo", "redo", "q")
	st.ran("undo wi-", "undo --redo wi-", "undo|", "undo --redo|")
}

func TestTheChecklistChangesOneTodoAtATime(t *testing.T) {
	for in, want := range map[string]string{
		"Measure again":       "- [ ] read\n- [~] move\n- [ ] Measure again\n",
		"1 completed":         "- [x] read\n- [~] move\n",
		"1 in progress":       "- [~] read\n- [~] move\n",
		"2 pending":           "- [ ] read\n- [ ] move\n",
		"2 up":                "- [~] move\n- [ ] read\n",
		"1 down":              "- [~] move\n- [ ] read\n",
		"2 drop":              "- [ ] read\n",
		"2 move it elsewhere": "- [ ] read\n- [~] move it elsewhere\n",
		"9 lives":             "- [ ] read\n- [~] move\n- [ ] 9 lives\n",
		"1 up":                "- [ ] read\n- [~] move\n",
	} {
		st := newStage(t)
		w := st.apply(model.CreateWorkItem{Objective: "Move"})
		st.apply(model.UpdateWorkItem{WorkItemID: w.WorkItemID, TodoList: &[]model.Todo{{Text: "read", State: model.TodoPending},
			{Text: "move", State: model.TodoInProgress}}})
		st.says([]string{"1. read, pending\n2. move, in progress\n"}, "desk", "move", "edit todos", in, "q")
		if st.ran("update --todos=- --if-revision= … -- wi- … |" + want); t.Failed() {
			t.Fatalf("after %q", in)
		}
	}
}

func TestCommandsAndFiltersOfTheOperatorsOwnAreThere(t *testing.T) {
	st := newStage(t)
	var run []string
	st.custom = func(_ context.Context, argv []string, stdin []byte) (string, error) {
		run = append(run, strings.Join(argv, " "))
		return "it ran\x1b[2J\n", nil
	}
	st.says([]string{"it ran·", "marked as dangerous: echo a"},
		"desk", "add jitter", "your own: say it", "b", "b", "your own: look", "no", "q")
	if len(run) != 1 || !strings.HasPrefix(run[0], "echo wi-") {
		t.Errorf("ran %q", run)
	}
}

// Every act of the table that has a verb is in the menus, if only with the reason why it cannot be done now.
func TestWhateverHasAVerbIsInTheMenus(t *testing.T) {
	st := newStage(t)
	done := st.apply(model.CreateWorkItem{Objective: "Finished"})
	st.apply(model.CompleteWorkItem{WorkItemID: done.WorkItemID})
	said := st.talk("what cannot", "fleet", "b", "desk", "add jitter", "what cannot", "b", "done", "q")
	for _, a := range action.Standard() {
		title := strings.TrimSuffix(a.Title, "…") + ": "
		switch a.ID {
		case action.Tick:
			title = "Edit todos: "
		case action.Agents:
			title = "Fleet: "
		case action.Posture:
			title = "agents stop: "
		}
		if a.Verb != "" && !strings.Contains(said, title) {
			t.Errorf("%s is in no menu", a.ID)
		}
	}
}

// Each action that the console teaches is reached in lines: what is typed, and what is then said or which verb runs.
func TestTheCoreIsReachedInLines(t *testing.T) {
	reached := map[action.ID]bool{}
	list := []string{"desk", "?", "add jitter"} // choices are said with numbers: one goes into any, b goes back
	for id, x := range map[action.ID]struct {
		typed     []string
		said, ran string
	}{
		action.Do:          {typed: []string{"desk", "add jitter", "pick", ""}, ran: "pick --if-revision="},
		action.NeedsYou:    {typed: []string{"1", "1"}, said: "asks: LRU or LFU?"},
		action.Complete:    {typed: []string{"desk", "add jitter", "complete", "", "yes"}, ran: "complete --if-revision="},
		action.New:         {typed: []string{"new work item", "Tidy up", ""}, ran: "new -- Tidy up"},
		action.EditPlan:    {typed: []string{"desk", "add jitter", "the plan", "plan edit"}, ran: "plan edit -- wi-"},
		action.Message:     {typed: []string{"message", "Thanks.", ".", ""}, ran: "say -- a -|Thanks."},
		action.Filter:      {typed: []string{"find", "jitter"}, said: "1 work item"},
		action.Undo:        {typed: []string{"undo"}, ran: "undo|"},
		action.Palette:     {typed: []string{"?"}, said: "Your own: look"},
		action.Help:        {typed: []string{"help"}, ran: "help|"},
		action.Down:        {typed: list, said: "2. "},
		action.Up:          {typed: list, said: "1. "},
		action.Open:        {typed: list, said: "1. Read all of it"},
		action.Back:        {typed: []string{"desk", "b", "b"}, said: "This is the first menu"},
		action.NextPane:    {typed: []string{"activity"}, ran: "events --agent="},
		action.ViewDesk:    {typed: []string{"desk"}, said: "Add jitter"},
		action.ViewFleet:   {typed: []string{"fleet"}, said: "Agent a."},
		action.ViewReports: {typed: []string{"reports"}, said: "No work item."},
	} {
		st := newStage(t)
		said := st.talk(append(x.typed, "q")...)
		if ran := strings.Join(st.verbs, "\n"); !strings.Contains(strings.ToLower(said), strings.ToLower(x.said)) || !strings.Contains(ran, x.ran) {
			t.Errorf("%s: %q ran %q, want %q and %q; it said:\n%s", id, x.typed, ran, x.ran, x.said, said)
		}
		reached[id] = true
	}
	for _, id := range action.Core {
		if !reached[id] {
			t.Errorf("%s is taught, and is not tried in lines", id)
		}
	}
}

func TestWhatWokeAnItemIsReviewed(t *testing.T) {
	st := newStage(t)
	woken := st.apply(model.CreateWorkItem{Objective: "Woken"})
	st.apply(model.WaitFor{WorkItemID: woken.WorkItemID, Reason: "CI", Wake: model.WakeExternal, Resource: "ci"})
	st.apply(model.Trigger{WorkItemID: woken.WorkItemID, Source: "ci"})
	st.talk("desk", "woken", "retry", "q")
	st.ran("show wi-")
}

func TestAnotherAgentIsChosen(t *testing.T) {
	st := newStage(t)
	if _, err := st.Apply(t.Context(), model.Envelope{Key: st.key(), Actor: model.Operator, Command: model.AddAgent{AgentID: "b"}}); err != nil {
		t.Fatal(err)
	}
	st.says([]string{"Agent a. ", "Agent b."}, "fleet", "agents stop", "fleet", "go on with b", "message", "hello", ".", "", "q")
	st.ran("agents|", "agents stop -- a|", "agents|", "say -- b -|hello")
}

func TestAnAgentWhoseProgramFailsIsTriedAgainFromTheInbox(t *testing.T) {
	st := newStage(t)
	turn := st.apply(model.ClaimTurn{AgentID: "a", Holder: "a test"}).Turn
	st.apply(model.EndTurn{AgentID: "a", Turn: turn, Outcome: model.TurnFailed, Reason: "no such model"})
	st.says([]string{"fail, a, since", "Its turns fail: no such model", "failing, "}, "1", "fail", "When", "Retry", "q")
	st.ran("why a", "retry a")
}

func TestWhatIsWrongWithTheHomeIsToldWhenItBeginsAndEnds(t *testing.T) {
	st := newStage(t)
	full := model.Condition{Code: model.CodeFull, Message: "the disk is full", Hint: "make space"}
	st.wrong = []model.Condition{full}
	e, out := st.env()
	s := newDialogue(e)
	if err := s.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := func(want string) {
		t.Helper()
		s.notify(t.Context())
		if out.String() != want {
			t.Errorf("it says %q, want %q", out, want)
		}
		out.Reset()
	}
	said("")
	st.wrong = append(st.wrong, model.Condition{Code: model.CodeLagging, Message: "this is as of 10:00\x1b[2J", Hint: "it goes on"})
	said("\nHome: this is as of 10:00·[2J; it goes on\n")
	st.wrong[1].Message = "this is as of 10:00 still"
	said("")
	st.wrong = st.wrong[:1]
	said("\nHome: no longer: this is as of 10:00 still\n")
}

// What the repository keeps in files is listed by its verb, and judged by the other verbs of its group; what a verb needs is asked for.
func TestTodosAndThreadsAreActedOnByTheirVerbs(t *testing.T) {
	st := newStage(t)
	st.says([]string{"1. review/001, It leaks·"}, "triage", "todo triage", "2", "approve", "", "todo triage", "review/001 review/002", "", "q")
	st.ran("todo triage|", "todo triage --approve -- review/002|", "todo triage|", "todo triage -- review/001 review/002|", "todo triage|")
	st.verbs = nil
	st.says([]string{"It needs a shell", "These words run as they stand, without a shell, as you. How it ends becomes a fact of the thread. " +
		"Run thread record -- go test ./...?"},
		"threads", "thread resume", "t-1", "", "thread resume", "t-1", "rebind", "", "yes",
		"thread record", "go test | tee x", "thread record", "go test ./...", "yes", "q")
	list := "thread list --everywhere|"
	st.ran(list, "thread resume -- t-1|", list, "thread resume --rebind -- t-1|", list, list, "thread record -- go test ./...|", list)
}

// The plan is read, and edited on the terminal itself, by the verbs of its group.
func TestThePlanIsReadAndEdited(t *testing.T) {
	st := newStage(t)
	st.talk("desk", "add jitter", "the plan", "plan log", "plan edit", "q")
	st.ran("plan show wi-", "plan log -- wi-", "plan show wi-", "plan edit -- wi-", "plan show wi-")
}
