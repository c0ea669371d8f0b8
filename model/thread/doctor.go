package thread

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
)

// Finding is something wrong with a repository's threads, with its repair.
type Finding struct {
	Kind    string `key:"kind" empty:"kept"`
	Thread  ID     `key:"task_id" empty:"kept"`
	Message string `key:"message" empty:"kept"`
	// Repair is empty if only a person can repair it.
	Repair repairKind `key:"repair"`
	// Steps says exactly what the repair does.
	Steps string `key:"steps"`
}

// repairKind names a repair.
type repairKind string

// The repairs. SetAside renames the thread's files and deletes nothing.
const (
	clearPointer repairKind = "clear_pointer"
	movePointer  repairKind = "move_pointer"
	pauseThread  repairKind = "pause"
	trimLists    repairKind = "trim"
	rewriteFile  repairKind = "rewrite"
	SetAside     repairKind = "set_aside"
)

// Damaged is a thread whose file cannot be read.
type Damaged struct {
	ID    ID
	Cause error
}

// Diagnose finds phantoms, other threads in progress than the active one, pointers to no thread, lists over their limits, and files that
// cannot be read.
func Diagnose(f Facts, broken []Damaged) ([]Finding, error) {
	all, err := f.Threads()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, b := range broken {
		out = append(out, Finding{Kind: "damaged", Thread: b.ID, Repair: SetAside,
			Message: fmt.Sprintf("the file cannot be read: %v", b.Cause),
			Steps:   fmt.Sprintf("rename threads/%s.json to threads/%s.json.set-aside", b.ID, b.ID)})
	}
	for _, found := range diagnosePointer(f.Pointer(), all, broken) {
		out = append(out, found.towards(f))
	}
	out = append(out, diagnoseProgress(f, all)...)
	slices.SortFunc(all, func(a, b Thread) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for _, t := range all {
		out = append(out, t.diagnose()...)
	}
	return out, nil
}

func diagnosePointer(p Pointer, all []Thread, broken []Damaged) []Finding {
	found := Finding{Repair: clearPointer, Steps: "write active.json with an empty active_task_id"}
	i := slices.IndexFunc(all, func(t Thread) bool { return t.ID == p.ID })
	hurt := slices.ContainsFunc(broken, func(b Damaged) bool { return b.ID == p.ID })
	switch {
	case p.Broken != nil:
		found.Kind, found.Message = "pointer_damaged", fmt.Sprintf("active.json cannot be read: %v", p.Broken)
	case p.ID == "" || hurt:
		return nil
	case i < 0:
		found.Kind, found.Message = "pointer_dangling", "active.json names a thread that is not there"
	case all[i].phantom():
		found.Kind, found.Message = "pointer_phantom", "active.json names a thread that nobody started"
	case all[i].Status == InProgress:
		return nil
	default:
		found.Kind, found.Message = "pointer_suspended", fmt.Sprintf("active.json names a thread that is %s", all[i].Status)
		if all[i].Status.Ended() {
			found.Kind = "pointer_closed"
		}
	}
	found.Thread = p.ID
	return []Finding{found}
}

// towards lets the repair of a pointer name the thread that is active without the pointer.
func (f Finding) towards(facts Facts) Finding {
	active, source, err := ActiveOf(facts)
	if err == nil && source == FromFallback && !active.phantom() {
		f.Repair, f.Thread = movePointer, active.ID
		f.Steps = fmt.Sprintf("write active.json with active_task_id %s", active.ID)
	}
	return f
}

func diagnoseProgress(f Facts, all []Thread) []Finding {
	going := without(Newest(all), func(t Thread) bool { return t.Status != InProgress })
	active, _, _ := ActiveOf(f)
	if active.ID == "" && len(going) > 0 {
		active = going[0]
	}
	var out []Finding
	for _, t := range going {
		if t.ID != active.ID && !t.phantom() && !t.has(newerVersion) {
			out = append(out, Finding{Kind: "two_in_progress", Thread: t.ID, Repair: pauseThread,
				Message: fmt.Sprintf("%s is in progress too", active.ID), Steps: fmt.Sprintf("set the status of %s to paused", t.ID)})
		}
	}
	return out
}

// diagnose checks one thread. A thread of a newer version is left to a newer vise.
func (t Thread) diagnose() []Finding {
	if t.has(newerVersion) {
		return []Finding{{Kind: newerVersion, Thread: t.ID,
			Message: "a newer program wrote the file; vise reads the thread and leaves the file alone"}}
	}
	var out []Finding
	if t.phantom() {
		out = append(out, Finding{Kind: "phantom", Thread: t.ID, Repair: SetAside,
			Message: "nobody started it: it has no goal",
			Steps:   fmt.Sprintf("rename threads/%s.json to threads/%s.json.set-aside", t.ID, t.ID)})
	}
	for _, p := range t.Problems() {
		switch p.Kind {
		case overLong:
			out = append(out, Finding{Kind: overLong, Thread: t.ID, Repair: trimLists, Message: p.Field + " is longer than its limit",
				Steps: "keep the newest entries; the oldest go to the thread's log"})
		case unknownStatus, foreignID:
			out = append(out, Finding{Kind: p.Kind, Thread: t.ID, Repair: rewriteFile,
				Message: "the file's " + p.Field + " is of another kind than its readers expect",
				Steps:   fmt.Sprintf("write task_id %s and status %s", t.ID, t.Status)})
		case wrongType:
			out = append(out, Finding{Kind: p.Kind, Thread: t.ID, Repair: rewriteFile,
				Message: "the file's " + p.Field + " has the wrong shape; vise reads the thread and leaves the file alone",
				Steps:   "write the thread without it; what is there now goes to the thread's log"})
		}
	}
	return out
}

// phantom reports whether the thread is the remainder of a close or an update without an active thread.
func (t Thread) phantom() bool { return t.ID == "task" && t.Goal == "" }

// Repair applies the repairs that change threads or the pointer. Package threads sets files aside.
type Repair struct{ Findings []Finding }

// Do implements Command.
func (c Repair) Do(f Facts, s Stamp) (Change, error) {
	p := plan(f, s)
	done := map[ID]bool{}
	for _, found := range c.Findings {
		if found.Repair == clearPointer || found.Repair == movePointer {
			next := f.Pointer().To("", s.At)
			if found.Repair == movePointer {
				next.ID = found.Thread
			}
			p.Point = &next
			continue
		}
		if done[found.Thread] || !slices.Contains([]repairKind{pauseThread, trimLists, rewriteFile}, found.Repair) {
			continue
		}
		done[found.Thread] = true
		if err := p.repair(found.Thread, c.Findings); err != nil {
			return Change{}, err
		}
	}
	return p.Change, nil
}

func (p *planner) repair(id ID, findings []Finding) error {
	t, there, err := p.facts.Thread(id)
	if err != nil || !there || t.has(newerVersion) {
		return err
	}
	before := t
	misshapen := t.reshape()
	if slices.ContainsFunc(findings, func(f Finding) bool { return f.Thread == id && f.Repair == pauseThread }) {
		t.Status = Paused
	}
	t = t.Tidy(&p.Receipt.Patched)
	p.evictions(id)
	e := p.event(repaired, id)
	e.Changes = Compare(before, t)
	e.Fields = changedFields(e.Changes)
	e.Note = model.Text("vise thread doctor")
	if len(misshapen) > 0 {
		e.Detail = misshapen
	}
	p.put(t)
	return nil
}

// reshape replaces values of a wrong type, so that the thread can be written again, and returns them.
func (t *Thread) reshape() object {
	out := object{}
	for _, p := range t.Problems() {
		if p.Kind == wrongType {
			out[p.Field] = p.value
		}
	}
	if t.file != nil {
		t.file = &file{more: t.file.more}
	}
	return out
}

// View returns the finding as JSON.
func (f Finding) View() View { return View{spellEntry(nil, &f)} }
