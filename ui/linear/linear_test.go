package linear

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/ui/action"
)

// talk runs a session on two work items with what the operator types, and returns what was
// said and which verbs were run.
func talk(t *testing.T, typed ...string) (said string, verbs []string) {
	t.Helper()
	l := store.NewMem(nil)
	at := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	n := 0
	apply := func(c model.Command) model.Receipt {
		n++
		in, err := l.Apply(t.Context(), model.Envelope{Key: fmt.Sprint("k", n), Actor: model.Operator, Agent: "a", Command: c})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	apply(model.CreateWorkItem{Objective: "Add jitter\x1b[31m"})
	asks := apply(model.CreateWorkItem{Objective: "Pick a policy"})
	apply(model.WaitFor{WorkItemID: asks.WorkItemID, Reason: "asks", Wake: model.WakeOperatorInput, Question: "LRU or LFU?", Choices: []model.Text{"LRU", "LFU"}})
	var out strings.Builder
	err := Run(t.Context(), Env{
		In: strings.NewReader(strings.Join(typed, "\n") + "\n"), Out: &out,
		Run: func(_ context.Context, stdin string, args ...string) int {
			verbs = append(verbs, strings.Join(args[5:], " ")+"|"+stdin)
			return 0
		},
		View: l.View, Follow: func(ctx context.Context, _ uint64) (uint64, error) { <-ctx.Done(); return 0, ctx.Err() },
		Filters: map[string]string{"mine": "jitter"}, Now: func() time.Time { return at },
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\a\b") {
		t.Errorf("something drives the terminal: %q", out.String())
	}
	return out.String(), verbs
}

func TestEveryActOnAnItemIsThere(t *testing.T) {
	for _, a := range action.Standard() {
		if _, ok := acts[a.ID]; a.Group == action.Work && !ok {
			t.Errorf("%s cannot be done in the linear console", a.ID)
		}
	}
}

func TestAQuestionIsAnsweredByItsNumber(t *testing.T) {
	said, _ := talk(t, "1", "1", "q")
	if !strings.Contains(said, "asks: LRU or LFU?") {
		t.Errorf("the question is not said:\n%s", said)
	}
	at := strings.Index(said, "Answer: ")
	if at < 0 {
		t.Fatalf("there is no way to answer:\n%s", said)
	}
	number := said[strings.LastIndex(said[:at], "\n")+1 : at-2]
	_, verbs := talk(t, "1", "1", number, "2", "q")
	if len(verbs) != 1 || !strings.HasPrefix(verbs[0], "answer wi-") || !strings.HasSuffix(verbs[0], "-- LFU|") {
		t.Errorf("got %q", verbs)
	}
}

func TestWhatIsFinalIsAskedTwice(t *testing.T) {
	said, _ := talk(t, "2", "1", "q")
	at := strings.Index(said, "Complete work item: ")
	number := said[strings.LastIndex(said[:at], "\n")+1 : at-2]
	if _, verbs := talk(t, "2", "1", number, "Done.", ".", "no", "q"); len(verbs) != 0 {
		t.Errorf("it completed without a yes: %q", verbs)
	}
	_, verbs := talk(t, "2", "1", number, "Done.", "All of it.", ".", "yes", "q")
	if len(verbs) != 1 || !strings.HasPrefix(verbs[0], "complete wi-") || !strings.HasSuffix(verbs[0], "--report-file -|Done.\nAll of it.") || !strings.Contains(verbs[0], "--if-revision") {
		t.Errorf("got %q", verbs)
	}
}

func TestFiltersAndMistakesAreSaid(t *testing.T) {
	said, _ := talk(t, "8", "b", "99", "?", "b", "q")
	for _, want := range []string{"1 work items of a", "Add jitter·", "99 is no choice", "This is the first menu"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	said, _ = talk(t)
	if !strings.Contains(said, "Bye.") {
		t.Errorf("the end of the input does not end the session:\n%s", said)
	}
}
