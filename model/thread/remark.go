package thread

import "vise/model"

// Remark adds a sentence to a thread's log, and changes nothing else.
type Remark struct {
	Thread ID
	Note   model.Text
}

// Do implements Command.
func (c Remark) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	t, err := Find(f, c.Thread)
	if err != nil {
		return Change{}, err
	}
	p.Receipt.Thread = t
	p.event(Remarked, t.ID).Note = c.Note
	return p.Change, nil
}
