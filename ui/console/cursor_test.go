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
)

// recorder notes what the console asks of the ledger.
type recorder struct {
	*faulty
	asked []model.Command
}

func (w *recorder) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	w.asked = append(w.asked, e.Command)
	return w.faulty.Apply(ctx, e)
}

// randomRun is a console on which random keys are pressed while random things happen.
type randomRun struct {
	*world
	rng      *rand.Rand
	recorder *recorder
	items    []model.ItemID
	// meant is the handle that stood under the cursor on the frame that the last act was
	// begun on.
	meant string
	// due is what was meant with each command on its way, in the order of the outbox.
	due  []string
	seq  int
	acts int
}

// Rows show titles: those of the run begin with a name that is no other item's. A row of an agent
// shows that of its current work, and is about no item.
var (
	underCursor = regexp.MustCompile(`>\S [^┃│\n]*?(item-\d+)\b`)
	named       = regexp.MustCompile(`item-\d+`)
)

// shownCursor is the item under the cursor as the operator sees it.
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

// Whatever happens meanwhile, an act is about the item that stood under the cursor on the
// frame that it was begun on: never about one that slid there.
func TestAnActIsAboutTheItemThatWasShown(t *testing.T) {
	acts := 0
	for range 25 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("seed %d", seed)
			synctest.Test(t, func(t *testing.T) { acts += live(t, seed) })
		})
	}
	if acts < 100 {
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

// happen is something that agents do.
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
	if err == nil && c.Name() == "CreateWorkItem" {
		x.items = append(x.items, r.WorkItemID)
	}
}

func (x *randomRun) ownerOf(c model.Command) model.AgentID {
	if c.Name() == "CreateWorkItem" {
		return x.acting
	}
	return ""
}

// key presses something, and notes what was meant when an act begins.
func (x *randomRun) key() {
	c := x.console.(console)
	switch c.layers.top().(type) {
	case nil:
	case unheard, frozen:
		x.strike("esc")
		return
	case *zeroRun: // what it is about stands at its top
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
		x.settleSome() // what happens between a frame and a key is not seen
		if meant == x.shownCursor() && x.console.(console).layers.top() == nil {
			x.meant = meant
			x.strike(k)
		}
		return
	}
	moves := []string{"j", "k", "home", "G", ".", "tab", "1", "2", "4", "esc", "R", ",", "}"}
	x.press(moves[x.rng.IntN(len(moves))])
}

// strike presses a key, and notes what was meant with the command that it sends.
func (x *randomRun) strike(key string) {
	x.press(key)
	for _, j := range x.console.(console).outbox.jobs {
		if j.seq > x.seq && j.envelope != nil {
			x.due = append(x.due, x.meant)
		}
		x.seq = max(x.seq, j.seq)
	}
}

// settleSome lets things happen that the next key does not know of.
func (x *randomRun) settleSome() {
	if x.rng.IntN(3) == 0 {
		x.happen()
	}
}

// judge holds what was asked of the ledger against what was meant.
func (x *randomRun) judge() {
	for _, c := range x.recorder.asked {
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
			x.t.Fatalf("%s is about %s, and %v was under the cursor:\n%s", c.Name(), name, x.due, ansi.Strip(x.console.View().Content))
		}
		x.due = x.due[1:]
	}
	x.recorder.asked = nil
}
