package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"vise/model"
)

// faulty is a ledger that a test can make fail.
type faulty struct {
	Ledger
	mu         sync.Mutex // protects err and conditions
	err        error
	conditions []model.Condition
}

func (f *faulty) degrade(x model.Condition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conditions = append(f.conditions, x)
}

func (f *faulty) Conditions(context.Context) []model.Condition {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.conditions)
}

func (f *faulty) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *faulty) failing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *faulty) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	if err := f.failing(); err != nil {
		return model.Receipt{}, err
	}
	return f.Ledger.Apply(ctx, e)
}

func (f *faulty) View(ctx context.Context, fn func(model.Reader) error) error {
	if err := f.failing(); err != nil {
		return err
	}
	return f.Ledger.View(ctx, fn)
}

// fakePlans keep plan files in a map.
type fakePlans struct {
	mu    sync.Mutex // protects plans, texts and bad
	plans map[model.ItemID]string
	// texts are the earlier texts of plans, by hash.
	texts map[string]model.Text
	bad   map[model.ItemID]PlanText
	news  chan News
}

func (e *fakePlans) CreateReport(model.AgentID, model.ItemID, string, string) (bool, error) {
	return true, nil
}

func (e *fakePlans) CreateAhead(model.AgentID, model.ItemID, string) bool { return false }

func (e *fakePlans) RemovePlan(model.AgentID, model.ItemID, string) {}

func (e *fakePlans) CreatePlan(_ model.AgentID, id model.ItemID, seed string) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set(id, seed)
	return true, nil
}

func (e *fakePlans) set(id model.ItemID, raw string) {
	e.plans[id] = raw
	e.texts[model.NewPlanArtifact("", id, []byte(raw), time.Time{}).Hash] = model.Text(raw)
}

func (e *fakePlans) Plan(_ context.Context, agent model.AgentID, id model.ItemID) PlanText {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p, ok := e.bad[id]; ok {
		return p
	}
	raw := e.plans[id]
	a := model.NewPlanArtifact(agent, id, []byte(raw), time.Now())
	a.Path = "/home/op/agents/" + string(agent) + "/" + a.RelativePath
	return PlanText{Artifact: a, Text: model.Text(raw)}
}

func (e *fakePlans) Watch(model.AgentID, []model.ItemID) {}

func (e *fakePlans) Next(ctx context.Context) (News, error) {
	select {
	case <-ctx.Done():
		return News{}, ctx.Err()
	case n := <-e.news:
		return n, nil
	}
}

// put changes a plan file without the console.
func (e *fakePlans) put(id model.ItemID, raw string) {
	e.mu.Lock()
	e.set(id, raw)
	delete(e.bad, id)
	e.mu.Unlock()
	e.news <- News{Items: []model.ItemID{id}}
}

// spoil makes a plan file unreadable.
func (e *fakePlans) spoil(id model.ItemID, p PlanText) {
	e.mu.Lock()
	if e.bad == nil {
		e.bad = map[model.ItemID]PlanText{}
	}
	e.bad[id] = p
	e.mu.Unlock()
	e.news <- News{Items: []model.ItemID{id}}
}

type fakeDrafts struct {
	mu   sync.Mutex // protects kept
	kept map[string]string
}

func (d *fakeDrafts) Load(context.Context) (map[string]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for k, v := range d.kept {
		out[k] = v
	}
	return out, nil
}

func (d *fakeDrafts) Save(_ context.Context, key, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text == "" {
		delete(d.kept, key)
		return nil
	}
	d.kept[key] = text
	return nil
}

// fakeSeen keeps plans as the operator saw them.
type fakeSeen struct {
	mu   sync.Mutex // protects kept
	kept map[model.ItemID]model.Text
}

func (f *fakeSeen) Seen(_ context.Context, id model.ItemID) (model.Text, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, ok := f.kept[id]
	return text, ok
}

func (f *fakeSeen) Keep(_ context.Context, id model.ItemID, text model.Text) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept[id] = text
	return nil
}
