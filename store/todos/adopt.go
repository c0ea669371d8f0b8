package todos

import (
	"fmt"
	"slices"

	"vise/model"
	"vise/model/todo"
	"vise/store/files"
)

// Adopted is an unfinished todo that continues in another session.
type Adopted struct {
	From todo.Ref  `json:"from"`
	To   todo.Todo `json:"to"`
	// Dropped are links whose target is not in the new session.
	Dropped []todo.Ref `json:"dropped,omitempty"`
	// Again says that the copy existed already.
	Again bool `json:"again,omitempty"`
}

// Adopt moves the unfinished todos of another session into this one: all, or those that words name. A copy with body, history and unknown
// keys continues here as pending or ready, under an id of this session. The original is closed as superseded and names the copy. Adopt can
// be repeated after a crash and adopts nothing twice. It refuses a todo that a living process still claims.
func (s *Session) Adopt(from *Session, words []string, m todo.Move, alive todo.Probe) ([]Adopted, error) {
	if err := m.Named(); err != nil {
		return nil, err
	}
	if s.Rel == from.Rel {
		return nil, todo.Refuse(todo.RuleValue, "from", "a session cannot adopt from itself")
	}
	first, second := s, from
	if from.Rel < s.Rel {
		first, second = from, s
	}
	var out []Adopted
	err := first.locked(func() error {
		return second.locked(func() error {
			var err error
			out, err = s.adopt(from, words, m, alive)
			return err
		})
	})
	return out, err
}

func (s *Session) adopt(from *Session, words []string, m todo.Move, alive todo.Probe) ([]Adopted, error) {
	theirs, err := from.Load()
	if err != nil {
		return nil, err
	}
	ours, err := s.Load()
	if err != nil {
		return nil, err
	}
	wanted, err := unfinished(theirs, words, m, alive)
	if err != nil {
		return nil, err
	}
	a := adoption{s, from, theirs, ours, map[todo.Ref]todo.Ref{}}
	a.number(wanted)
	var out []Adopted
	for _, t := range wanted {
		one, err := a.take(t, m)
		if err != nil {
			return out, err
		}
		out = append(out, one)
	}
	return out, nil
}

// unfinished returns the todos to adopt. Dependencies come first, as far as they have an order.
func unfinished(snap Snapshot, words []string, m todo.Move, alive todo.Probe) ([]todo.Todo, error) {
	index := snap.Index()
	wanted := snap.Todos
	if len(words) > 0 {
		wanted = nil
		for _, w := range words {
			t, err := index.Resolve(w)
			if err != nil {
				return nil, err
			}
			wanted = append(wanted, t)
		}
	}
	var out []todo.Todo
	for _, t := range wanted {
		if t.Status.Final() || snap.places[t.Ref()].file != t.File {
			continue
		}
		if t.Status == todo.InProgress && t.Lease.Over(m.At, alive) == "" {
			return nil, todo.Refuse(todo.RuleClaimed, "assigned_to", "%s is being worked on by %q", t.Ref(), t.AssignedTo.Raw())
		}
		out = append(out, t)
	}
	return out, nil
}

type adoption struct {
	to, from     *Session
	theirs, ours Snapshot
	// became maps a todo of the other session to its copy.
	became map[todo.Ref]todo.Ref
}

// mark is the entry of the workflow chain that identifies a copy.
func (a *adoption) mark(r todo.Ref) model.Text {
	return model.Text("adopt:" + a.from.Name() + ":" + r.Raw())
}

// number gives every copy its id before any copy is written, so that links can be translated.
func (a *adoption) number(wanted []todo.Todo) {
	taken := Snapshot{names: map[string][]string{}, Todos: slices.Clone(a.ours.Todos)}
	for src, names := range a.ours.names {
		taken.names[src] = slices.Clone(names)
	}
	for _, t := range wanted {
		if copied, ok := a.copyOf(t.Ref()); ok {
			a.became[t.Ref()] = copied.Ref()
			continue
		}
		id := taken.nextID(t.Source)
		taken.names[t.Source] = append(taken.names[t.Source], id+"-")
		a.became[t.Ref()] = todo.NewRef(t.Source, id)
	}
}

