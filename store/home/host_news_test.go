package home

import (
	"slices"
	"testing"

	"vise/model"
	"vise/store/storetest"
)

// TestNewsOfSeveralHomes: what is new in each home is reported once, in the home's own order, whatever the other homes
// did.
func TestNewsOfSeveralHomes(t *testing.T) {
	storetest.Slow(t)
	there := newAway(t)
	there.do("ann", model.CreateWorkItem{Objective: "Before"})
	w := following(t, there.host("build"))
	there.same(w, "build")
	var news model.News
	read := func(fn func(model.Reader)) {
		t.Helper()
		if err := w.View(t.Context(), func(r model.Reader) error { fn(r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	begin := map[model.AgentID]model.Position{"bob": {}}
	read(func(r model.Reader) {
		news = model.NewsFrom(r, "")
		begin["ann@build"] = r.HistoryBefore("ann@build", model.Position{}, 1)[0].Position()
	})
	for range 3 {
		there.do("ann", model.CreateWorkItem{Objective: "There"})
		there.same(w, "build") // a change of a host changes the console's revision, but not the home's
		if _, err := w.Apply(t.Context(), model.Envelope{Key: NewKey(), Actor: model.Operator, Agent: "bob",
			Command: model.CreateWorkItem{Objective: "Here"}}); err != nil {
			t.Fatal(err)
		}
	}
	got := map[model.AgentID][]model.Position{}
	read(func(r model.Reader) {
		var list []model.Entry
		for all := false; !all; {
			list, news, all = news.Next(r, 1)
			for _, e := range list {
				got[e.AgentID] = append(got[e.AgentID], e.Position())
			}
		}
		for agent, at := range begin {
			var want []model.Position
			for _, e := range r.History(agent, at, 100) {
				want = append(want, e.Position())
			}
			if len(want) < 3 || !slices.Equal(got[agent], want) {
				t.Errorf("%s: news at %v, the history has %v", agent, got[agent], want)
			}
		}
	})
}

// TestFinishedRepliesOfAHostAreKnown as they come, about the item that its agent works on.
func TestFinishedRepliesOfAHostAreKnown(t *testing.T) {
	there := newAway(t)
	id := there.do("ann", model.CreateWorkItem{Objective: "Fix login"}).WorkItemID
	there.do("ann", model.PickWorkItem{WorkItemID: id})
	there.do("ann", model.ClaimTurn{AgentID: "ann", Holder: "drive"})
	w := following(t, there.host("build"))
	for i, said := range []model.Text{"I split the limiter.", "Then the tests."} {
		there.do("ann", model.Round{Turn: 1, Text: said})
		w.until(t, "the reply", func(r model.Reader) bool {
			tr, _ := r.Trace("ann@build", id+"@build")
			return len(tr.Entries) == i+1 && tr.Entries[i].Text == said
		})
	}
}
