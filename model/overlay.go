package model

import "slices"

// overlay answers Facts from the ledger and the writes made so far. Rows, counts, dues and history are those before the
// command, because no rule asks for them after its first write.
type overlay struct {
	Records
	Lister
	before Facts
	// order holds the names of the records in the order of their first write, kinds those of each kind.
	order   []RecordName
	kinds   map[RecordKind][]RecordName
	records map[RecordName]Record
}

func newOverlay(f Facts) *overlay {
	o := &overlay{Lister: f, before: f, kinds: map[RecordKind][]RecordName{}, records: map[RecordName]Record{}}
	o.Get = func(n RecordName) (Record, bool) {
		if r, ok := o.records[n]; ok {
			return r, true
		}
		return f.Record(n)
	}
	return o
}

// put writes a record; the last write of a record wins.
func (o *overlay) put(r Record) {
	name := r.Name()
	if _, again := o.records[name]; !again {
		o.order = append(o.order, name)
		o.kinds[name.Kind] = append(o.kinds[name.Kind], name)
	}
	o.records[name] = r
}

// writes are the written records, in the order of their first write.
func (o *overlay) writes() []Record {
	out := make([]Record, len(o.order))
	for i, name := range o.order {
		out[i] = o.records[name]
	}
	return out
}

// merged replaces the stored records that were written, adds the new ones, and keeps those for which belongs is true.
func merged[R Record](o *overlay, stored []R, belongs func(R) bool) []R {
	var out []R
	known := map[RecordName]bool{}
	for _, r := range stored {
		if w, ok := o.records[r.Name()].(R); ok {
			r = w
		}
		known[r.Name()] = true
		out = append(out, r)
	}
	var kind R
	for _, name := range o.kinds[kind.Name().Kind] {
		if !known[name] {
			out = append(out, o.records[name].(R))
		}
	}
	return slices.DeleteFunc(out, func(r R) bool { return !belongs(r) })
}

func (o *overlay) ItemWaits(a AgentID, id ItemID) []Wait {
	return merged(o, o.before.ItemWaits(a, id), func(w Wait) bool {
		return w.Status == WaitActive && w.AgentID == a && w.WorkItemID == id
	})
}

func (o *overlay) WaitsOn(a AgentID, k WaitKind, resource Text) []Wait {
	return merged(o, o.before.WaitsOn(a, k, resource), func(w Wait) bool {
		return w.Status == WaitActive && w.AgentID == a && w.Kind == k && w.Resource == resource
	})
}

func (o *overlay) BlockingTasks(a AgentID, id ItemID) []Task {
	return merged(o, o.before.BlockingTasks(a, id), func(t Task) bool {
		return t.Blocking && t.Status == TaskRunning && t.AgentID == a && t.WorkItemID == id
	})
}

func (o *overlay) Delegations(a AgentID, id ItemID) []Delegation {
	return merged(o, o.before.Delegations(a, id), func(d Delegation) bool {
		return d.State == DelegationOpen && d.ParentAgentID == a && d.ParentWorkItemID == id
	})
}

func (o *overlay) ParentsOf(child ItemID) []Delegation {
	return merged(o, o.before.ParentsOf(child), func(d Delegation) bool {
		return d.State == DelegationOpen && d.ChildWorkItemID == child
	})
}
