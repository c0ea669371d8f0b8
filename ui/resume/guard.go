package resume

import (
	"errors"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Before is what the threads of an item with these links say against completing it now:
// gaps that ask for a review or more, and what is unverified. It is asked before the act;
// git is not. A thread that cannot be read says nothing.
func (r Room) Before(links []model.ThreadLink) []model.Warning {
	var out []model.Warning
	root := threads.FindRoot(r.Dir)
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

// Has reports whether the repository at root has the thread; an error says why nobody can
// tell.
func Has(root string, id thread.ID) (bool, error) {
	s, err := threads.At(root).Read()
	if err != nil {
		return false, err
	}
	defer s.Close()
	_, there, err := s.Thread(id)
	if errors.Is(err, &model.Error{Code: model.CodeDamaged}) {
		return true, nil // it is there, and the doctor's business
	}
	return there, err
}
