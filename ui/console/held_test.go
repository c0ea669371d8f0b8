package console

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
)

// heldLedger is a ledger that another process holds until it releases it.
type heldLedger struct {
	*store.Ledger
	holder *model.Holder
	free   bool
}

func (l *heldLedger) View(ctx context.Context, look func(model.Reader) error) error {
	if l.free {
		return l.Ledger.View(ctx, look)
	}
	<-ctx.Done()
	e := model.Refuse(model.CodeBusy, "the ledger is busy").Because(ctx.Err()).WithHint("that process is stopped: kill -CONT 812 lets it go on")
	e.Holder = l.holder
	return e
}

func TestAConsoleThatStartsOnAHeldLedgerOpensAndSaysWhoHoldsIt(t *testing.T) {
	since := time.Date(2026, 11, 20, 14, 3, 5, 0, time.Local)
	for _, c := range []struct {
		holder model.Holder
		want   []string
	}{
		{model.Holder{PID: 812, Command: "vise mcp", State: "running", Since: since}, []string{"held by pid 812", "(vise mcp)", "since 14:03:05", "kill 812", "Nothing was read yet", "writes are off"}},
		{model.Holder{PID: 812, Command: "vise\x1b[2J", State: "stopped", Since: since}, []string{"which is stopped", "since 14:03:05", "kill -CONT 812"}},
		{model.Holder{PID: 7, State: "running"}, []string{"held by pid 7, since before "}},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &heldLedger{Ledger: store.NewMem(nil), holder: &c.holder}
			if _, err := l.Apply(t.Context(), model.Envelope{Key: "k", Actor: model.Operator, Agent: "a", Command: model.CreateWorkItem{Objective: "Add jitter"}}); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			o := Options{Session: Session{Ledger: l, Agent: "a"}, Now: time.Now, NewKey: func() string { return fmt.Sprint(time.Now()) }, NoColor: true}
			frame := shownAt(New(t.Context(), o).Primed(), 120, 36)
			if took := time.Since(begun); took > firstRead {
				t.Errorf("the first frame took %s", took)
			}
			flat := strings.Join(strings.FieldsFunc(frame, func(r rune) bool { return strings.ContainsRune(" \n┃│", r) }), " ")
			for _, w := range c.want {
				if !strings.Contains(flat, w) {
					t.Errorf("%q is not on screen:\n%s", w, frame)
				}
			}
			if strings.Contains(frame, "\x1b[2J") {
				t.Error("the holder's name drives the terminal")
			}
			l.free = true
			if frame = shownAt(New(t.Context(), o).Primed(), 120, 36); !strings.Contains(frame, "Add jitter") {
				t.Errorf("the truth is not shown:\n%s", frame)
			}
		})
	}
}

// shownAt is the screen at a size, without a program around it.
func shownAt(c console, w, h int) string {
	c.layout = layoutOf(w, h, c.focus, c.zoomed)
	return c.View().Content
}
