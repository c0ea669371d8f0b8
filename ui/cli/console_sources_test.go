package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/storetest"
)

// twoConsoles are the views of two consoles of one repository and one ledger. Its only item is linked to a paused
// thread.
func twoConsoles(t *testing.T) (*home.Home, [2]threadView, model.ItemID, []model.ThreadLink) {
	t.Helper()
	r := storetest.RepoWithCommit(t)
	l := home.On(store.NewMem(nil), files.Home{}, home.Options{Dir: r.Dir})
	t.Cleanup(func() { l.Close() })
	paused(t, l.Threads(model.Operator))
	in := apply(t, l, model.CreateWorkItem{Objective: "Fix login"})
	links := []model.ThreadLink{{Repo: model.Text(r.Dir), TaskID: "fix-login"}}
	apply(t, l, model.LinkWorkItem{WorkItemID: in.WorkItemID, Add: model.Links{Threads: links}})
	var views [2]threadView
	for i := range views {
		views[i] = newThreadView(t.Context(), l)
		t.Cleanup(views[i].Close)
	}
	return l, views, in.WorkItemID, links
}

// paused starts a thread and leaves it.
func paused(t *testing.T, in home.Threads) {
	t.Helper()
	r, done := in.At(t.Context(), "", "test")
	defer done()
	for _, c := range []thread.Command{thread.Start{Goal: "Fix login"}, thread.Close{Status: thread.Paused}} {
		if _, err := r.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func apply(t *testing.T, l *home.Home, c model.Command) model.Receipt {
	t.Helper()
	in, err := l.Apply(t.Context(), model.Envelope{Key: newKey(), Actor: model.Operator, Agent: "ann", Command: c})
	if err != nil {
		t.Fatalf("%s: %v", model.CommandName(c), err)
	}
	return in
}

func statusOf(t *testing.T, c thread.Card) thread.Status {
	t.Helper()
	if c.Thread == nil {
		t.Fatalf("no thread on the card: %+v", c)
	}
	return c.Thread.Status
}

func TestTwoConsolesSeeOneThreadFollowItsItem(t *testing.T) {
	l, views, id, links := twoConsoles(t)
	for _, step := range []struct {
		c    model.Command
		want thread.Status
	}{
		{model.PickWorkItem{WorkItemID: id}, thread.InProgress},
		{model.WaitFor{WorkItemID: id, Wake: model.WakeExternal, Reason: "CI", Source: "ci", Resource: "run/1"}, thread.Blocked},
		{model.PickWorkItem{WorkItemID: id, ClearBlocker: true, Reason: "green"}, thread.InProgress},
		{model.CompleteWorkItem{WorkItemID: id}, thread.Resolved},
	} {
		apply(t, l, step.c)
		for _, v := range views {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			if err := v.Next(ctx); err != nil {
				t.Fatalf("%s: a console awaitNews nothing: %v", model.CommandName(step.c), err)
			}
			cancel()
			if got := statusOf(t, v.Card(t.Context(), model.Links{Threads: links})); got != step.want {
				t.Errorf("%s: the thread is %s, want %s", model.CommandName(step.c), got, step.want)
			}
		}
	}
}

func TestAThreadThatCannotFollowIsAWarningBesideTheAnswer(t *testing.T) {
	l, _, id, links := twoConsoles(t)
	file := filepath.Join(links[0].Repo.Raw(), ".aictx/tasks/threads/fix-login.json")
	if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	in := apply(t, l, model.PickWorkItem{WorkItemID: id})
	if in.Transition == nil || len(in.Warnings) != 1 || in.Warnings[0].Kind != model.WarnThreadNotFollowed {
		t.Errorf("got %+v", in)
	}
}

// A session that dies leaves its thread paused, with what was seen and nothing else.
func TestACrashLeavesTheThreadPausedWithFactsOnly(t *testing.T) {
	l, views, id, links := twoConsoles(t)
	apply(t, l, model.PickWorkItem{WorkItemID: id})
	before := views[0].Card(t.Context(), model.Links{Threads: links}).Thread
	head, dirty := l.Threads(model.Operator).Head(t.Context())
	a, err := l.Threads(model.Operator).Record(t.Context(), home.Execution{ID: "run-1", Command: "go test ./auth", ExitStatus: 137, Head: head, Dirty: dirty, SessionEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	after := views[0].Card(t.Context(), model.Links{Threads: links}).Thread
	if after.Status != thread.Paused || len(after.Risks) != 1 || after.Risks[0] != "Command failed (exit 137): go test ./auth" {
		t.Errorf("got %s, risks %q", after.Status, after.Risks)
	}
	if after.NextAction != before.NextAction || after.Hypothesis != before.Hypothesis || len(after.Verified) != 0 {
		t.Errorf("more than facts: %+v", after)
	}
	if len(a.Changed) == 0 {
		t.Error("the answer does not tell what was learned")
	}
	apply(t, l, model.PickWorkItem{WorkItemID: id})
	if got := statusOf(t, views[0].Card(t.Context(), model.Links{Threads: links})); got != thread.InProgress {
		t.Errorf("picked again it is %s", got)
	}
}

// annIn lets ann work in a directory of her own.
func annIn(dir string) func(model.AgentID) string {
	return func(id model.AgentID) string { return map[model.AgentID]string{"ann": dir}[id] }
}

// A turn that breaks off leaves its focus' thread paused; the next turn resumes it, whatever the driver's directory is.
func TestATurnThatBreaksOffPausesTheThread(t *testing.T) {
	l, views, id, links := twoConsoles(t)
	l = l.With(annIn(t.TempDir()))
	apply(t, l, model.PickWorkItem{WorkItemID: id})
	for _, step := range []struct {
		name string
		acts []model.Command
		want thread.Status
	}{
		{"begins", []model.Command{model.ClaimTurn{AgentID: "ann", Holder: "a driver"}}, thread.InProgress},
		{"breaks off", []model.Command{model.EndTurn{AgentID: "ann", Turn: 1, Outcome: model.TurnFailed}}, thread.Paused},
		{"begins again", []model.Command{model.ClaimTurn{AgentID: "ann", Holder: "a driver"}}, thread.InProgress},
		{"ends well", []model.Command{model.EndTurn{AgentID: "ann", Turn: 2, Outcome: model.TurnCompleted}}, thread.InProgress},
	} {
		for _, c := range step.acts {
			apply(t, l, c)
		}
		if got := statusOf(t, views[0].Card(t.Context(), model.Links{Threads: links})); got != step.want {
			t.Errorf("%s: the thread is %s, want %s", step.name, got, step.want)
		}
	}
}

// A driver that died reports nothing: the scheduler ends its lease, and the thread is paused.
func TestADriverThatDiedLeavesTheThreadPaused(t *testing.T) {
	l, views, id, links := twoConsoles(t)
	apply(t, l, model.PickWorkItem{WorkItemID: id})
	apply(t, l, model.ClaimTurn{AgentID: "ann", Holder: "a driver", TTLMS: 1})
	for range 1000 { // until a millisecond is over
		in, err := l.Apply(t.Context(), model.Envelope{Key: newKey(), Actor: model.Scheduler, Command: model.Tick{AgentID: "ann"}})
		if err != nil {
			t.Fatal(err)
		}
		if in.Turn != 0 {
			break
		}
	}
	if got := statusOf(t, views[0].Card(t.Context(), model.Links{Threads: links})); got != thread.Paused {
		t.Errorf("the thread is %s", got)
	}
}

// With several repositories, an item's thread resumes where its agent works.
func TestAnItemIsTakenUpWhereItsAgentWorks(t *testing.T) {
	l, views, id, links := twoConsoles(t)
	other := storetest.RepoWithCommit(t)
	there := home.Threads{Dir: other.Dir, Now: time.Now, Actor: "operator"}
	paused(t, there)
	more := []model.ThreadLink{{Repo: model.Text(other.Dir), TaskID: "fix-login"}}
	apply(t, l, model.LinkWorkItem{WorkItemID: id, Add: model.Links{Threads: more}})
	l = l.With(annIn(other.Dir))
	apply(t, l, model.PickWorkItem{WorkItemID: id})
	if got := statusOf(t, there.Card(t.Context(), more)); got != thread.InProgress {
		t.Errorf("where the agent works it is %s", got)
	}
	if got := statusOf(t, views[0].Card(t.Context(), model.Links{Threads: links})); got != thread.Paused {
		t.Errorf("elsewhere it is %s", got)
	}
	apply(t, l, model.CompleteWorkItem{WorkItemID: id})
	for name, c := range map[string]thread.Card{"where the agent works": there.Card(t.Context(), more), "elsewhere": views[0].Card(t.Context(), model.Links{Threads: links})} {
		if got := statusOf(t, c); got != thread.Resolved {
			t.Errorf("%s it is %s", name, got)
		}
	}
}
