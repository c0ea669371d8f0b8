package thread

import (
	"encoding/json"

	"vise/model"
)

// View is an answer as JSON for programs. Its keys are sorted, and characters that a terminal would interpret are escaped.
type View struct{ object object }

// MarshalJSON implements json.Marshaler.
func (v View) MarshalJSON() ([]byte, error) {
	return jsonStyle{visible: true}.appendJSON(nil, v.object, 0), nil
}

// With adds a member: a string, a boolean, a view, or a list of views.
func (v View) With(key string, value any) View {
	o := copyOf(v.object)
	switch value := value.(type) {
	case View:
		o[key] = value.object
	case []View:
		o[key] = values(value, func(w View) any { return w.object })
	default:
		o[key] = value
	}
	return View{o}
}

// View returns the whole thread as its file holds it.
func (t Thread) View() View { return View{t.object()} }

// Compact returns the thread as an agent should see it: what helps to continue, with a few entries of each list. It is empty if the thread
// says nothing. A verified entry has its grade if it is more than a claim.
func (t Thread) Compact(now Git) View {
	t, _ = t.Tidy()
	if !t.signal() {
		return View{object{}}
	}
	o := object{"task_id": string(t.ID), "status": string(t.Status)}
	for _, f := range textFields {
		putText(o, string(f), *t.text(f))
	}
	for _, c := range []struct {
		f Field
		n int
	}{{activeFiles, 5}, {Verified, 4}, {unverified, 4}, {recommendedCommands, 4}, {risks, 4}} {
		list := *t.list(c.f)
		putList(o, string(c.f), list[:min(len(list), c.n)])
	}
	putObjects(o, string(discardedHypotheses), t.DeadEnds, 3)
	putObjects(o, string(contractGaps), t.Gaps, 4)
	if g := t.StrongestGap(); g != nil {
		o["strongest_contract_gap"] = g.json()
	}
	if grades := t.grades(now); len(grades) > 0 {
		o["verified_grades"] = grades
	}
	putText(o, "updated_at", t.UpdatedAt)
	return View{o}
}

func (t Thread) grades(now Git) object {
	o := object{}
	for _, e := range t.Verified[:min(len(t.Verified), 4)] {
		if g := t.GradeOf(e, now); g != claimed {
			o[e.Raw()] = string(g)
		}
	}
	return o
}

func putObjects[T interface{ json() object }](o object, key string, list []T, n int) {
	if list = list[:min(len(list), n)]; len(list) > 0 {
		o[key] = objects(list)
	}
}

// View returns the check with the remedies for thread id.
func (j BranchCheck) View(id ID) View {
	o := spellEntry(nil, &j)
	if j.branchGone {
		o["saved_branch_gone"] = true
	}
	if !j.Loadable {
		o["wake"], o["remedies"] = j.Wake().Raw(), values(j.Remedies(id), func(r Remedy) any { return spellEntry(nil, &r) })
	}
	return View{o}
}

// View returns the row as JSON.
func (r Row) View() View {
	o := object{
		"task_id": string(r.Thread.ID), "status": string(r.Thread.Status), "goal": r.Thread.Goal.Raw(),
		"updated_at": r.Thread.UpdatedAt.Raw(), "active": r.Active,
	}
	if r.Check.Reason != "" {
		o["loadable"], o["reason"] = r.Check.Loadable, string(r.Check.Reason)
		putText(o, "wake", r.Check.Wake())
	}
	if len(r.Items) > 0 {
		o["work_items"] = values(r.Items, func(i Owner) any {
			return object{"agent_id": string(i.Agent), "work_item_id": string(i.Item), "handle": string(i.Handle)}
		})
	}
	return View{o}
}

// View returns the parked thread as a row.
func (k Parked) View() View {
	o := object{
		"task_id": string(k.Thread.ID), "status": string(k.Thread.Status), "goal": k.Thread.Goal.Raw(),
		"reason": string(k.Check.Reason), "saved_branch": k.Check.SavedBranch.Raw(),
		"current_branch": k.Check.CurrentBranch.Raw(), "wake": k.Check.Wake().Raw(),
	}
	put(o, "source", string(k.Source))
	return View{o}
}