func (a *adoption) copyOf(r todo.Ref) (todo.Todo, bool) {
	for _, t := range a.ours.Todos {
		if slices.Contains(t.WorkflowChain, a.mark(r)) {
			return t, true
		}
	}
	return todo.Todo{}, false
}

func (a *adoption) take(t todo.Todo, m todo.Move) (Adopted, error) {
	out := Adopted{From: t.Ref()}
	if copied, ok := a.copyOf(t.Ref()); ok {
		out.To, out.Again = copied, true
	} else {
		var err error
		if out.To, out.Dropped, err = a.copy(t, m); err != nil {
			return out, err
		}
	}
	return out, a.supersede(t, out.To, m)
}

func (a *adoption) copy(t todo.Todo, m todo.Move) (todo.Todo, []todo.Ref, error) {
	after, dropped := a.renewed(t, m)
	at := a.theirs.places[t.Ref()]
	dir, err := files.Below(a.from.root, at.dir, false)
	if err != nil {
		return after, nil, a.from.gone(err)
	}
	defer dir.Close()
	c, err := readFile(dir, at.file, maxTodoBytes, nil)
	if err != nil {
		return after, nil, fmt.Errorf("%s: %w", at.file, err)
	}
	row := todo.Row{At: todo.Stamp(m.At), From: t.Status, To: after.Status, Actor: m.Actor.Name,
		Reason: model.Text("Adopted from " + a.from.Name() + " " + t.Ref().Raw())}
	raw, err := edit(c.raw, todo.Diff(t, after), addition{rows: []todo.Row{row}})
	if err != nil {
		return after, nil, fmt.Errorf("%s: %w", at.file, err)
	}
	copied, err := a.to.add(&a.ours, after, raw)
	return copied, dropped, err
}

// renewed returns t as it begins in the new session: triaged as before, unclaimed, and linked to the copies of the todos adopted with it.
func (a *adoption) renewed(t todo.Todo, m todo.Move) (todo.Todo, []todo.Ref) {
	var dropped []todo.Ref
	after := t
	after.IssueID = a.became[t.Ref()].ID()
	after.Status = todo.Ready
	if t.Status == todo.Pending {
		after.Status = todo.Pending
	}
	after.Claim, after.Outcome, after.Computed = todo.Claim{FixerClaim: t.FixerClaim}, todo.Outcome{}, todo.Computed{}
	after.Updated = todo.Day(m.At)
	after.WorkflowChain = append(slices.Clip(t.WorkflowChain), a.mark(t.Ref()))
	var lost []todo.Ref
	after.Dependencies, lost = a.carried(t, t.Dependencies)
	for _, w := range a.theirs.Index().Waiting(t) {
		if slices.Contains(lost, w.On) || slices.ContainsFunc(w.Via, func(r todo.Ref) bool { return slices.Contains(lost, r) }) {
			dropped = append(dropped, w.On)
		}
	}
	after.Related, lost = a.carried(t, t.Related)
	after.File = todo.FileName(after.IssueID, after.Status, t.Priority, t.Title.Raw())
	return after, append(dropped, lost...)
}

func (a *adoption) carried(t todo.Todo, refs []todo.Ref) (kept, lost []todo.Ref) {
	for _, r := range refs {
		if to, ok := a.became[r.In(t.Source)]; ok {
			kept = append(kept, to)
		} else {
			lost = append(lost, r.In(t.Source))
		}
	}
	return kept, lost
}

func (a *adoption) supersede(t, copied todo.Todo, m todo.Move) error {
	m.To, m.Resolution, m.ClaimOver = todo.WontFix, todo.Superseded, true
	m.Reason = model.Text("Adopted into " + a.to.Name() + " as " + copied.Ref().Raw())
	c, err := todo.Judge(t, m, a.theirs.Index())
	if err != nil {
		return err
	}
	_, err = a.from.write(a.theirs, Edit{Change: c})
	return err
}
