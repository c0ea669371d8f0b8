package thread

import (
	"cmp"
	"strconv"

	"vise/model"
)

// Command is a requested change of threads.
type Command interface {
	// Do judges the command and writes nothing. An error is a refusal, or a *NeedLineage: ask git, then judge again.
	Do(Facts, Stamp) (Change, error)
}

// Start begins a thread and makes it the active one.
type Start struct {
	Goal model.Text
	// Task is the requested id. If it is empty, the id is made from the goal.
	Task string
	// Initial is applied to the new thread, without its status.
	Initial Patch
	// Force replaces a thread with the same id. The old thread's last state goes to its log.
	Force bool
}

// Do implements Command.
func (c Start) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	if trim(c.Goal.Raw()) == "" && c.Task == "" && c.Initial.Words[goal] == "" {
		return Change{}, invalid("a thread needs a goal").At("goal")
	}
	id, old, err := c.name(f)
	if err != nil {
		return Change{}, err
	}
	fresh := New(id, c.Goal)
	t, did, err := fresh.Apply(c.Initial)
	if err != nil {
		return Change{}, err
	}
	t.Goal, t.Status = cmp.Or(fresh.Goal, t.Goal), InProgress
	p.Receipt.Patched, p.Receipt.Ignored = did, c.Initial.Ignored
	if old != nil {
		p.event(Replaced, id).Detail = old.object()
		t.file = &file{more: old.file.more}
	}
	err = p.save(started, Thread{}, t)
	return p.Change, err
}

// name finds a free id. If a thread with the same id has another goal, the id gets a number, unless the caller asked for this id.
func (c Start) name(f Facts) (ID, *Thread, error) {
	goal := model.Redact(cmp.Or(c.Goal, c.Initial.Words[goal]))
	base := Slug(goal.Raw())
	if c.Task != "" {
		base = Slug(c.Task)
	}
	for n := 1; n < 100; n++ {
		id := numbered(base, n)
		old, there, err := f.Thread(id)
		switch {
		case err != nil:
			return "", nil, err
		case !there:
			return id, nil, nil
		case c.Force:
			return id, &old, nil
		case c.Task != "" || old.Goal == New("", goal).Goal:
			return "", nil, model.Conflict("thread %s is there already (%s)", id, old.Status).
				WithHint("vise thread resume %s goes on with it; --force replaces it", id).At("task_id")
		}
	}
	return "", nil, model.Conflict("there are too many threads %s", base).At("task_id")
}

func numbered(base ID, n int) ID {
	if n == 1 {
		return base
	}
	tail := "-" + strconv.Itoa(n)
	return base[:min(len(base), maxID-len(tail))] + ID(tail)
}

// Update applies a patch to a thread.
type Update struct {
	// Task is empty for the active thread, or for the thread that the patch names.
	Task   string
	Patch  Patch
	Rebind bool
}

// Do implements Command.
func (c Update) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	before, after, err := p.patched(c.Task, c.Patch, c.Rebind)
	if err != nil {
		return Change{}, err
	}
	p.warnOfDeadEnd(before, &after)
	err = p.save(updated, before, after)
	return p.Change, err
}

// patched returns the command's thread, before and after its patch.
func (p *planner) patched(task string, patch Patch, rebind bool) (before, after Thread, err error) {
	if before, err = p.target(task, patch.Task); err != nil {
		return before, after, err
	}
	if err := p.mayWrite(before, rebind); err != nil {
		return before, after, err
	}
	after, p.Receipt.Patched, err = before.Apply(patch)
	p.Receipt.Ignored = patch.Ignored
	return before, after, err
}

// target finds the command's thread.
func (p *planner) target(asked string, inPatch ID) (Thread, error) {
	id := Slug(asked)
	if asked == "" {
		active, _, err := ActiveOf(p.facts)
		if err != nil || active.ID != "" {
			return active, err
		}
		if id = inPatch; id == "" {
			return Thread{}, NoneActive(p.facts)
		}
	}
	return Find(p.facts, id)
}

// Find returns the thread with that id, or a refusal with code not_found.
func Find(f Facts, id ID) (Thread, error) {
	t, ok, err := f.Thread(id)
	if err == nil && !ok {
		err = model.NotFound("there is no thread %s", id).WithHint("see vise thread list").At("task_id")
	}
	return t, err
}

// warnOfDeadEnd warns, once, if the thread's new words repeat a recorded dead end.
func (p *planner) warnOfDeadEnd(before Thread, after *Thread) {
	for _, f := range []Field{currentHypothesis, nextAction} {
		said := *after.text(f)
		if said == *before.text(f) || said == "" {
			continue
		}
		i := before.Repeats(said)
		if i < 0 || i >= len(after.DeadEnds) || !after.DeadEnds[i].same(before.DeadEnds[i]) {
			continue
		}
		ends := append([]deadEnd(nil), after.DeadEnds...)
		ends[i].FlaggedAt = p.stamp.At
		after.DeadEnds = ends
		p.Receipt.Repeated = &ends[i]
		e := p.event(deadEndHit, after.ID)
		e.Fields, e.Note = []Field{f}, ends[i].Hypothesis
		return
	}
}

// Resume makes a thread the active one and sets it in progress.
type Resume struct {
	Task   string
	Rebind bool
}

// Do implements Command.
func (c Resume) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	before, err := Find(f, Slug(c.Task))
	if err != nil {
		return Change{}, err
	}
	if err := p.mayWrite(before, c.Rebind); err != nil {
		return Change{}, err
	}
	after := before
	after.Status = InProgress
	err = p.save(resumed, before, after)
	return p.Change, err
}

// Close ends, pauses or blocks a thread. Its file stays.
type Close struct {
	Task   string
	Status Status
	Patch  Patch
	Rebind bool
}

// Do implements Command.
func (c Close) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	c.Patch.Status = c.Status
	before, after, err := p.patched(c.Task, c.Patch, c.Rebind)
	if err != nil {
		return Change{}, err
	}
	err = p.save(closed, before, after)
	return p.Change, err
}

// Remark adds a sentence to a thread's log and changes nothing else.
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
	p.event(remarked, t.ID).Note = c.Note
	return p.Change, nil
}
