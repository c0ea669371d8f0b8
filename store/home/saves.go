package home

import (
	"context"
	"sync"
	"time"

	"vise/model"
	"vise/store/lock"
)

// keeper stores the texts of plan saves, one after the other, in the background. No caller that saves or acts waits for it.
type keeper struct {
	mu      sync.Mutex // protects the fields below
	waiting []savedText
	bytes   int
	working bool
	idle    sync.WaitGroup
}

type savedText struct {
	agent model.AgentID
	item  model.ItemID
	hash  string
	raw   []byte
}

// mostWaiting bounds the texts that wait to be stored, in bytes. If saves come faster, the oldest waiting text is dropped.
const mostWaiting = 32 << 20

// keep queues a text to be stored.
func (h *Home) keep(s savedText) {
	k := &h.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting, k.bytes = append(k.waiting, s), k.bytes+len(s.raw)
	for k.bytes > mostWaiting && len(k.waiting) > 1 {
		k.next()
	}
	if !k.working {
		k.working = true
		k.idle.Go(h.keepWaiting)
	}
}

// next removes the text that has waited longest and returns it.
func (k *keeper) next() savedText {
	s := k.waiting[0]
	k.waiting, k.bytes = k.waiting[1:], k.bytes-len(s.raw)
	return s
}

func (h *Home) keepWaiting() {
	k := &h.keeper
	for {
		k.mu.Lock()
		if len(k.waiting) == 0 {
			k.waiting, k.working = nil, false
			k.mu.Unlock()
			return
		}
		s := k.next()
		k.mu.Unlock()
		if h.files.KeepSave(s.agent, s.item, s.hash, s.raw) == nil { // a save that was not stored is shown as not kept
			h.thin(s.agent, s.item)
		}
	}
}

// thin removes the saves of an item's plan beyond the limit. It lists the files before it reads the journal, so that the journal already
// has an event for each listed file.
func (h *Home) thin(agent model.AgentID, item model.ItemID) {
	sizes := h.files.Saves(agent, item)
	if model.SavesFit(sizes) {
		return
	}
	saves, err := h.saves(lock.WithLimit(context.Background(), thinLimit), item)
	if err == nil {
		h.files.DropSaves(agent, item, model.SurplusSaves(saves, sizes))
	}
}

// thinLimit is how long thinning waits for the ledger. A later save thins again.
const thinLimit = time.Second

// savesRead bounds how many of an item's events are searched for saves.
const savesRead = 10_000

func (h *Home) saves(ctx context.Context, item model.ItemID) (saves []model.PlanSave, err error) {
	err = h.Ledger.View(ctx, func(r model.Reader) error {
		w, ok := r.Item(item)
		if !ok {
			return model.NotFound("no work item %s", model.Text(item)).At("work_item_id")
		}
		saves = model.PlanSaves(w, r.Entries(item, savesRead))
		return nil
	})
	return saves, err
}

// PlanSaves returns the saves of an item's plan, oldest first.
func (h *Home) PlanSaves(ctx context.Context, agent model.AgentID, item model.ItemID) ([]model.PlanSave, error) {
	saves, err := h.saves(ctx, item)
	if err != nil {
		return nil, err
	}
	kept, now := h.files.Saves(agent, item), h.files.Plan(agent, item)
	for i := range saves {
		s := &saves[i]
		_, s.Kept = kept[s.Hash]
		switch {
		case s.Kept:
		case s.Hash == now.Hash:
			s.Kept = true
			h.keep(savedText{agent, item, s.Hash, now.Raw}) // the process that noted it ended before the text was stored
		case s.N == 1:
			_, seed, err := h.ItemAt(ctx, item, s.Revision)
			s.Kept = err == nil && hashOf(seed) == s.Hash
		}
	}
	return saves, nil
}

func hashOf(t model.Text) string {
	return model.NewPlanArtifact("", "", []byte(t.Raw()), time.Time{}).Hash // raw: to be compared, not shown
}

// SavedText returns an item's plan as it was at a save. It refuses a save whose text is not kept.
func (h *Home) SavedText(ctx context.Context, agent model.AgentID, item model.ItemID, s model.PlanSave) (model.Text, error) {
	if raw := h.files.ReadSave(agent, item, s.Hash); raw != nil {
		return model.Text(raw), nil
	}
	if now := h.files.Plan(agent, item); now.Hash == s.Hash {
		return model.Text(now.Raw), nil
	}
	_, seed, err := h.ItemAt(ctx, item, s.Revision)
	if err == nil && hashOf(seed) != s.Hash {
		err = model.NotFound("the text of save %d is not kept", s.N).
			WithHint("vise plan log %s lists those that are", item)
	}
	if err != nil {
		return "", err
	}
	return seed, nil
}

// SavedTodos returns the todos that an item had at a save.
func (h *Home) SavedTodos(ctx context.Context, item model.ItemID, s model.PlanSave) ([]model.Todo, error) {
	was, _, err := h.ItemAt(ctx, item, s.Revision)
	return was.TodoList, err
}
