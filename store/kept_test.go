package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vise/model"
)

// Commands of one transaction leave what they decoded to the next. Whatever comes between,
// refused commands, retries, writes by others, what is left is what the pages say, and the
// transaction writes the bytes that it writes when nothing is left.
func TestWhatACommandLeavesIsWhatThePagesSay(t *testing.T) {
	l, err := Create(t.TempDir()+"/home", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.plans = nil
	rapid.Check(t, func(r *rapid.T) {
		acts := []act{{Agent: "ada"}, {Agent: "bob"}, {Agent: "cy"}, {Agent: "ada"}}
		acts = append(acts, rapid.SliceOfN(rapid.Custom(drawAct), 1, 30).Draw(r, "acts")...)
		shared, refusals := inOneTransaction(r, l, acts, true)
		alone, alike := inOneTransaction(r, l, acts, false)
		if refusals != alike || !bytes.Equal(shared, alone) {
			r.Fatalf("with what is left: %s\n%s\nwithout: %s\n%s", refusals, shared, alike, alone)
		}
	})
}

// act is a command by an agent, on the item of its nth create; or else somebody writes.
type act struct {
	Agent       model.AgentID
	What, Which int
}

func drawAct(r *rapid.T) act {
	return act{rapid.SampledFrom([]model.AgentID{"ada", "bob", "cy"}).Draw(r, "agent"),
		rapid.IntRange(0, 9).Draw(r, "what"), rapid.IntRange(0, 3).Draw(r, "which")}
}

func (a act) command(items []model.ItemID) model.Command {
	id := model.ItemID("wi-none")
	if a.Which < len(items) {
		id = items[a.Which]
	}
	switch a.What {
	case 0, 1, 2:
		return model.CreateWorkItem{Objective: "an objective <with & marks>"}
	case 3, 4:
		return model.PickWorkItem{WorkItemID: id}
	case 5:
		return model.CompleteWorkItem{WorkItemID: id}
	case 6:
		return model.WaitFor{WorkItemID: id, Wake: model.WakeExternal, Resource: "ci", Reason: "ci"}
	case 7:
		return model.ClaimTurn{AgentID: a.Agent, Holder: "a driver", TTLMS: 60_000}
	}
	return model.Say{AgentID: a.Agent, Text: "hello"}
}

var errThrownAway = errors.New("thrown away")

// inOneTransaction carries the acts out, throws the transaction away, and tells what lay in
// it and what was refused.
func inOneTransaction(r *rapid.T, l *Ledger, acts []act, share bool) (pages []byte, refusals string) {
	err := l.update(context.Background(), func(tx Txn) error {
		t := tx.(*boltTxn)
		items := map[model.AgentID][]model.ItemID{}
		for i, a := range acts {
			if !share {
				t.kept = nil
			}
			if a.What == 9 {
				somebodyWrites(t)
				continue
			}
			key := i
			if a.Which == 3 && i > 0 {
				key-- // a key that may have answered
			}
			e := model.Envelope{Key: fmt.Sprint("k", key), Actor: model.AgentActor(a.Agent), Command: a.command(items[a.Agent])}
			fp, _ := fingerprint(e)
			at := model.Stamp{At: time.Unix(int64(1e9+i), 5).UTC(), NewID: fmt.Sprintf("%026d", i), Actor: e.Actor}
			before := t.session.writes
			receipt, err := l.judge(t, at, e, fp)
			if err != nil {
				refusals += fmt.Sprintln(i, err)
				if t.session.writes > before {
					r.Fatalf("refused after a write: %v", err)
				}
			} else if a.What < 3 {
				items[a.Agent] = append(items[a.Agent], receipt.WorkItemID)
			}
			agrees(r, t)
		}
		for _, from := range [][]byte{[]byte("a"), appendedTable} {
			t.Scan(Range{From: from}, func(key, value []byte) bool {
				pages = fmt.Appendf(pages, "%q %q\n", key, value)
				return true
			})
		}
		return errThrownAway
	})
	if !errors.Is(err, errThrownAway) {
		r.Fatal(err)
	}
	return pages, refusals
}

// somebodyWrites moves a head, counts and an agent behind the commands' backs.
func somebodyWrites(t Txn) {
	f := newFacts(t)
	c := f.countsOf("ada")
	c["moved"]++
	f.putJSON(countKey("ada"), c)
	if a, ok := f.Agent("ada"); ok {
		a.TurnIndex++
		f.putRecord(a)
	}
	h := f.head()
	h.KeptSince = h.KeptSince.Add(time.Second)
	f.putHead(h)
}

func agrees(r *rapid.T, t *boltTxn) {
	if t.kept == nil || t.keptAt != t.session.writes {
		return
	}
	f := newFacts(t)
	if t.kept.head != nil && *t.kept.head != f.head() {
		r.Fatalf("head %+v, and the page says %+v", *t.kept.head, f.head())
	}
	for id, h := range t.kept.heads {
		if h != f.agentHead(id) {
			r.Fatalf("head of %s %+v, and the page says %+v", id, h, f.agentHead(id))
		}
	}
	for id, c := range t.kept.counts {
		if !reflect.DeepEqual(c, f.countsOf(id)) {
			r.Fatalf("counts of %s %v, and the page says %v", id, c, f.countsOf(id))
		}
	}
	for id, a := range t.kept.agents {
		if said, _ := f.Agent(id); !reflect.DeepEqual(a, said) {
			r.Fatalf("agent %+v, and the page says %+v", a, said)
		}
	}
	if f.err != nil {
		r.Fatal(f.err)
	}
}
