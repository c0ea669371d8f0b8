package console

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
)

// recorder records what the console asks of the ledger.
type recorder struct {
	*faulty
	asked []model.Command
}

func (w *recorder) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	w.asked = append(w.asked, e.Command)
	return w.faulty.Apply(ctx, e)
}

// randomRun is a console with random keys and random changes by others.
type randomRun struct {
	*world
	rng      *rand.Rand
	recorder *recorder
	items    []model.ItemID
	// meant is the handle under the cursor in the frame in which the last act began.
	meant string
	// due holds the meant item of each command that is not answered, in the order of the outbox.
	due  []string
	seq  int
	acts int
}

// Rows show titles. The titles of this run begin with a name that is unique. The row of an agent shows the title of its
// current work, and is about no item.
var (
	underCursor = regexp.MustCompile(`>\S [^┃│\n]*?(item-\d+)\b`)
	named       = regexp.MustCompile(`item-\d+`)
)

// shownCursor returns the item under the cursor as the operator sees it.
func (x *randomRun) shownCursor() string {
	shown := ansi.Strip(x.console.View().Content)
	if c := x.console.(console); c.place.view == viewFleet {
		if c.place.fleet.Entry() == nil {
			return ""
		}
		_, shown, _ = strings.Cut(shown, "Inbox")
	}
	if m := underCursor.FindStringSubmatch(shown); m != nil {
		return m[1]
	}
	return ""
}

// An act is about the item that was under the cursor in the frame in which the act began, whatever happens meanwhile,
// and never about an item that moved there.
func TestAnActIsAboutTheItemThatWasShown(t *testing.T) {
	storetest.Slow(t)
	acts := 0
	for range 25 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("seed %d", seed)
			synctest.Test(t, func(t *testing.T) { acts += live(t, seed) })
		})
	}
	if acts < 60 { // 113 to 144 in sixteen runs, and once 94
		t.Errorf("only %d acts reached the ledger: the test shows nothing", acts)
	}
}

func live(t *testing.T, seed uint64) int {
	x := &randomRun{rng: rand.New(rand.NewPCG(seed, 1))}
	x.world = newWorld(t, 120, 36, func(o *Options) {
		x.recorder = &recorder{faulty: o.Session.Ledger.(*faulty)}
		o.Session.Ledger = x.recorder
	})
	for range 8 {
		x.happen()
	}
	x.settle()
	for range 200 {
		switch n := x.rng.IntN(10); {
		case n < 3:
			x.happen()
		case n < 5:
			x.settle()
		case n < 6:
			x.pass(time.Duration(x.rng.IntN(2500)) * time.Millisecond)
		default:
			x.key()
		}
		x.judge()
	}
	x.settle()
	x.judge()
	x.end()
	return x.acts
}

// happen makes a change as agents do.
func (x *randomRun) happen() {
	x.acting = []model.AgentID{testAgent, "crush-api", "codex-web"}[x.rng.IntN(3)]
	var c model.Command = model.CreateWorkItem{Objective: model.Text(fmt.Sprintf("item-%d work", len(x.items)))}
	if len(x.items) > 6 && x.rng.IntN(4) > 0 {
		n := x.rng.IntN(len(x.items))
		id, question := x.items[n], model.Text(fmt.Sprintf("which of item-%d?", n))
		objective, status := model.Text(fmt.Sprintf("item-%d reworded %d", n, x.rng.IntN(1000))), model.NeedsInput
		c = []model.Command{
			model.UpdateWorkItem{WorkItemID: id, Objective: &objective}, model.UpdateWorkItem{WorkItemID: id, PlanStatus: &status},
			model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo("something")}, model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.Clear()},
			model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: "asks", Question: question}, model.PickWorkItem{WorkItemID: id, Reason: "so"},
			model.CompleteWorkItem{WorkItemID: id},
		}[x.rng.IntN(7)]
	}
	r, err := x.ledger.Apply(x.t.Context(), model.Envelope{Key: "do-" + x.world.key(), Actor: model.Operator, Agent: x.ownerOf(c), Command: c})
	if err == nil && model.CommandName(c) == "CreateWorkItem" {
		x.items = append(x.items, r.WorkItemID)
	}
}

