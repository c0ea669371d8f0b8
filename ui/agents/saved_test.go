package agents

import (
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/home"
	"vise/store/kv"
	"vise/store/storetest"
)

// newFaultyHookBench is a bench whose ledger fails at the test's command.
func newFaultyHookBench(t *testing.T) (*hookBench, *storetest.Faults) {
	t.Helper()
	b, f := newHookBench(t), &storetest.Faults{Backend: kv.NewMemory()}
	plans, err := files.NewHome(b.dir)
	if err == nil {
		b.ledger, err = store.NewLedger(t.Context(), f, plans)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.opened = func() *home.Home { return home.On(b.ledger, plans, home.Options{LeaveQueue: true}) }
	return b, f
}

// TestAHookTellsWhatItHandedAndNothingElse makes the transactions of a prompt's hook fail, from each one on: a message
// that counts as sent was shown.
func TestAHookTellsWhatItHandedAndNothingElse(t *testing.T) {
	for at := 1; at <= 6; at++ {
		b, f := newFaultyHookBench(t)
		b.apply("claude", model.AddAgent{AgentID: "claude"})
		b.apply("claude", model.Say{AgentID: "claude", Text: "Use LFU."})
		f.Arm(0, func(n int, _ bool) error {
			if n >= at {
				return storetest.Troubles[model.CodeBusy]
			}
			return nil
		})
		_ = b.run(`{"session_id":"s1"}`, "claude", "UserPromptSubmit")
		names, _ := f.Committed()
		if handed := slices.Contains(names, "HandMessages"); handed != strings.Contains(b.stdout, "Use LFU.") {
			t.Errorf("at %d: handed %v, and told %q", at, handed, b.stdout)
		}
	}
}

// TestAReportIsKeptOnceWhateverFails makes the transactions of a hook that brings a report fail, from each one on, or
// loses the outcome of its commits. The report is kept once, at the latest when the next process takes the hook's file.
func TestAReportIsKeptOnceWhateverFails(t *testing.T) {
	for at := 0; at <= 8; at++ { // 0 loses the outcomes
		for code, trouble := range storetest.Troubles {
			b, f := newFaultyHookBench(t)
			id := b.completed("claude")
			b.must(postToolUse("s1", "toolu_1", id), "claude", "PostToolUse")
			path := b.transcript(text("msg_1", "Moved it; the tests pass."), use("msg_1", "toolu_1", id), done("toolu_1"))
			f.Arm(0, func(n int, _ bool) error {
				if at > 0 && n >= at {
					return trouble
				}
				return nil
			})
			if at == 0 {
				f.Arm(1<<20, func(_ int, committed bool) error {
					if committed {
						return trouble
					}
					return nil
				})
			}
			_ = b.run(stop("s1", path, "Moved it; the tests pass.", ""), "claude", "Stop")
			f.Arm(0, nil)
			h := b.opened()
			if _, err := h.TakeQueue(t.Context()); err != nil {
				t.Fatal(err)
			}
			v := b.view(id)
			if v.Report == nil || v.Report.Text != "Moved it; the tests pass." || len(v.Offered) > 0 {
				t.Errorf("%s at %d: the report is %+v, offered %d", code, at, v.Report, len(v.Offered))
			}
		}
	}
}
