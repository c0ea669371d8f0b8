package console

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"vise/model"
)

// slow is a ledger whose answers wait until the test releases them. It may fail first.
type slow struct {
	Ledger
	gate  chan struct{}
	keys  []string
	names []string
	fails []error
}

func (s *slow) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	<-s.gate
	s.keys, s.names = append(s.keys, e.Key), append(s.names, model.CommandName(e.Command))
	if len(s.fails) > 0 {
		err := s.fails[0]
		s.fails = s.fails[1:]
		if err != nil {
			return model.Receipt{}, err
		}
	}
	return s.Ledger.Apply(ctx, e)
}

func newSlowWorld(t *testing.T) (*world, *slow) {
	var s *slow
	wd := newWorld(t, 80, 24, func(o *Options) {
		s = &slow{Ledger: o.Ledger, gate: make(chan struct{}, 10)}
		o.Ledger = s
	})
	wd.create("a", "Split rate limiter")
	wd.create("b", "Add jitter to backoff")
	wd.settle()
	return wd, s
}

func TestCommandsAreCommittedInTheOrderOfTheKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, s := newSlowWorld(t)
		defer wd.end()
		wd.press("p", "@plan-status", "2", "esc", "b")
		wd.write("ops")
		wd.press("enter")
		wd.settle()
		if len(s.keys) != 0 {
			t.Fatalf("%d commands were sent before the first was answered", len(s.keys))
		}
		for range 3 {
			s.gate <- struct{}{}
		}
		wd.settle()
		if want := []string{"PickWorkItem", "UpdateWorkItem", "UpdateWorkItem"}; !slices.Equal(s.names, want) {
			t.Errorf("got %v, want %v", s.names, want)
		}
	})
}

func TestQuittingWaitsUntilEverythingIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, s := newSlowWorld(t)
		defer wd.end()
		wd.said = nil
		wd.press("p", "q")
		wd.settle()
		if len(wd.said) != 0 {
			t.Fatalf("it quit before the pick was saved: %v", wd.said)
		}
		s.gate <- struct{}{}
		wd.settle()
		if !slices.Equal(wd.said, []string{"quit"}) {
			t.Errorf("got %v, want quit", wd.said)
		}
		if r := wd.row("a"); !r.IsCurrent {
			t.Error("the pick was not saved")
		}
	})
}

func TestWhatTheLedgerRefusesStaysInTheDialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, s := newSlowWorld(t)
		defer wd.end()
		s.fails = []error{model.Refuse(model.CodeFull, "no space left on the device").WithHint("free some on the disk of this home, then save again")}
		wd.press("c")
		wd.write("A long report.")
		wd.press("ctrl+s")
		s.gate <- struct{}{}
		wd.settle()
		frame := strings.Join(wd.frame(), "\n")
		for _, want := range []string{"A long report.", "No space left on the device.", "then save", "again."} {
			if !strings.Contains(frame, want) {
				t.Errorf("the screen does not say %q:\n%s", want, frame)
			}
		}
		wd.press("ctrl+s")
		s.gate <- struct{}{}
		wd.settle()
		if frame := strings.Join(wd.frame(), "\n"); !strings.Contains(frame, "Report kept.") {
			t.Errorf("the second attempt was not carried out:\n%s", frame)
		}
	})
}

// TestAMixedAcknowledgementSaysBoth: what was not acknowledged is said beside what was, and keeps its marks.
func TestAMixedAcknowledgementSaysBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, s := newSlowWorld(t)
		defer wd.end()
		wd.do(model.CompleteWorkItem{WorkItemID: wd.names["a"]})
		wd.acting = "other"
		for _, name := range []string{"c", "d"} {
			wd.create(name, "Write "+name)
			wd.do(model.CompleteWorkItem{WorkItemID: wd.names[name]})
		}
		wd.press("2", "tab")
		wd.settle()
		wd.press("*")
		wd.settle()
		s.fails = []error{nil, model.Refuse(model.CodeBusy, "nothing was sent: build is away")}
		wd.press("A", "1")
		s.gate <- struct{}{}
		s.gate <- struct{}{}
		wd.settle()
		c := wd.console.(console)
		for _, want := range []string{"Hid what 1 marked item of " + string(testAgent) + " needed; questions and stalled work stay, as seen.",
			"Not hidden: 2 marked items of other. Nothing was sent: build is away."} {
			if !c.note.isError || !strings.Contains(c.note.text, want) {
				t.Errorf("the message is %q, want %q", c.note.text, want)
			}
		}
		if m := c.place.inboxMarks; len(m) != 2 || !m[wd.names["c"]] || !m[wd.names["d"]] {
			t.Errorf("marked are %v", m)
		}
	})
}

// TestAnUnknownOutcomeIsSaidAfterTheEnd: it names the act, on the screen and after the console has ended.
func TestAnUnknownOutcomeIsSaidAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd, s := newSlowWorld(t)
		defer wd.end()
		handle := string(wd.row("a").Handle)
		want := "picked " + handle + " (" + string(testAgent) + "): no answer from build"
		s.fails = []error{model.Refuse(model.CodeUnknownOutcome, "no answer from build"), model.Refuse(model.CodeUnknownOutcome, "no answer from build")}
		wd.press("p")
		s.gate <- struct{}{}
		wd.settle()
		if got := wd.console.(console).note.text; got != "P"+want[1:]+"." {
			t.Errorf("the screen says %q", got)
		}
		if err := wd.console.(console).outbox.ended(); err != nil {
			t.Errorf("what the screen said is said again: %v", err)
		}
		wd.said = nil
		wd.press("p", "q")
		s.gate <- struct{}{}
		wd.settle()
		err := wd.console.(console).outbox.ended()
		if err == nil || err.Error() != want || !slices.Equal(wd.said, []string{"quit"}) {
			t.Errorf("after the end: %v, %v", err, wd.said)
		}
	})
}

// row returns an item as the ledger has it.
func (wd *world) row(name string) model.Row {
	wd.t.Helper()
	var row model.Row
	err := wd.ledger.View(wd.t.Context(), func(r model.Reader) error {
		w, _ := r.Item(wd.names[name])
		a, _ := r.Agent(w.AgentID)
		row = model.RowOf(w, r.ItemWaits(w.AgentID, w.ID), a.CurrentWorkItemID == w.ID)
		return nil
	})
	if err != nil {
		wd.t.Fatal(err)
	}
	return row
}

// opened counts how often a ledger is opened: store/home opens it once for an act.
type opened struct {
	Ledger
	n atomic.Int64
}

func (o *opened) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	o.n.Add(1)
	return o.Ledger.Apply(ctx, e)
}

func (o *opened) View(ctx context.Context, fn func(model.Reader) error) error {
	o.n.Add(1)
	return o.Ledger.View(ctx, fn)
}

func TestAPickOpensTheLedgerTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *opened
		wd := newWorld(t, 80, 24, func(o *Options) {
			l = &opened{Ledger: o.Ledger}
			o.Ledger = l
		})
		defer wd.end()
		wd.create("a", "Split rate limiter")
		wd.settle()
		l.n.Store(0)
		wd.press("p")
		wd.settle()
		if n := l.n.Load(); n > 2 || !wd.row("a").IsCurrent {
			t.Errorf("the ledger was opened %d times, to pick and to look afterwards", n)
		}
	})
}
