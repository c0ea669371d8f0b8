package resume

import (
	"context"

	"vise/model"
	"vise/model/workstate"
	"vise/store/files/threads"
)

// Card is where the work was left: that of an item with these links, or of the repository
// around the room. What cannot be read is said on the card.
func (r Room) Card(ctx context.Context, links []model.ThreadLink) workstate.Card {
	root := threads.FindRoot(r.Dir)
	var linked []workstate.ID
	var elsewhere []model.ThreadLink
	for _, l := range links {
		if SameRepo(l.Repo.Raw(), root) {
			linked = append(linked, workstate.Slug(l.TaskID.Raw()))
		} else {
			elsewhere = append(elsewhere, l)
		}
	}
	desk, done := r.Sit(ctx, root, "card")
	defer done()
	var card workstate.Card
	if err := desk.Read(func(s *threads.Snapshot) (err error) {
		card, err = workstate.CardOf(s, desk.Scene, linked)
		return err
	}); err != nil {
		card.Problem = model.Text(err.Error())
	}
	card.Repo, card.Elsewhere = model.Text(root), elsewhere
	return card
}
