package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/acp"
)

// strict is a ledger on which no act of the script may be refused.
type strict struct {
	*store.Ledger
	t *testing.T
}

func (s strict) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := s.Ledger.Apply(ctx, e)
	if err != nil {
		s.t.Errorf("%s of %s: %v", model.CommandName(e.Command), e.Agent, err)
	}
	return in, err
}

func world(t *testing.T, plans map[model.ItemID]string) (demoWorld, *store.Ledger) {
	l := store.NewMem(nil)
	return demoWorld{
		apply: strict{l, t}.Apply, pause: home.Pause, setClock: func(now func() time.Time) { l.Now = now },
		write: func(x demoAct) error { plans[x.Item] = x.Plan; return nil },
	}, l
}

func TestTheDemoIsQuietAndNothingInItIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plans := map[model.ItemID]string{}
		w, l := world(t, plans)
		begun := time.Now()
		if err := w.prepare(t.Context(), time.Now); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("the scene took %v to set", d)
		}
		if err := w.play(t.Context(), demoScript()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < 3*time.Minute || d > 8*time.Minute {
			t.Errorf("the play took %v, want some minutes", d)
		}
		if len(plans) < 3 {
			t.Errorf("plans of %d items were edited", len(plans))
		}
		checkEnd(t, l)
	})
}

// checkEnd expects what a visitor should have seen: reports, a question, focus.
func checkEnd(t *testing.T, l *store.Ledger) {
	t.Helper()
	err := l.View(t.Context(), func(r model.Reader) error {
		for _, id := range []model.ItemID{"wi-limiter", "wi-matrix", "wi-retry", "wi-jitter"} {
			if w, _ := r.Item(id); w.State != model.Completed || w.ResultSummary == "" {
				t.Errorf("%s is %s with report %q", id, w.State, w.ResultSummary)
			}
		}
		for agent, current := range map[model.AgentID]model.ItemID{mainAgent: "wi-flags", docsAgent: ""} {
			if w, _ := model.Focus(r, agent); w.ID != current {
				t.Errorf("%s works on %q, want %q", agent, w.ID, current)
			}
			if n := r.Count(agent, model.TallyNeedsOperator); n == 0 {
				t.Errorf("%s asks for nothing", agent)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestThePlayGoesOnAroundTheOperator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l := world(t, map[model.ItemID]string{})
		w.apply = l.Apply
		if err := w.prepare(t.Context(), time.Now); err != nil {
			t.Fatal(err)
		}
		_, err := l.Apply(t.Context(), model.Envelope{Key: "k", Actor: model.Operator, Command: model.CompleteWorkItem{WorkItemID: "wi-limiter"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.play(t.Context(), demoScript()); err != nil {
			t.Error(err)
		}
	})
}

func TestThePlayEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		w, _ := world(t, map[model.ItemID]string{})
		if err := w.prepare(ctx, time.Now); err != nil {
			t.Fatal(err)
		}
		if err := w.play(ctx, demoScript()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// The same start gives the same demo: nothing in it is random.
func TestThePlayIsTheSameEveryTime(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	if a, b := demoPrologue(at), demoPrologue(at); len(a) != len(b) || a[0].Items[0].Item.UpdatedAt != b[0].Items[0].Item.UpdatedAt {
		t.Error("two prologues differ")
	}
	for _, in := range demoPrologue(at) {
		for _, x := range in.Items {
			if x.Item.UpdatedAt.After(at) || x.Item.CreatedAt.After(x.Item.UpdatedAt) {
				t.Errorf("%s: created %v, updated %v", x.Item.ID, x.Item.CreatedAt, x.Item.UpdatedAt)
			}
		}
	}
}

func TestTheDemoShowsASessionThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		copies, err := files.NewHome(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l := store.NewMem(copies)
		h := home.On(l, copies, home.Options{Now: time.Now, Dir: t.TempDir()})
		w := demoWorld{apply: h.Apply, setClock: func(now func() time.Time) { l.Now = now }}
		if err := w.prepare(t.Context(), time.Now); err != nil {
			t.Fatal(err)
		}
		d := newDemoSession(h, time.Now)
		ended := make(chan struct{})
		go func() { d.play(t.Context()); close(ended) }()
		<-time.After(40 * time.Second)
		synctest.Wait()
		if s := d.Known()[0]; s.State != home.SessionAsks {
			t.Fatalf("after 40 s the session %s", s.State)
		}
		var p model.Permission
		view := func(r model.Reader) error { a, _ := r.Agent(mainAgent); p = a.Permissions[0]; return nil }
		if err := h.View(t.Context(), view); err != nil {
			t.Fatal(err)
		}
		_, err = h.Apply(t.Context(), model.Envelope{Key: "answer", Actor: model.Operator,
			Command: model.AnswerPermission{AgentID: mainAgent, PermissionID: p.ID, Answer: model.PermitDeny}})
		if err != nil {
			t.Fatal(err)
		}
		<-ended
		var story acp.Story
		said, _, _ := d.Read(d.Known()[0], 0, acp.MaxRead)
		words := 0
		for _, e := range said {
			story.Add(e)
		}
		for _, part := range story.Parts {
			if part.Kind == acp.PartWords {
				words++
			}
			if part.Kind == acp.PartCall && !part.Call.Ended() {
				t.Errorf("%s never ends", part.Call.Title)
			}
		}
		if s := d.Known()[0]; s.State != home.SessionRests || words < 5 {
			t.Errorf("the session %s at the end, after %d texts", s.State, words)
		}
	})
}
