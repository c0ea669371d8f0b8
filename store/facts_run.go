package store

import "vise/model"

// What turns, messages, tasks and capabilities ask.

func (f *facts) QueuedMessages(a model.AgentID, limit int) []model.Message {
	prefix := queuePrefix(a)
	// After the agent come the priority, a slash, eight bytes of time and another slash.
	return firstOf[model.Message](f, model.KindMessage, Prefix(prefix), len(prefix)+2+9, limit)
}

func (r reader) RunningTasks(a model.AgentID, limit int) []model.Task {
	prefix := tasksPrefix(a, true)
	return firstOf[model.Task](r.facts, model.KindTask, Prefix(prefix), len(prefix)+9, limit)
}

func (r reader) Tasks(a model.AgentID, limit int) []model.Task {
	var all []model.Task
	for _, running := range []bool{true, false} {
		prefix := tasksPrefix(a, running)
		all = append(all, firstOf[model.Task](r.facts, model.KindTask, Prefix(prefix).Backwards(), len(prefix)+9, limit-len(all))...)
	}
	return all
}

func (r reader) Ingresses(a model.AgentID, limit int) []model.Ingress {
	prefix := doorsPrefix(a)
	return firstOf[model.Ingress](r.facts, model.KindIngress, Prefix(prefix).Backwards(), len(prefix)+9, limit)
}

// firstOf loads the first records whose ids the keys of a range end with, from byte at on.
func firstOf[R model.Record](f *facts, kind model.RecordKind, keys Range, at, limit int) []R {
	var ids []string
	if limit > 0 {
		f.scan(keys, func(key, _ []byte) bool {
			ids = append(ids, string(key[at:]))
			return len(ids) < limit
		})
	}
	return all[R](f, kind, ids, false)
}
