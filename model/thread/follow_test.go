package thread_test

import (
	"testing"

	"vise/model"
	"vise/model/thread"
)

func TestAnActOnAnItemSaysHowItsThreadStands(t *testing.T) {
	open := model.View{State: model.Open}
	runnable, asks, blocked, waits := open, open, open, open
	runnable.IsRunnable = true
	asks.NeedsOperator = true
	asks.ActiveWaits = []model.Wait{{Kind: model.WaitOperator, Ask: model.Ask{Question: "LRU or LFU?"}}}
	blocked.BlockedBy = "legal"
	waits.BlockedBy, waits.ActiveWaits = "waits", []model.Wait{{Kind: model.WaitExternal, Source: "ci", Resource: "run/1"}}
	input := open
	input.NeedsOperator = true
	for _, c := range []struct {
		name         string
		view         model.View
		picked, left bool
		want         thread.Wanted
		says         bool
	}{
		{"picked", runnable, true, false, thread.Wanted{Status: thread.InProgress}, true},
		{"left", runnable, false, true, thread.Wanted{Status: thread.Paused}, true},
		{"reworded", runnable, false, false, thread.Wanted{}, false},
		{"picked to look at", blocked, true, false, thread.Wanted{Status: thread.Blocked, Next: "legal"}, true},
		{"asks", asks, false, false, thread.Wanted{Status: thread.Paused, Next: "an answer to: LRU or LFU?"}, true},
		{"needs input", input, false, false, thread.Wanted{Status: thread.Paused, Next: "the operator's input"}, true},
		{"waits", waits, false, false, thread.Wanted{Status: thread.Blocked, Next: waits.ActiveWaits[0].WaitsFor()}, true},
		{"completed", model.View{State: model.Completed}, true, true, thread.Wanted{Status: thread.Resolved}, true},
	} {
		if got, says := thread.WantedOf(c.view, c.picked, c.left); got != c.want || says != c.says {
			t.Errorf("%s: got %+v, %v; want %+v, %v", c.name, got, says, c.want, c.says)
		}
	}
}
