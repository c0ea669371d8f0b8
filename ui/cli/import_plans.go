package cli

import (
	"context"
	"errors"
	"slices"

	"vise/model"
	"vise/store"
)

// makePlans makes the plan files of an import before the ledger is asked. The ledger makes
// them too, while it holds its lock; of those that are there it only sees that they are.
// The import is judged first, so that one which is refused leaves no file behind.
func (a *app) makePlans(ctx context.Context, in model.Import) error {
	actor, err := a.actor()
	if err != nil {
		return err
	}
	change, err := model.Step(store.Empty(), model.Stamp{At: a.now(), NewID: "judged", Actor: actor}, in)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(change.NewPlans, plansAtOnce) {
		if err := errors.Join(ctx.Err(), a.home.Files().CreatePlans(some)); err != nil {
			return err
		}
	}
	return nil
}

// plansAtOnce is how many plan files are made between two looks at an interruption.
const plansAtOnce = 2000
