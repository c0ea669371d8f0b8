package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// A power cut takes any part of the writes that no sync has confirmed. Every change that was acknowledged before is
// there, whole (P1). With a disk that ignores syncs the judge must see the loss.
func TestAPowerCutTakesNothingThatWasAcknowledged(t *testing.T) {
	storetest.Slow(t)
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	l, err := store.Create(dir, store.Options{})
	must(err)
	x := NewLife(3)
	x.Attach(l)
	x.Live(t, l, 60)
	must(l.Close())
	p, first, states := record(t, dir)
	wrong := func(dir string, acknowledged int) string {
		return wrongAfterCut(dir, states, first+uint64(acknowledged))
	}
	t.Run("syncs are heard", func(t *testing.T) { p.Cuts(t, storetest.Amount(150, 10_000), false, wrong) })
	t.Run("syncs are ignored", func(t *testing.T) {
		images := storetest.Amount(60, 600)
		if bad := p.Cuts(t, images, true, wrong); bad*10 < images*9 {
			t.Errorf("only %d of %d images are seen to be wrong", bad, images)
		}
	})
}

// record carries out 30 changes and records their operations on the disk; states is what a reader saw at each revision,
// the first one first.
func record(t *testing.T, dir string) (p *storetest.Power, first uint64, states map[string]uint64) {
	t.Helper()
	p, states = storetest.NewPower(dir), map[string]uint64{}
	l, err := store.Open(dir, store.Options{Machine: p.Machine()})
	must(err)
	defer l.Close()
	must(l.View(ctx, func(r model.Reader) error { first = r.Revision(); return nil }))
	state, err := everything(dir)
	must(err)
	states[state] = first
	p.Begin()
	for i := range 30 {
		e := objective(fmt.Sprint("power ", i))
		if i%5 == 0 {
			e.Command = model.CreateWorkItem{Objective: "long", Plan: model.Text(strings.Repeat("plan ", 3000))}
		}
		r, err := l.Apply(ctx, e)
		must(err)
		p.Acknowledged()
		state, err := everything(dir)
		must(err)
		states[state] = r.Revision
	}
	return p, first, states
}

// wrongAfterCut returns what a home has lost that had acknowledged a revision.
func wrongAfterCut(dir string, states map[string]uint64, acknowledged uint64) string {
	state, err := everything(dir)
	if err != nil {
		return err.Error()
	}
	revision, known := states[state]
	if !known {
		return "the state is none that ever was"
	}
	if revision < acknowledged {
		return fmt.Sprintf("revision %d is left of %d acknowledged", revision, acknowledged)
	}
	l, err := store.Open(dir, store.Options{Machine: started("after the cut")})
	if err != nil {
		return err.Error()
	}
	defer l.Close()
	must(l.View(ctx, func(model.Reader) error { return nil }))
	if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) > 0 || h.Changes != revision {
		return fmt.Sprintf("its copy is not whole: %+v %v", h, err)
	}
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		return fmt.Sprintf("%q %v", h.Problems, err)
	}
	return ""
}