func (x *randomRun) ownerOf(c model.Command) model.AgentID {
	if model.CommandName(c) == "CreateWorkItem" {
		return x.acting
	}
	return ""
}

// key presses a key, and records the meant item when an act begins.
func (x *randomRun) key() {
	c := x.console.(console)
	switch c.layers.top().(type) {
	case nil:
	case unheard, frozen:
		x.strike("esc")
		return
	case *zeroRun: // its first line names its item
		x.meant = named.FindString(ansi.Strip(strings.Split(c.View().Content, "\n")[2]))
		x.settleSome()
		x.strike(strings.Fields("space 1 1 2 3 . . , enter esc")[x.rng.IntN(10)])
		return
	default:
		x.strike([]string{"x", "enter", "ctrl+s", "1", "2", "esc"}[x.rng.IntN(6)])
		return
	}
	acts := []string{"p", "A", "b", "@plan-status", "i", "P", "c", "@objective"}
	if x.rng.IntN(2) == 0 {
		k := acts[x.rng.IntN(len(acts))]
		meant := x.shownCursor()
		x.settleSome() // a change between a frame and a key is not seen
		if meant == x.shownCursor() && x.console.(console).layers.top() == nil {
			x.meant = meant
			x.strike(k)
		}
		return
	}
	moves := []string{"j", "k", "home", "G", ".", "tab", "1", "2", "3", "esc", "ctrl+r", ",", "}"}
	x.press(moves[x.rng.IntN(len(moves))])
}

// strike presses a key, and records the meant item of the command that it sends.
func (x *randomRun) strike(key string) {
	x.press(key)
	for _, j := range x.console.(console).outbox.jobs {
		if j.seq > x.seq && j.envelope != nil {
			x.due = append(x.due, x.meant)
		}
		x.seq = max(x.seq, j.seq)
	}
}

// settleSome makes changes that the next key does not know of.
func (x *randomRun) settleSome() {
	if x.rng.IntN(3) == 0 {
		x.happen()
	}
}

// judge compares the commands that were sent with the meant items.
func (x *randomRun) judge() {
	for _, c := range x.recorder.asked {
		if model.CommandName(c) == "Say" { // it is about an agent
			x.due = x.due[1:]
			continue
		}
		id := model.ItemID(reflect.ValueOf(c).FieldByName("WorkItemID").String())
		name := ""
		if err := x.ledger.View(x.t.Context(), func(r model.Reader) error {
			w, _ := r.Item(id)
			name = named.FindString(w.Objective.String())
			return nil
		}); err != nil {
			x.t.Fatal(err)
		}
		if x.acts++; len(x.due) == 0 || name != x.due[0] {
			x.t.Fatalf("%s is about %s, and %v was under the cursor:\n%s", model.CommandName(c), name, x.due, ansi.Strip(x.console.View().Content))
		}
		x.due = x.due[1:]
	}
	x.recorder.asked = nil
}

func TestTheItemThatTheCursorFallsOnIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		defer wd.end()
		for _, line := range []string{"create a First question", "create b Second question", "ask a one? | x", "ask b two? | x"} {
			wd.change(line)
		}
		wd.pass(5 * time.Second)
		wd.press("/")
		wd.write("class:asks")
		wd.settle()
		wd.press("enter", "home")
		wd.settle()
		wd.doAs(model.Operator, model.Answer{WorkItemID: wd.names["a"], Text: "x"}) // the list keeps its order for two seconds
		wd.pass(5 * time.Second)
		c := wd.console.(console)
		if d := c.detail(); c.cursor != wd.names["b"] || d == nil || c.plan.Item != d.ID {
			t.Errorf("the cursor is on %s; its detail and its plan are not read:\n%s", c.cursor, strings.Join(wd.frame(), "\n"))
		}
	})
}
