package cli

import (
	"context"
	"sync"

	"vise/model"
)

// atOnce is how many plan files are made side by side: the file system puts several
// waiting for the disk into one commit.
const atOnce = 16

// makePlans makes the plan files of an import before the ledger is asked. The ledger makes
// them too, while it holds its lock; of those that are there it only sees that they are.
// The import is judged first, so that one which is refused leaves no file behind.
func (a *app) makePlans(ctx context.Context, in model.Import) error {
	actor, err := a.actor()
	if err != nil {
		return err
	}
	change, err := model.Step(nothing{}, model.Stamp{At: a.now(), NewID: "judged", Actor: actor}, in)
	if err != nil {
		return err
	}
	plans := make(chan model.NewPlan)
	var workers sync.WaitGroup
	var first error
	var once sync.Once
	for range atOnce {
		workers.Go(func() {
			for p := range plans {
				// raw: written to the plan file, not shown
				if _, err := a.door.files.CreatePlan(p.AgentID, p.ItemID, p.Seed.Raw()); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for _, p := range change.NewPlans {
		if ctx.Err() != nil {
			break
		}
		plans <- p
	}
	close(plans)
	workers.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return first
}
