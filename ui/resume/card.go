package resume

import (
	"context"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Card is where the work was left: that of an item with these links, or of the repository
// around the room. What cannot be read is said on the card.
func (r Room) Card(ctx context.Context, links []model.ThreadLink) thread.Card {
	repo := threads.At(threads.FindRoot(r.Dir))
	linked, elsewhere := repo.Linked(links)
	desk, done := r.Sit(ctx, repo.Root(), "card")
	defer done()
	var card thread.Card
	if err := desk.Read(func(s *threads.Snapshot) (err error) {
		card, err = thread.CardOf(s, desk.Scene, linked)
		return err
	}); err != nil {
		card.Problem = model.Text(err.Error())
	}
	card.Repo, card.Elsewhere = model.Text(repo.Root()), elsewhere
	return card
}
