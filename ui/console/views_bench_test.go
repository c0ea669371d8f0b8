package console

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// Reading the fleet costs what it shows and a few counters of each agent: a hundred times the items do not make it
// slower.
func BenchmarkFleetLook(b *testing.B) { benchmarkLook(b, viewFleet) }

// The reports read a window.
func BenchmarkReportsLook(b *testing.B) { benchmarkLook(b, viewReports) }

// The desk, to compare with.
func BenchmarkDeskLook(b *testing.B) { benchmarkLook(b, viewDesk) }

// A key in the fleet of a thousand agents, with an unchanged ledger: the reads for the 32 agents that are shown, and
// their frame.
func BenchmarkFleetKey(b *testing.B) {
	benchmarkFleetKey(b, busyFleet(b, 60), want{agent: "agent-0001", view: viewFleet, body: 32, rows: 32})
}

func benchmarkFleetKey(b *testing.B, l *store.Ledger, w want) {
	wd := newWorld(b, 120, 36, nil)
	b.Cleanup(wd.stop)
	c := wd.console.(console).Primed()
	c.place.view = viewFleet
	t := truth{at: time.Now()}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		w.named = w.named[:0]
		for i := range 32 {
			w.named = append(w.named, model.AgentID(fmt.Sprintf("agent-%04d", n%(busyAgents-32)+i)))
		}
		if err := l.View(b.Context(), func(r model.Reader) error {
			t = readTruth(r, w, t.at.Add(time.Millisecond), t)
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		c.now, c.truth = time.Now(), t
		c.adoptElsewhere(false)
		c.View()
	}
}

// busyAgents is how many of a busy fleet's thousand agents did something.
const busyAgents = 50

// busyFleet is a ledger of a thousand agents; some of them made an event in each of the last minutes.
func busyFleet(b *testing.B, events int) *store.Ledger {
	l := fleetOf(b, 1000, 1)
	defer func() { l.Now = time.Now }()
	begin := time.Now().Add(-time.Duration(events) * time.Minute)
	for e := range events {
		l.Now = func() time.Time { return begin.Add(time.Duration(e) * time.Minute) }
		for a := range busyAgents {
			id := model.AgentID(fmt.Sprintf("agent-%04d", a))
			status := []model.PlanStatus{model.Ready, model.Draft}[e%2]
			if _, err := l.Apply(b.Context(), model.Envelope{Key: fmt.Sprintf("%d/%d", a, e), Actor: model.AgentActor(id),
				Command: model.UpdateWorkItem{WorkItemID: model.ItemID(fmt.Sprintf("wi-%04d-0000", a)), PlanStatus: &status}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return l
}

func benchmarkLook(b *testing.B, v view) {
	for _, size := range []struct{ agents, items int }{{10, 100}, {1000, 1}, {1000, 100}} {
		b.Run(fmt.Sprintf("agents=%d/items=%d", size.agents, size.agents*size.items), func(b *testing.B) {
			l := fleetOf(b, size.agents, size.items)
			w := want{agent: "agent-0001", view: v, body: 32, rows: 32, finished: finishedPage}
			b.ReportAllocs()
			for b.Loop() {
				if err := l.View(b.Context(), func(r model.Reader) error {
					readTruth(r, w, time.Now(), truth{})
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// If only the cursor moved, a kept read equals a whole one.
func TestAReadingKeepsWhatTheCursorDoesNotChange(t *testing.T) {
	l, now := fleetOf(t, 2, 100), time.Now()
	read := func(w want, before truth) (out truth) {
		if err := l.View(t.Context(), func(r model.Reader) error {
			out = readTruth(r, w, now, before)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	w := want{agent: "agent-0001", item: "wi-0001-0000", rows: 2}
	kept := read(w, truth{})
	for i := range 100 {
		w.item = model.ItemID(fmt.Sprintf("wi-0001-%04d", i))
		kept = read(w, kept)
		if whole := read(w, truth{}); !reflect.DeepEqual(kept, whole) {
			t.Fatalf("%s: kept\n%+v\nwhole\n%+v", w.item, kept, whole)
		}
	}
	for _, other := range []want{
		{agent: "agent-0000", item: w.item, rows: 2}, {agent: w.agent, item: w.item, rows: 9}, {agent: w.agent, item: w.item, view: viewFleet},
	} {
		if kept.standsFor(other, kept.revision, now) {
			t.Errorf("a reading stands for another desk or view: %+v", other)
		}
	}
	if kept.standsFor(w, kept.revision+1, now) || kept.standsFor(w, kept.revision, now.Add(staleAfter)) {
		t.Error("a reading stands for another revision, or for ever")
	}
}

// While others work, the kept read of the fleet equals a whole one.
func TestTheFleetReadAgainIsTheFleetRead(t *testing.T) {
	l, now := fleetOf(t, 13, 21), time.Now()
	read := func(w want, before truth) (out truth) {
		if err := l.View(t.Context(), func(r model.Reader) error {
			out = readTruth(r, w, now, before)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	w := want{agent: "agent-0001", view: viewFleet, body: 4, named: []model.AgentID{"agent-0001", "agent-0002"}}
	kept := read(w, truth{})
	status := model.NeedsInput
	for i, e := range []model.Envelope{
		{}, {Agent: "agent-0003", Command: model.CompleteWorkItem{WorkItemID: "wi-0003-0001"}},
		{Agent: "agent-0004", Command: model.PickWorkItem{WorkItemID: "wi-0004-0001"}},
		{Agent: "agent-0011", Command: model.UpdateWorkItem{WorkItemID: "wi-0011-0001", PlanStatus: &status}},
		{Command: model.AddAgent{AgentID: "new"}}, {Agent: "agent-0000", Command: model.Acknowledge{WorkItemID: "wi-0000-0005"}},
		{Agent: "agent-0001", Command: model.UpdateWorkItem{WorkItemID: "wi-0001-0002", BlockedBy: model.SetTo("ops")}},
		{Agent: "agent-0002", Command: model.WaitFor{WorkItemID: "wi-0002-0001", Wake: model.WakeOperatorInput, Reason: "Which?"}},
		{Agent: "agent-0005", Command: model.CreateWorkItem{Objective: "One more"}},
	} {
		e.Key, e.Actor = fmt.Sprint("again", i), model.Operator
		if e.Command != nil {
			if _, err := l.Apply(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		for move := range 3 { // of the cursor, with the ledger as it is
			w.named = []model.AgentID{model.AgentID(fmt.Sprintf("agent-%04d", i)), model.AgentID(fmt.Sprintf("agent-%04d", i+move))}
			w.agent = w.named[1]
			kept = read(w, kept)
			if whole := read(w, truth{}); !reflect.DeepEqual(kept, whole) {
				t.Fatalf("after %T: kept\n%+v\nwhole\n%+v", e.Command, kept.fleet, whole.fleet)
			}
		}
	}
}

// A move of the cursor in the fleet reads the last event of the agents that come on screen, and of no others.
func TestAMoveInTheFleetReadsTheRowsThatItBringsOnScreen(t *testing.T) {
	l := fleetOf(t, 13, 21)
	kept, asked := truth{}, []model.AgentID{}
	for _, x := range []struct{ named, asked []model.AgentID }{
		{[]model.AgentID{"agent-0007", "agent-0008", "agent-0007"}, nil},
		{[]model.AgentID{"agent-0007", "agent-0008", "agent-0008"}, []model.AgentID{}},
		{[]model.AgentID{"agent-0008", "agent-0009", "agent-0009"}, []model.AgentID{"agent-0009"}},
	} {
		asked = asked[:0]
		if err := l.View(t.Context(), func(r model.Reader) error {
			w := want{agent: x.named[2], view: viewFleet, body: 2, named: x.named}
			kept = readTruth(historyOf{r, func(a model.AgentID) { asked = append(asked, a) }}, w, time.Now(), kept)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(asked)
		if asked = slices.Compact(asked); x.asked != nil && !slices.Equal(asked, x.asked) {
			t.Errorf("for %q it read the history of %q", x.named, asked)
		}
	}
}

// historyOf says whose history is read.
type historyOf struct {
	model.Reader
	asked func(model.AgentID)
}

func (r historyOf) HistoryBefore(a model.AgentID, before model.Position, limit int) []model.Entry {
	r.asked(a)
	return r.Reader.HistoryBefore(a, before, limit)
}

var fleets = map[string]*store.Ledger{}

// fleetOf is a ledger of so many agents with so many items each: a tenth ask, a tenth are completed, half of those
// without a report.
func fleetOf(b testing.TB, agents, items int) *store.Ledger {
	name := fmt.Sprint(agents, items)
	if l, ok := fleets[name]; ok {
		return l
	}
	plans := &fakePlans{plans: map[model.ItemID]string{}, texts: map[string]model.Text{}}
	l := store.NewMem(plans)
	now := time.Now()
	for a := range agents {
		in := model.Import{AgentID: model.AgentID(fmt.Sprintf("agent-%04d", a))}
		for i := range items {
			w := model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%04d-%04d", a, i)), Objective: "Measure the fleet", State: model.Open, PlanStatus: model.Draft,
				CreatedAt: now.Add(-time.Hour), UpdatedAt: now.Add(-time.Duration(i) * time.Minute)}
			switch {
			case i%20 == 3:
				w.State = model.Completed
			case i%20 == 4:
				w.State, w.ResultSummary = model.Completed, "It is measured."
			case i%10 == 5 && a%10 == 0:
				w.PlanStatus = model.NeedsInput
			}
			in.Items = append(in.Items, model.Imported{Item: w})
		}
		if _, err := l.Apply(context.Background(), model.Envelope{Key: name + string(in.AgentID), Actor: model.Operator, Command: in}); err != nil {
			b.Fatal(err)
		}
	}
	fleets[name] = l
	return l
}
