package console

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/ui/action"
)

// withHosts is a ledger with connections to hosts. Their records are in the ledger itself.
type withHosts struct {
	Ledger
	states []model.HostState
}

func (w *withHosts) States() []model.HostState { return w.states }

func newHostsWorld(t *testing.T, states ...model.HostState) *world {
	wd := newWorld(t, 110, 24, func(o *Options) { o.Ledger = &withHosts{o.Ledger, states} })
	wd.create("a", "Split rate limiter")
	wd.settle()
	return wd
}

func (wd *world) says(want ...string) {
	wd.t.Helper()
	frame := strings.Join(wd.frame(), "\n")
	for _, s := range want {
		if !strings.Contains(frame, s) {
			wd.t.Errorf("the screen does not say %q:\n%s", s, frame)
		}
	}
}

// TestHostsThatAreAwayAreNamed, on the activity and with several of them too.
func TestHostsThatAreAwayAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := model.HostState{Name: "build", Away: true, AsOf: time.Now()}
		wd := newHostsWorld(t, away)
		defer wd.end()
		wd.press("g", "a")
		wd.settle()
		wd.says("BUILD AS OF")
		wd.fx().Ledger.(*withHosts).states = []model.HostState{away, {Name: "gpu", Away: true}}
		wd.press("2", "g", "a")
		wd.create("b", "Add jitter to backoff")
		wd.settle()
		wd.says("2 HOSTS AWAY")
	})
}

// TestASearchNamesWhatItDidNotSearch: of a host only a part of the open items is known.
func TestASearchNamesWhatItDidNotSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newHostsWorld(t, model.HostState{Name: "build", Open: 2000, KnownOpen: 200}, model.HostState{Name: "gpu", Open: 3, KnownOpen: 3})
		defer wd.end()
		wd.press(":")
		wd.write("qqqqxxzz")
		wd.settle()
		wd.says("Nothing matches. Searched were only the first 200 of 2000 open items of", "build.")
		if c := wd.console.(console); c.limits(true) != "" {
			t.Errorf("this machine's desk has %q", c.limits(true))
		}
	})
}

// TestTheDeskOfARemovedHostIsLeft, but not while a dialog is open: what is typed there is refused by its own agent's name.
func TestTheDeskOfARemovedHostIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newHostsWorld(t, model.HostState{Name: "build"})
		defer wd.end()
		wd.send(act(func(c *console) { c.visit("ann@build") }))
		wd.settle()
		wd.press("o")
		wd.fx().Ledger.(*withHosts).states = nil
		wd.create("b", "Add jitter to backoff")
		wd.settle()
		if got := wd.console.(console).place.agent; got != "ann@build" {
			t.Errorf("with an open dialog the agent is %q", got)
		}
		wd.press("esc")
		wd.create("c", "Land retry budget PR")
		wd.settle()
		wd.says("The host build was removed.", "Split rate limiter", string(testAgent))
	})
}

// TestAReadingOfAnotherAgentLeavesNoHost: it began before the operator went to the host's agent, and says nothing of that one.
func TestAReadingOfAnotherAgentLeavesNoHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newHostsWorld(t)
		defer wd.end()
		wd.send(act(func(c *console) {
			c.place.agent = "ann@build"
			truthMsg{truth: truth{want: want{agent: testAgent}}, at: c.now}.handle(c)
		}))
		if got := wd.console.(console).place.agent; got != "ann@build" {
			t.Errorf("the agent on screen is %q", got)
		}
	})
}

// TestWhatAHostDoesNotShowIsNotOffered: its plan is edited on the host.
func TestWhatAHostDoesNotShowIsNotOffered(t *testing.T) {
	keys := action.Standard()
	s := action.State{Item: &model.Row{ID: "wi-1@build"}, Editor: true, Agent: "ann@build"}
	if why := keys.Refusal(keys.ByID(action.EditPlan), s); why != "the plan is on build: edit it there" {
		t.Errorf("to edit the plan: %q", why)
	}
	s.Item.ID = "wi-1"
	if why := keys.Refusal(keys.ByID(action.EditPlan), s); why != "" {
		t.Errorf("to edit a plan that is here: %q", why)
	}
}