// View returns the answer of prepare. Except for active_work_state, keys without content are absent.
func (p Prepared) View() View {
	o := object{"active_work_state": object{}, "git": string(p.Git.State)}
	putText(o, "git_detail", p.Git.Detail)
	if p.Active != nil {
		o["active_work_state"] = p.Active.Compact(p.Git).With("freshness", Freshness(*p.Active, p.Now)).object
	}
	if p.Check.Reason != "" {
		o["work_state_git_status"] = p.checked().With("source", string(p.Source)).object
	}
	if k := p.Skipped(); k != nil {
		o["skipped_work_state"] = k.View().object
	}
	if p.Recent != nil {
		o["recent_work_state"] = p.Recent.Compact(p.Git).With("freshness", Freshness(*p.Recent, p.Now)).object
		o["recent_git_status"] = p.RecentCheck.View(p.Recent.ID).object
	}
	gaps := p.CarryoverGaps()
	putObjects(o, "carryover_gaps", gaps, 4)
	if g := Strongest(gaps); g != nil {
		o["strongest_carryover_gap"] = g.json()
	}
	if len(p.Parked) > 0 {
		o["parked"] = values(p.Parked, func(k Parked) any { return k.View().object })
	}
	return View{o}
}

func (p Prepared) checked() View {
	id := ID("")
	if k := p.Skipped(); k != nil {
		id = k.Thread.ID
	}
	return p.Check.View(id)
}

// View returns the answer to a command: the thread, and what happened to it.
func (a Receipt) View() View {
	o := a.Thread.object()
	o["changed_fields"] = fieldNames(a.Changed)
	if len(a.Patched.Evicted) > 0 {
		o["evicted"] = values(a.Patched.Evicted, func(e Eviction) any { return object{"field": string(e.Field), "entry": e.value} })
	}
	if len(a.Patched.Shortened) > 0 {
		o["shortened"] = fieldNames(a.Patched.Shortened)
	}
	putList(o, "ignored", a.Ignored)
	put(o, "paused", string(a.Paused))
	if a.Rebound {
		o["rebound"] = true
	}
	putObjects(o, "gaps_opened", a.Opened, len(a.Opened))
	putObjects(o, "gaps_cleared", a.Cleared, len(a.Cleared))
	if a.Repeated != nil {
		o["repeated_dead_end"] = a.Repeated.json()
	}
	if a.Check.Reason != "" {
		o["work_state_git_status"] = a.Check.View(a.Thread.ID).object
	}
	return View{o}
}

// FinalView returns the answer of finalize: what was written, or that nothing was, and the gaps that the run left and answered.
func (a Receipt) FinalView() View {
	o := object{"work_state_updated": nil, "contract_gaps": objects(a.Fresh), "gaps_cleared": objects(a.Cleared)}
	if a.Compliance != nil {
		o["contract_compliance"] = a.Compliance.View().object
	}
	if len(a.Changed) > 0 {
		o["work_state_updated"] = object{
			"updated": true, "task_id": string(a.Thread.ID), "fields": fieldNames(a.Changed),
			"path": ".aictx/tasks/threads/" + string(a.Thread.ID) + ".json",
		}
	}
	if a.Check.Reason != "" && !a.Check.Loadable {
		o["skipped_work_state"] = Parked{Thread: a.Thread, Check: a.Check}.View().object
	}
	return View{o}
}

// View returns the compliance as JSON.
func (v compliance) View() View {
	o := object{
		"status": v.Status, "main_issue": v.MainIssue, "score": nil,
		"violations": issues(v.Violations), "warnings": issues(v.Warnings),
	}
	put(o, "structural_alignment", v.Alignment)
	if v.Status != "not_evaluated" {
		score, _ := json.Marshal(v.Score)
		o["score"] = json.Number(score)
	}
	return View{o}
}

func issues(list []issue) []any {
	return values(list, func(s issue) any { return spellEntry(nil, &s) })
}

// Warnings returns the sentences that a command's author should read.
func (a Receipt) Warnings() []model.Text {
	var out []model.Text
	if a.Check.Loadable && a.Check.Warning != "" {
		out = append(out, a.Check.Warning)
	}
	if a.Rebound {
		out = append(out, model.Text("thread "+string(a.Thread.ID)+" belongs to ")+a.Check.CurrentBranch+" from here on")
	}
	for _, e := range a.Patched.Evicted {
		out = append(out, "the full list "+model.Text(e.Field)+" let go: "+e.Entry)
	}
	for _, f := range a.Patched.Shortened {
		out = append(out, model.Text(f)+" was longer than its limit and is shortened")
	}
	for _, key := range a.Ignored {
		if !bookkeeping[key.Raw()] {
			out = append(out, "a thread has no "+key+"; it is ignored")
		}
	}
	if a.Paused != "" {
		out = append(out, model.Text("thread "+string(a.Paused)+" was active and is paused"))
	}
	for _, name := range a.Kept {
		out = append(out, "another program saved in the same moment; what it saved is kept as .aictx/tasks/"+name)
	}
	if d := a.Repeated; d != nil {
		out = append(out, "this repeats a dead end: "+d.Hypothesis)
	}
	return out
}
