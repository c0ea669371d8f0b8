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
	n       int
	sources Sources
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
		Ledger: st, Sources: st.sources, Agent: "a", Now: func() time.Time { return noon }, NewKey: st.key,
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

func TestAQuestionIsAnsweredByItsNumber(t *testing.T) {
	st := newStage(t)
	st.says([]string{"asks: LRU or LFU?", "Question: LRU or LFU?"}, "1", "1", "answer", "2", "q")
	st.ran("answer wi- … --if-revision … -- LFU|")
}

func TestWhatIsFinalIsAskedTwice(t *testing.T) {
	st := newStage(t)
	st.talk("desk", "add jitter", "complete", "Done.", ".", "no", "q")
	st.ran()
	st.talk("desk", "add jitter", "complete", "Done.", "All of it.", ".", "yes", "q")
	st.ran("complete wi- … --if-revision … --report-file -|Done.\nAll of it.")
}

// Somebody else is faster: the typed text is kept, and used when the act is chosen again, here as the report.
func TestWhatWasTypedIsKeptWhenTheActIsRefused(t *testing.T) {
	st := newStage(t)
	st.verb = func(args []string) int { return map[bool]int{true: 4}[args[0] == "complete"] }
	st.says([]string{"Your text is kept", "Kept from before: Moved, and measured. Take it? yes or no:"},
		"desk", "add jitter", "complete", "Moved, and measured.", ".", "yes", "complete", "yes", "yes", "complete", "no", "Other.", ".", "no", "q")
	st.ran("complete wi- … --if-revision … --report-file -|Moved, and measured.", "complete wi- … --if-revision … --report-file -|Moved, and measured.")
}

func TestFiltersAndMistakesAreSaid(t *testing.T) {
	newStage(t).says([]string{"1 work item of a", "Add jitter·", "99 is no choice", "work items or is no choice", "more than one", "This is the first menu", "Bye."}, "filter mine", "b", "99", "work items or", "what", "?", "b")
}

func TestAnActIsTakenBackByItsVerb(t *testing.T) {
	st := newStage(t)
	st.talk("desk", "add jitter", "block", "ops", "", "undo", "redo", "q")
	st.ran("block wi- … --if-revision … -- ops|", "undo|", "redo|")
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
		if st.ran("update --todos - wi- … --if-revision … |" + want); t.Failed() {
			t.Fatalf("after %q", in)
		}
	}
}

func TestWhatIsDoneToMarkedItemsIsDoneToAllOrNone(t *testing.T) {
	st := newStage(t)
	blocked := func() (n int) {
		_ = st.View(t.Context(), func(r model.Reader) error {
			for _, row := range model.DeskOf(r, "a", model.Stamp{At: noon}, func(model.Class) int { return 9 }).Sections {
				for _, x := range row.Rows {
					if x.BlockedBy == "ops has the keys" {
						n++
					}
				}
			}
			return nil
		})
		return n
	}
	st.says([]string{"2 marked: wi-", "Blocked 2 items. Undo"}, "desk", "mark", "1-2", "block", "ops has the keys", "q")
	if n := blocked(); n != 2 {
		t.Errorf("%d of 2 are blocked", n)
	}
	st.says([]string{"9 is none of them", "Unblocked 2 items. Undo"}, "desk", "mark", "9", "all", "unblock", "b", "q")
	if n := blocked(); n != 0 {
		t.Errorf("%d of 2 are still blocked", n)
	}
}

func TestACopySaysWhereItWent(t *testing.T) {
	st := newStage(t)
	st.says([]string{"The objective cannot be copied from here. It is:\nAdd jitter·"}, "desk", "add jitter", "copy", "copy objective", "q")
	var got string
	st.sources.Clip = func(_ context.Context, what, text string) string {
		got = text
		return what + " copied with xclip."
	}
	st.says([]string{"2 Markdown lines copied with xclip."}, "desk", "mark", "all", "copy", "copy as markdown", "q")
	if strings.Count(got, "- [ ] ") != 2 || !strings.Contains(got, "Add jitter\x1b[31m") {
		t.Errorf("copied %q", got)
	}
}

func TestCommandsAndFiltersOfTheOperatorsOwnAreThere(t *testing.T) {
	st := newStage(t)
	var run []string
	st.sources.RunCustom = func(_ context.Context, argv []string, stdin []byte) (string, error) {
		run = append(run, strings.Join(argv, " "))
		return "it ran\x1b[2J\n", nil
	}
	saved := ""
	st.sources.SaveFilter = func(_ context.Context, name, words string) error { saved = name + "=" + words; return nil }
	st.says([]string{"it ran·", "marked as dangerous: echo a", "Filter policies is saved"},
		"desk", "add jitter", "your own: say it", "b", "b", "your own: look", "no", "find", "policy", "save filter", "policies", "q")
	if len(run) != 1 || !strings.HasPrefix(run[0], "echo wi-") || saved != "policies=policy" {
		t.Errorf("ran %q, saved %q", run, saved)
	}
}

// Every action of the table has a menu here that a person can reach by typing, or a reason why it has none.
func TestWhateverTheScreensConsoleOffersIsHereOrHasAReason(t *testing.T) {
	reached := explore(t)
	for _, a := range action.Standard() {
		why, is := missing(a)
		switch {
		case is && reached[a.ID]:
			t.Errorf("%s is reached, and apart too: %s", a.ID, why)
		case !is && !reached[a.ID]:
			t.Errorf("%s cannot be done in the console of lines, and nothing says why", a.ID)
		}
	}
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

// What the repository keeps in files is listed by its verb, and judged by the verbs of the table; what the verb needs is asked for.
func TestTodosAndThreadsAreActedOnByTheirVerbs(t *testing.T) {
	st := newStage(t)
	st.sources.Findings = props{}
	st.talk("triage", "approve", "review/001", "won't fix", "review/002", "It is by design.", "duplicate", "review/003", "review/001", "The same.",
		"start", "review/004", "yes", "unblock", "review/005", "q")
	st.ran("todo triage|", "todo triage review/001 --approve|", "todo triage|", "todo triage review/002 --wont-fix --reason=It is by design.|",
		"todo triage|", "todo triage review/003 --duplicate-of=review/001 --reason=The same.|", "todo triage|",
		"todo start review/004 --approve|", "todo triage|", "todo resume review/005|", "todo triage|")
	st.verbs = nil
	st.says([]string{"It needs a shell"}, "threads", "go on", "t-1", "/repo", "rebind", "t-1", "", "no", "rebind", "t-1", "", "yes",
		"run", "go test | tee x", "go test ./...", "", "q")
	list := "thread list --everywhere|"
	st.ran(list, "thread resume t-1 --repo=/repo|", list, list, "thread resume t-1 --rebind|", list, "thread record -- go test ./...|", list)
}
