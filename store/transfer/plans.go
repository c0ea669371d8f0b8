package transfer

import (
	"context"
	"errors"
	"slices"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// PlansBrought counts what the plan files of a home were given when its ledger came from a cluster.
type PlansBrought struct {
	// Made are the files of plans that lay on other machines. Taken are edits of other machines that their files still had to get. Beside
	// are such edits of a plan whose file was saved too; they lie beside it.
	Made   int `json:"made"`
	Taken  int `json:"taken"`
	Beside int `json:"beside"`
	// Missing are the items of which the ledger had only the plan's beginning, at most missingShown. Their files stay where they are.
	Missing      []model.Handle `json:"missing,omitempty"`
	MissingCount int            `json:"missing_count"`
}

const missingShown = 20

// BringPlans gives a home the plans of a ledger on a cluster that moves there. It can be repeated.
func BringPlans(ctx context.Context, l *store.Ledger, to files.Home) (out PlansBrought, err error) {
	err = scanAll(ctx, l.Backend(), []string{string(model.KindItem) + "/"}, nil, func(key, value []byte) error {
		var w model.WorkItem
		if err := store.DecodeValue(key, value, &w); err != nil {
			return err
		}
		return bringPlan(ctx, l, to, w, &out)
	})
	return out, store.Explain(err)
}

func bringPlan(ctx context.Context, l *store.Ledger, to files.Home, w model.WorkItem, out *PlansBrought) error {
	file := to.Plan(w.AgentID, w.ID)
	absent := file.Condition == model.PlanMissing && w.PlanArtifact.Condition == model.PlanOK
	if !absent && (len(w.PlanAwaited) == 0 || model.SamePlan(file.PlanArtifact, w.PlanArtifact)) {
		return nil
	}
	var text []byte
	err := store.ReadFacts(ctx, l.Backend(), func(f *store.Facts) error { // also when the ledger has moved
		text = f.PlanBody(w)
		return nil
	})
	if text == nil {
		text = store.ArchivedText(store.ArchiveIn(to.Dir()), w)
	}
	switch {
	case err != nil:
		return err
	case text == nil:
		if out.MissingCount++; len(out.Missing) < missingShown {
			out.Missing = append(out.Missing, w.Handle)
		}
	case absent:
		out.Made++
		_, err = to.CreatePlan(w.AgentID, w.ID, string(text))
	case slices.Contains(w.PlanAwaited, file.Hash):
		out.Taken++
		err = to.SavePlan(w.AgentID, w.ID, file.Hash, text)
		if errors.Is(err, files.ErrMoved) { // it was saved just now
			out.Taken--
			return bringPlan(ctx, l, to, w, out)
		}
	default:
		out.Beside++
		_, err = to.SaveCopy(w.AgentID, w.ID, text)
	}
	return err
}
