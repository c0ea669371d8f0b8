package store

import (
	"context"
	"slices"
	"strings"

	"vise/model"
)

// maxCandidates is how many candidates an ambiguous reference lists.
const maxCandidates = 8

// Resolve finds the item that a reference means: its id, its handle, or a unique prefix of
// either of at least three characters, with or without "wi-". The error is not_found, or ambiguous with the candidates.
func (l *Ledger) Resolve(ctx context.Context, ref string) (model.ItemID, error) {
	var id model.ItemID
	err := l.ViewFacts(ctx, func(f *Facts) (err error) {
		id, err = f.resolve(strings.ToLower(strings.TrimSpace(ref)))
		return err
	})
	return id, Explain(err)
}

const itemPrefix = "wi-"

func (f *Facts) resolve(ref string) (model.ItemID, error) {
	if ref == "" || ref == itemPrefix {
		return "", model.Invalid("no work item named").At("work_item_id",
			"name one by its id or handle: vise list")
	}
	for _, s := range spellings(ref) {
		if _, ok := f.Item(model.ItemID(s)); ok {
			return model.ItemID(s), nil
		}
		if ids := f.beginning([]string{s + "/"}); len(ids) > 0 {
			_, ok := f.Item(ids[0])
			f.found(ok, recordsFrom(model.KindItem, string(ids[0])))
			return f.only(ids, ref)
		}
	}
	if len(strings.TrimPrefix(ref, itemPrefix)) < shortestPrefix {
		return "", model.Refuse(model.CodeAmbiguous, "%s is too short to name a work item", model.Text(ref)).At("work_item_id",
			"give at least three letters of its handle: vise list")
	}
	return f.only(f.beginning(spellings(ref)), ref)
}

// shortestPrefix is how many characters after "wi-" can stand for a handle.
const shortestPrefix = 3

// spellings are what a reference can stand for.
func spellings(ref string) []string {
	if strings.HasPrefix(ref, itemPrefix) {
		return []string{ref}
	}
	return []string{ref, itemPrefix + ref}
}

// beginning lists items whose id or handle begins with one of the spellings, at most one
// more than are shown.
func (f *Facts) beginning(spellings []string) []model.ItemID {
	var ids []model.ItemID
	add := func(id model.ItemID) bool {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return len(ids) <= maxCandidates
	}
	for _, s := range spellings {
		f.Scan(Prefix(recordsFrom(model.KindItem, s)), func(key, _ []byte) bool {
			n, _ := recordIn(key)
			return add(model.ItemID(n.Key))
		})
		f.named(cat(tableHandle, s), add)
	}
	return ids
}

func (f *Facts) only(ids []model.ItemID, ref string) (model.ItemID, error) {
	switch len(ids) {
	case 0:
		return "", model.NotFound("no work item %s", model.Text(ref)).At("work_item_id",
			"vise list shows the work items, vise agents the agents")
	case 1:
		return ids[0], nil
	}
	e := model.Refuse(model.CodeAmbiguous, "%s may mean several work items", model.Text(ref)).At("work_item_id",
		"give more of its letters")
	for _, id := range ids[:min(len(ids), maxCandidates)] {
		w, _ := f.Item(id)
		e.Candidates = append(e.Candidates, w.Handle)
	}
	return "", e
}
