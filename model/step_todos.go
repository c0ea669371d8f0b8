package model

import "slices"

// step keeps the derived states of rows that still say what they said. It is bookkeeping:
// UpdatedAt stays. A completed item's list stays as it was.
func (c RefreshTodos) step(s *step) error {
	w, err := s.own(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if w.State == Completed {
		return nil
	}
	list := slices.Clone(w.TodoList)
	var changed []Todo
	for _, r := range c.Rows {
		if err := validTodoState("rows", r.State); err != nil {
			return err
		}
		if r.At < 0 || r.At >= len(list) || list[r.At].Text != r.Text || list[r.At].State == r.State {
			continue
		}
		list[r.At].State = r.State
		changed = append(changed, list[r.At])
	}
	if len(changed) == 0 {
		return nil
	}
	w.TodoList = list
	w = s.save(w, false)
	s.event(EventTodosRefreshed, w.ID, TodosRefreshed{Revision: w.Revision, Rows: changed})
	return nil
}
