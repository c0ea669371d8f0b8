package workstate_test

import (
	"testing"

	"vise/model"
	"vise/model/workstate"
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
		want         workstate.Bookmark
		says         bool
	}{
		{"picked", runnable, true, false, workstate.Bookmark{Status: workstate.InProgress}, true},
		{"left", runnable, false, true, workstate.Bookmark{Status: workstate.Paused}, true},
		{"reworded", runnable, false, false, workstate.Bookmark{}, false},
		{"picked to look at", blocked, true, false, workstate.Bookmark{Status: workstate.Blocked, Next: "legal"}, true},
		{"asks", asks, false, false, workstate.Bookmark{Status: workstate.Paused, Next: "an answer to: LRU or LFU?"}, true},
		{"needs input", input, false, false, workstate.Bookmark{Status: workstate.Paused, Next: "the operator's input"}, true},
		{"waits", waits, false, false, workstate.Bookmark{Status: workstate.Blocked, Next: waits.ActiveWaits[0].WaitsFor()}, true},
		{"completed", model.View{State: model.Completed}, true, true, workstate.Bookmark{Status: workstate.Resolved}, true},
	} {
		if got, says := workstate.BookmarkOf(c.view, c.picked, c.left); got != c.want || says != c.says {
			t.Errorf("%s: got %+v, %v; want %+v, %v", c.name, got, says, c.want, c.says)
		}
	}
}
