package model

import "slices"

// overlay answers Facts as they are with the writes made so far. Rows, counts, dues and
// history are those before the command: no rule asks them after its first write.
type overlay struct {
	Facts
	order   []recordName
	records map[recordName]Record
}

type recordName struct {
	kind RecordKind
	key  string
}

// put writes a record; the last write of a record wins.
func (o *overlay) put(r Record) {
	name := recordName{r.RecordKind(), r.Key()}
	if o.records == nil {
		o.records = map[recordName]Record{}
	}
	if _, again := o.records[name]; !again {
		o.order = append(o.order, name)
	}
	o.records[name] = r
}

// writes are the records put, in the order of their first write.
func (o *overlay) writes() []Record {
	out := make([]Record, len(o.order))
	for i, name := range o.order {
		out[i] = o.records[name]
	}
	return out
}

func written[R Record](o *overlay, kind RecordKind, key string) (R, bool) {
	r, ok := o.records[recordName{kind, key}].(R)
	return r, ok
}

// merged replaces the stored records that were written, adds the new ones, and keeps what
// still belongs.
func merged[R Record](o *overlay, stored []R, belongs func(R) bool) []R {
	var out []R
	seen := map[string]bool{}
	for _, r := range stored {
		if w, ok := written[R](o, r.RecordKind(), r.Key()); ok {
			r = w
		}
		seen[r.Key()] = true
		out = append(out, r)
	}
	for _, name := range o.order {
		if r, ok := o.records[name].(R); ok && !seen[name.key] {
			out = append(out, r)
		}
	}
	return slices.DeleteFunc(out, func(r R) bool { return !belongs(r) })
}

func (o *overlay) Agent(id AgentID) (Agent, bool) {
	if a, ok := written[Agent](o, KindAgent, string(id)); ok {
		return a, true
	}
	return o.Facts.Agent(id)
}

func (o *overlay) Item(id ItemID) (WorkItem, bool) {
	if w, ok := written[WorkItem](o, KindItem, string(id)); ok {
		return w, true
	}
	return o.Facts.Item(id)
}

func (o *overlay) Wait(id WaitID) (Wait, bool) {
	if w, ok := written[Wait](o, KindWait, string(id)); ok {
		return w, true
	}
	return o.Facts.Wait(id)
}

func (o *overlay) Task(id TaskID) (Task, bool) {
	if t, ok := written[Task](o, KindTask, string(id)); ok {
		return t, true
	}
	return o.Facts.Task(id)
}

func (o *overlay) Delegation(id DelegationID) (Delegation, bool) {
	if d, ok := written[Delegation](o, KindDelegation, string(id)); ok {
		return d, true
	}
	return o.Facts.Delegation(id)
}

func (o *overlay) Brief(a AgentID, id ItemID) (Brief, bool) {
	if b, ok := written[Brief](o, KindBrief, string(id)); ok {
		return b, true
	}
	return o.Facts.Brief(a, id)
}

func (o *overlay) ItemWaits(a AgentID, id ItemID) []Wait {
	return merged(o, o.Facts.ItemWaits(a, id), func(w Wait) bool {
		return w.Status == WaitActive && w.AgentID == a && w.WorkItemID == id
	})
}

func (o *overlay) WaitsOn(a AgentID, k WaitKind, resource Text) []Wait {
	return merged(o, o.Facts.WaitsOn(a, k, resource), func(w Wait) bool {
		return w.Status == WaitActive && w.AgentID == a && w.Kind == k && w.Resource == resource
	})
}

func (o *overlay) BlockingTasks(a AgentID, id ItemID) []Task {
	return merged(o, o.Facts.BlockingTasks(a, id), func(t Task) bool {
		return t.Blocking && t.Status == TaskRunning && t.AgentID == a && t.WorkItemID == id
	})
}

func (o *overlay) Delegations(a AgentID, id ItemID) []Delegation {
	return merged(o, o.Facts.Delegations(a, id), func(d Delegation) bool {
		return d.State == DelegationOpen && d.ParentAgentID == a && d.ParentWorkItemID == id
	})
}

func (o *overlay) ParentsOf(child ItemID) []Delegation {
	return merged(o, o.Facts.ParentsOf(child), func(d Delegation) bool {
		return d.State == DelegationOpen && d.ChildWorkItemID == child
	})
}

func (o *overlay) Message(id MessageID) (Message, bool) {
	if m, ok := written[Message](o, KindMessage, string(id)); ok {
		return m, true
	}
	return o.Facts.Message(id)
}

func (o *overlay) Attempt(a AgentID, id ItemID) (Attempt, bool) {
	if t, ok := written[Attempt](o, KindAttempt, string(id)); ok {
		return t, true
	}
	return o.Facts.Attempt(a, id)
}

func (o *overlay) Trace(a AgentID, id ItemID) (Trace, bool) {
	if t, ok := written[Trace](o, KindTrace, TraceKey(a, id)); ok {
		return t, true
	}
	return o.Facts.Trace(a, id)
}

func (o *overlay) Ingress(id IngressID) (Ingress, bool) {
	if in, ok := written[Ingress](o, KindIngress, string(id)); ok {
		return in, true
	}
	return o.Facts.Ingress(id)
}
