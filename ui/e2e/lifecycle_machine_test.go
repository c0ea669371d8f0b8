package e2e

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// Random sequences of commands on a real ledger agree with a simple model of the lifecycle (lifecycle_test.go), one
// command after the other: one focus; a completion is final; whatever makes an item wait releases its focus; no trigger
// clears a blocker; nothing switches the focus unasked. Package model checks its rules with more random sequences.
func TestEverySequenceLeadsALedgerWhereTheLifecycleSays(t *testing.T) {
	storetest.Slow(t)
	dir := t.TempDir()
	n := 0
	for _, c := range []struct {
		name   string
		checks int
		open   func() (*store.Ledger, error)
	}{
		{"in memory", storetest.Amount(300, 10_000), func() (*store.Ledger, error) { return store.NewMem(nil), nil }},
		{"on bbolt", storetest.Amount(20, 1000), func() (*store.Ledger, error) {
			n++
			return store.Create(filepath.Join(dir, fmt.Sprint(n)), store.Options{})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			must(t, flag.Set("rapid.checks", fmt.Sprint(c.checks)))
			rapid.Check(t, func(t *rapid.T) {
				l, err := c.open()
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				x := &machine{t: t, frontend: &hand{ledger: l}, items: map[string]item{}, focus: map[string]pointer{}}
				for i := range rapid.IntRange(1, 30).Draw(t, "calls") {
					x.act(i)
				}
			})
		})
	}
}

// machine is a ledger and the expected state.
type machine struct {
	t        *rapid.T
	frontend *hand
	ids      []string
	items    map[string]item
	focus    map[string]pointer
}

func (x *machine) act(i int) {
	agent := rapid.SampledFrom(someAgents[:2]).Draw(x.t, "agent")
	c := call{agent: agent, kind: create, text: fmt.Sprint("text ", i)}
	if len(x.ids) > 0 {
		c.kind = rapid.SampledFrom(append(kinds, create)).Draw(x.t, "kind")
	}
	if c.kind != create {
		id := rapid.SampledFrom(x.ids).Draw(x.t, "item")
		c.agent, c.item, _ = strings.Cut(id, " ")
	}
	if c.kind == plan {
		c.text = rapid.SampledFrom([]string{string(model.Ready), string(model.NeedsInput)}).Draw(x.t, "status")
	}
	a, _ := x.frontend.do(c, fmt.Sprint("k", i), 0)
	if c.kind == create {
		c.item = x.frontend.made
		x.ids = append(x.ids, c.agent+" "+c.item)
	}
	x.follow(c, a)
	x.follow(call{kind: look, agent: c.agent, item: c.item}, x.frontend.look(c))
}

// follow makes the step in the model and expects that the answer is possible there.
func (x *machine) follow(c call, a answer) {
	ok, next := x.items[c.item].step(c, a)
	still, to := x.focus[c.agent].step(c, a)
	if !ok || !still {
		x.t.Fatalf("%+v was answered %+v; the item should be %+v, the focus %q", c, a, x.items[c.item], x.focus[c.agent])
	}
	x.items[c.item], x.focus[c.agent] = next, to
}
