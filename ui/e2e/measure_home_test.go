package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// shape is the size of a home.
type shape struct{ items, agents int }

func (s shape) String() string { return fmt.Sprintf("%s/%d", short(s.items), s.agents) }

func short(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1_000 && n%1_000 == 0:
		return fmt.Sprintf("%dk", n/1_000)
	}
	return fmt.Sprint(n)
}

// home is a filled home.
type measuredHome struct {
	shape
	dir string
}

func agentName(i int) model.AgentID { return model.AgentID(fmt.Sprintf("agent-%04d", i)) }

// small is the most items of a home that is filled anew for each part of the measurement: a part adds much to it, and
// filling takes less than a second.
const small = 10_000

// untouched returns the home of a shape as it was filled; a large one nearly so.
func (b *bench) untouched(s shape) *measuredHome {
	b.Helper()
	if h := b.homes[s]; h != nil && s.items <= small {
		delete(b.homes, s)
		b.must(os.RemoveAll(h.dir + filled))
	}
	h := b.home(s)
	b.must(os.RemoveAll(filepath.Join(h.dir, "state"))) // the state of the last console
	return h
}

// filled ends the name of the file that marks a home as complete.
const filled = ".filled"

// home returns the home of a shape. It is made once.
func (b *bench) home(s shape) *measuredHome {
	b.Helper()
	if h := b.homes[s]; h != nil {
		return h
	}
	if b.homes == nil {
		b.homes = map[shape]*measuredHome{}
	}
	at := *cache
	if at == "" {
		at = b.dir
	}
	h := &measuredHome{s, filepath.Join(at, "home-"+strings.ReplaceAll(s.String(), "/", "-"))}
	b.homes[s] = h
	done := h.dir + filled
	if _, err := os.Stat(done); err == nil && s.items > small {
		return h
	}
	began := time.Now()
	b.must(os.RemoveAll(h.dir))
	l, err := store.Create(h.dir, store.Options{})
	b.must(err)
	defer l.Close()
	for i := range s.agents {
		b.fill(l, agentName(i), s.items/s.agents, i)
	}
	b.must(os.WriteFile(done, nil, 0o600))
	b.Logf("filled %v in %v", s, time.Since(began).Round(time.Second))
	return h
}

// atOnce is the number of items in one command of the filling.
const measuredAtOnce = 500

// fill gives an agent items: half are completed, a tenth needs input, a tenth is blocked with a recheck far ahead, a
// twentieth waits for a timer, for an answer or for CI.
func (b *bench) fill(l *store.Ledger, agent model.AgentID, n, seed int) {
	b.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for first := 0; first < n; first += measuredAtOnce {
		in := model.Import{AgentID: agent}
		for i := first; i < min(first+measuredAtOnce, n); i++ {
			at := start.Add(time.Duration(i) * time.Second)
			w := measuredItem(fmt.Sprintf("wi-%04d-%08d", seed, i), i, at)
			in.Items = append(in.Items, model.Imported{Item: w})
			if x, ok := wait(w, i, at); ok {
				in.Waits = append(in.Waits, x)
			}
		}
		if first+measuredAtOnce >= n {
			in.Focus = in.Items[1].Item.ID
		}
		e := model.Envelope{Key: fmt.Sprintf("fill-%s-%d", agent, first), Actor: model.Operator, Agent: agent, Command: in}
		_, err := l.Apply(context.Background(), e)
		b.must(err)
	}
}

func measuredItem(id string, i int, at time.Time) model.WorkItem {
	w := model.WorkItem{
		ID: model.ItemID(id), State: model.Open, PlanStatus: model.Ready, Revision: 3, CreatedAt: at, UpdatedAt: at,
		Objective: model.Text(fmt.Sprintf("Split part %d of the gateway into a service of its own: %s", i, strings.Repeat("with its tests, ", 6))),
		TodoList: []model.Todo{
			{Text: "Read the code that is there", State: model.TodoCompleted}, {Text: "Write a test that fails", State: model.TodoInProgress},
			{Text: "Make it pass", State: model.TodoPending}, {Text: "Say what changed", State: model.TodoPending},
		},
	}
	switch {
	case i%2 == 0:
		w.State, w.ResultSummary = model.Completed, "It is split, its tests pass, and nothing else changed."
	case i%20 == 3 || i%20 == 13:
		w.PlanStatus = model.NeedsInput
	case i%20 == 7 || i%20 == 17:
		w.BlockedBy, w.RecheckAt = "waiting for the review of the interface", at.AddDate(50, 0, 0)
	}
	return w
}

func wait(w model.WorkItem, i int, at time.Time) (model.Wait, bool) {
	if i%20 != 19 {
		return model.Wait{}, false
	}
	x := model.Wait{ID: model.WaitID("wc-" + strings.TrimPrefix(string(w.ID), "wi-")), WorkItemID: w.ID, Status: model.WaitActive,
		Reason: "it goes on when that is known", CreatedAt: at, UpdatedAt: at}
	switch i / 20 % 3 {
	case 0:
		x.Kind, x.WakeAt = model.WaitTimer, at.AddDate(50, 0, 0)
	case 1:
		x.Kind, x.Ask.Question = model.WaitOperator, "Which of the two interfaces?"
	case 2:
		x.Kind, x.Source, x.Resource = model.WaitExternal, "ci", model.Text(fmt.Sprintf("run/%d", i))
	}
	return x, true
}

// open opens a home's ledger as a program does.
func (b *bench) open(h *measuredHome) *store.Ledger {
	b.Helper()
	l, err := store.Open(h.dir, store.Options{Plans: h.files(b)})
	b.must(err)
	b.Cleanup(func() { l.Close() })
	return l
}

// files returns the plan files of a home.
func (h *measuredHome) files(b *bench) files.Home {
	b.Helper()
	at, err := files.NewHome(h.dir)
	b.must(err)
	return at
}
