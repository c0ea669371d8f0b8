package home

import (
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
	for _, p := range byRepository(t.root(), []itemThreads{{links: links}}) {
		out = append(out, unsettled(threads.At(p.root), p.items[0].ids)...)
	}
	return out
}

func unsettled(repo threads.Repo, ids []thread.ID) (out []model.Warning) {
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
