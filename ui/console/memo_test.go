package console

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
)

// keeper remembers the last memo, as it would be read again.
type keeper struct{ raw []byte }

func (k *keeper) Keep(_ context.Context, m Memo) (err error) {
	k.raw, err = json.Marshal(m)
	return err
}

func (k *keeper) memo(t *testing.T) *Memo {
	t.Helper()
	var m Memo
	if err := json.Unmarshal(k.raw, &m); err != nil {
		t.Fatalf("%q: %v", k.raw, err)
	}
	return &m
}

// A console that is killed, less than a second after the last key, starts again in the same state: view, agent, item,
// tab, scroll, filter, marks and drafts.
func TestAKilledConsoleBeginsWhereItWas(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  []string
		typed string
		again []string
	}{
		{name: "an item and a tab", keys: []string{"j", "j", "]", "]", "]"}},
		{name: "a filter that is kept", keys: []string{"/"}, typed: "jitter", again: []string{"enter"}},
		{name: "marks", keys: []string{"v", "v"}},
		{name: "the fleet's inbox", keys: []string{"2", "tab", "j"}},
		{name: "the activity", keys: []string{"g", "a"}},
		{name: "the reports", keys: []string{"3", "j"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{}
				wd := newWorld(t, 120, 36, func(o *Options) { o.Session.Keeper = k })
				wd.populate()
				for _, key := range c.keys {
					wd.press(key)
					wd.settle()
				}
				wd.write(c.typed)
				wd.press(c.again...)
				wd.pass(900 * time.Millisecond)
				before := wd.frame()
				o := wd.console.(console).opt
				o.Session.Memo, o.Session.Agent = k.memo(t), ""
				wd.console = New(wd.t.Context(), o)
				wd.pending = append(wd.pending, wd.console.Init())
				wd.send(tea.WindowSizeMsg{Width: 120, Height: 36})
				wd.settle()
				if after := wd.frame(); strings.Join(after[1:34], "\n") != strings.Join(before[1:34], "\n") {
					t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
				}
				wd.end()
			})
		})
	}
}

func (wd *world) populate() {
	for _, line := range []string{
		"create a Document limiter rollout", "create b Add jitter to backoff", "create c Delete dead feature flags",
		"ask a LRU or LFU?", "create d Fix flaky auth test", "complete d It is fixed.", "create e Bump go", "complete e",
		"as crush-api", "create s Keep session logs", "ask s How long?",
	} {
		wd.change(line)
	}
	wd.settle()
}

// Typed text in a dialog is kept while the dialog is open: nobody has to close it first.
func TestWhatIsTypedOutlivesAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		wd.populate()
		wd.press("o")
		wd.write("Half a thou")
		wd.pass(900 * time.Millisecond)
		if kept := fmt.Sprint(wd.drafts.kept); !strings.Contains(kept, "Half a thou") {
			t.Errorf("kept: %s", kept)
		}
		wd.end()
	})
}

// A memo without sense does no harm.
func TestAMemoThatMakesNoSenseIsPassedOver(t *testing.T) {
	long := strings.Repeat("x", 10*maxFilter)
	for i, m := range []Memo{
		{}, {View: "nonsense", Agent: "../../etc", Focus: 99}, {View: "fleet", Agent: "gone"},
		{View: "activity", Fleet: screen.Fleet{Focus: 99, OfEvents: true, Inbox: screen.List[model.ItemID]{Cursor: "gone"}, Filter: "\xff"}},
		{View: "reports", Reports: screen.Reports{List: screen.List[model.ItemID]{Cursor: "gone"}, Scroll: -7, Want: 1 << 40, Filter: long}},
		{View: "desk", Agent: testAgent, Focus: -1, Desks: map[model.AgentID]memoDesk{"A B": {}, testAgent: {Item: "gone", Tab: "Nowhere", Top: -3, Filter: long, Line: 1 << 40, Plan: markdown.Position{Block: -1}}}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wd := newWorld(t, 80, 24, func(o *Options) { o.Session.Memo, o.Session.Agent = &m, "" })
				wd.populate()
				for _, key := range []string{"j", "1", "j", "2", "3", "1"} {
					wd.press(key)
					wd.settle()
					wd.frame()
				}
				wd.end()
			})
		})
	}
}

// After a night the first screen is the brief, by the last key at any terminal; after a short break it is the desk.
func TestAConsoleThatIsOpenedAfterHoursBeginsWithTheBrief(t *testing.T) {
	for _, x := range []struct {
		away  time.Duration
		brief bool
	}{{5 * time.Hour, true}, {3 * time.Hour, false}} {
		synctest.Test(t, func(t *testing.T) {
			k := &keeper{}
			wd := newWorld(t, 100, 30, func(o *Options) {
				o.Session.Memo, o.Session.Keeper = &Memo{View: "desk", LastKey: o.Now().Add(-x.away)}, k
			})
			defer wd.end()
			wd.change("create a Split rate limiter")
			wd.change("ask a Which limiter?")
			wd.settle()
			if got := strings.Contains(frameOf(wd), "needs you: 1"); got != x.brief {
				t.Errorf("after %s the brief is there: %v\n%s", x.away, got, frameOf(wd))
			}
			wd.press("esc")
			wd.pass(time.Second)
			if m := k.memo(t); m == nil || m.LastKey.IsZero() {
				t.Errorf("the key was not written down: %+v", m)
			}
		})
	}
}
