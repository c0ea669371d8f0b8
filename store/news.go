package store

import "vise/model"

// News implements model.Reader.
func (r Reader) News(agent model.AgentID, after model.Position, limit int) (out []model.Entry) {
	if !r.Txn.Counts() {
		return r.History(agent, after, limit)
	}
	now := r.Head().Revision
	from, saved := max(after.Revision, 1)-1, uint64(0) // the place after a revision names no agent
	if after.Agent != "" && r.Err == nil {
		at, ok, err := r.Txn.SavedAt(JournalKey(after.Revision, after.Agent), now)
		r.Fail(err)
		if ok {
			from, saved = at-1, at
		}
	}
	for more := true; more && len(out) < limit && r.Err == nil; {
		var list []Saved
		var err error
		list, more, err = r.Txn.Saved(agent, from, now, limit)
		r.Fail(err)
		for _, x := range list {
			for _, e := range r.eventsIn(x) {
				if (x.Revision != saved || after.Before(e.Position())) && len(out) < limit {
					out = append(out, e)
				}
			}
			from = x.Revision
		}
	}
	return out
}

func (f *Facts) eventsIn(x Saved) []model.Entry {
	o, err := ReadOutline(x.Key, x.Value)
	f.Harmed(err)
	if err != nil {
		return nil
	}
	return o.entries()
}
