package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
)

// How long after its answer on one machine a change is on the screen of a console on another. The bound is for a quiet machine, so that
// only the long run has it.
func TestAChangeIsOnTheScreenOfAnotherMachine(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	bin, at := fleetPrograms(t), address(cluster, "team")
	a, b := newFleetHome(t, bin), newFleetHome(t, bin)
	a.must("fleet", "join", at, "--insecure", "--new")
	b.must("fleet", "join", at, "--insecure")
	l, err := store.Open(a.dir, store.Options{Cluster: etcd.Connect})
	must(t, err)
	defer l.Close()
	apply := func(key string, c model.Command) model.Receipt {
		r, err := l.Apply(ctx, model.Envelope{Key: key, Actor: model.Operator, Agent: "ann", Command: c})
		must(t, err)
		return r
	}
	id := apply("made", model.CreateWorkItem{Objective: "Nothing has changed yet"}).WorkItemID
	x := onTerminal(t, b.command("--agent", "ann"), 120, 36)
	x.showing("Nothing has changed yet")
	random := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	var took []time.Duration
	for n := range storetest.Amount(20, 200) {
		x.settle(time.Duration(100+random.IntN(500)) * time.Millisecond)
		words := fmt.Sprintf("Change %d is here", n)
		apply(fmt.Sprint("k", n), model.UpdateWorkItem{WorkItemID: id, Objective: new(model.Text(words))})
		acknowledged := time.Now()
		x.until(words, func(s string) bool { return strings.Contains(s, words) })
		took = append(took, time.Since(acknowledged))
	}
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d changes: on the screen p50 %v, p99 %v after the answer", len(took), p50, p99)
	if limit := storetest.Amount(5*time.Second, 50*time.Millisecond); p99 > limit {
		t.Errorf("the limit is %v", limit)
	}
}
