package action

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// Whichever way a search works, it finds the same as a check of each item.
func TestASearchFindsWhatALookAtEachItemFinds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	l, err := store.Create(storetest.MemoryDir(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for agent, n := range map[model.AgentID]int{"ann": 1500, "bob": 600, "cat": 20} {
		if _, err := l.Apply(t.Context(), model.Envelope{Key: string(agent), Actor: model.Operator, Agent: agent,
			Command: randomWork(rng, agent, n, now)}); err != nil {
			t.Fatal(err)
		}
	}
	terms := []string{"red", "Blue", `"red blue"`, "<green>", "-blue", "grün", "class:queued", "class:done", "-class:done", "class:needs,blocked",
		"class:current", "class:triggered", "age:<1d", "age:>1d", "agent:ann", "agent:cat", "-agent:ann", "has:report", "has:wait",
		"text:red", "-text:green"}
	var all []looked
	view(t, l, func(r model.Reader) { all = lookAtEach(r) })
	hits := 0
	for range 80 {
		var words []string
		for range rng.IntN(3) + 1 {
			words = append(words, terms[rng.IntN(len(terms))])
		}
		f := ParseFilter(strings.Join(words, " "), now)
		agent := []model.AgentID{"", "", "ann", "bob", "cat"}[rng.IntN(5)]
		s := NewSearch(f, agent)
		for !s.Done {
			view(t, l, s.Step)
		}
		var found []model.ItemID
		for _, row := range s.Found {
			found = append(found, row.ID)
		}
		var want []model.ItemID
		for _, x := range all {
			lacks := func(term filterTerm) bool { return f.holdsOf(term, x.item, x.waits, x.row) == term.not }
			if (agent == "" || agent == x.item.AgentID) && !slices.ContainsFunc(f.terms, lacks) {
				want = append(want, x.item.ID)
			}
		}
		if slices.Sort(found); s.Cut {
			want = slices.DeleteFunc(want, func(id model.ItemID) bool { return !slices.Contains(found, id) })
		}
		if !slices.Equal(found, want) || s.Cut && len(found) != MostFound {
			t.Errorf("%q of %q finds %d, and %d are there (cut: %v)", words, agent, len(found), len(want), s.Cut)
		}
		if !s.Cut && s.Looked != s.Total {
			t.Errorf("%q of %q looked at %d of %d", words, agent, s.Looked, s.Total)
		}
		hits += len(found)
	}
	if hits < 1000 {
		t.Errorf("only %d found: the test shows nothing", hits)
	}
}

func view(t *testing.T, l *store.Ledger, fn func(model.Reader)) {
	t.Helper()
	if err := l.View(t.Context(), func(r model.Reader) error { fn(r); return nil }); err != nil {
		t.Fatal(err)
	}
}

// looked is an item with the values that a filter needs.
type looked struct {
	item  model.WorkItem
	waits []model.Wait
	row   model.Row
}

func lookAtEach(r model.Reader) (all []looked) {
	for a := range model.AllAgents(r) {
		for _, c := range model.Classes {
			for _, row := range r.Rows(a.ID, c, nil, 10_000) {
				w, _ := r.Item(row.ID)
				all = append(all, looked{w, r.ItemWaits(a.ID, row.ID), row})
			}
		}
	}
	slices.SortFunc(all, func(a, b looked) int { return strings.Compare(string(a.item.ID), string(b.item.ID)) })
	return all
}

// randomWork is random work of an agent, in all classes, with one item in focus.
func randomWork(rng *rand.Rand, agent model.AgentID, n int, now time.Time) model.Import {
	words := []string{"red", "RED", "blue", "<green>", "Grün", "a quote \" in it", "to do", "later"}
	some := func(most int) model.Text {
		var out []string
		for range rng.IntN(most) {
			out = append(out, words[rng.IntN(len(words))])
		}
		return model.Text(strings.Join(out, " "))
	}
	in := model.Import{AgentID: agent}
	for i := range n {
		at := now.Add(-time.Duration(rng.IntN(72*60)) * time.Minute)
		w := model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%s-%04d", agent, i)), Objective: "do " + some(4), State: model.Open,
			PlanStatus: model.Draft, CreatedAt: at.Add(-time.Hour), UpdatedAt: at}
		switch rng.IntN(6) {
		case 0, 1:
			w.State, w.ResultSummary = model.Completed, some(3)
		case 2:
			w.BlockedBy = "for " + some(3)
		case 3:
			wait := model.Wait{ID: model.WaitID(fmt.Sprintf("wt-%s-%04d", agent, i)), AgentID: agent, WorkItemID: w.ID, Status: model.WaitActive,
				Kind: model.WaitOperator, Reason: "an answer", Ask: model.Ask{Question: "why " + some(3) + model.Text(strings.Repeat("?", rng.IntN(300))) +
					some(2)}, CreatedAt: at, UpdatedAt: at}
			w.BlockedBy, in.Waits = "an answer", append(in.Waits, wait)
		case 4:
			in.Focus = w.ID
		}
		in.Items = append(in.Items, model.Imported{Item: w})
	}
	return in
}
