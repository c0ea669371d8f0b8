package home

import (
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Unsettled is what the threads of an item with these links say against completing it now:
// gaps that ask for a review or more, and what is unverified. Git is not asked. A thread
// that cannot be read says nothing.
func (t Threads) Unsettled(links []model.ThreadLink) []model.Warning {
	if len(links) == 0 {
		return nil
	}
	var out []model.Warning
	root := t.root()
	for left := slices.Clone(links); len(left) > 0; {
		repo := threads.At(root)
		ids, rest := repo.Linked(left)
		out = append(out, unsettled(repo, ids)...)
		if left = rest; len(left) > 0 {
			root = left[0].Repo.Raw() // raw: a path to open, not shown
		}
	}
	return out
}

func unsettled(repo threads.Repo, ids []thread.ID) (out []model.Warning) {
	if len(ids) == 0 {
		return nil
	}
	s, err := repo.Read()
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, id := range ids {
		t, _, err := s.Thread(id)
		if err != nil {
			continue
		}
		for _, words := range t.Unsettled() {
			out = append(out, model.Warning{Kind: model.WarnThreadUnsettled, Message: string(id) + ": " + words.String()})
		}
	}
	return out
}
