package todos

import "vise/model/todo"

// mostPast is how many sessions are searched for what was dismissed before, the newest
// first.
const mostPast = 20

// Dismissed are the findings that a repository's sessions closed without a fix. What cannot
// be read says nothing.
func Dismissed(repo string) []todo.Dismissed {
	found, err := Discover(repo)
	if err != nil {
		return nil
	}
	var out []todo.Dismissed
	for _, f := range found[:min(len(found), mostPast)] {
		s, err := Open(repo, f.Rel)
		if err != nil {
			continue
		}
		snap, err := s.Load()
		for _, t := range snap.Todos {
			if err == nil && t.Status == todo.WontFix {
				out = append(out, todo.Dismissed{Todo: t, Session: s.Name()})
			}
		}
		s.Close()
	}
	return out
}
