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

// With adds a member: a text, a boolean, a view, or a list of views.
func (v View) With(key string, value any) View {
	o := copyOf(v.object)
	o[key] = value
	return View{o}
}

func (v View) json() object { return v.object }

// views puts the view of each entry of a list into o, if there is any.
func views[T any](o object, key string, list []T, view func(T) View) {
	var out []View
	for _, x := range list {
		out = append(out, view(x))
	}
	putList(o, key, out)
}

// View returns the whole thread as its file holds it.
func (t Thread) View() View { return View{t.object()} }

// Compact returns the thread as an agent should see it: what helps to continue, with a few entries of each list. It is empty if the thread
// says nothing. A verified entry has its grade if it is more than a claim.
func (t Thread) Compact(now Git) View {
	t = t.Tidy(new(Patched))
	if !t.signal() {
		return View{object{}}
	}
	o := object{"task_id": t.ID, "status": t.Status}
	for _, f := range textFields {
		put(o, string(f), *t.text(f))
	}
	for _, c := range []struct {
		f Field
		n int
	}{{activeFiles, 5}, {Verified, 4}, {unverified, 4}, {recommendedCommands, 4}, {risks, 4}} {
		list := *t.list(c.f)
		putList(o, string(c.f), list[:min(len(list), c.n)])
	}
	putList(o, string(discardedHypotheses), t.DeadEnds[:min(len(t.DeadEnds), 3)])
	putList(o, string(contractGaps), t.Gaps[:min(len(t.Gaps), 4)])
	if g := t.StrongestGap(); g != nil {
		o["strongest_contract_gap"] = g
	}
	if grades := t.grades(now); len(grades) > 0 {
		o["verified_grades"] = grades
	}
	put(o, "updated_at", t.UpdatedAt)
	return View{o}
}

func (t Thread) grades(now Git) object {
	o := object{}
	for _, e := range t.Verified[:min(len(t.Verified), 4)] {
		o[e.Raw()] = t.GradeOf(e, now)
	}
	return o
}

// View returns the check with the remedies for thread id.
func (j BranchCheck) View(id ID) View {
	o := spellEntry(nil, &j)
	if j.branchGone {
		o["saved_branch_gone"] = true
	}
	if !j.Loadable {
		o["wake"], o["remedies"] = j.Wake(), j.Remedies(id)
	}
	return View{o}
}

// View returns the row as JSON.
func (r Row) View() View {
	t := r.Thread
	o := object{"task_id": t.ID, "status": t.Status, "goal": t.Goal, "updated_at": t.UpdatedAt, "active": r.Active}
	if r.Check.Reason != "" {
		o["loadable"], o["reason"] = r.Check.Loadable, r.Check.Reason
		put(o, "wake", r.Check.Wake())
	}
	putList(o, "work_items", r.Items)
	return View{o}
}

func (o Owner) json() object { return spellEntry(nil, &o) }

// ParkedView returns the row of a parked thread as JSON.
func (r Row) ParkedView() View {
	o := object{"task_id": r.Thread.ID, "status": r.Thread.Status, "goal": r.Thread.Goal, "reason": r.Check.Reason,
		"saved_branch": r.Check.SavedBranch, "current_branch": r.Check.CurrentBranch, "wake": r.Check.Wake()}
	put(o, "source", r.Source)
	return View{o}
}

// View returns the answer of prepare. Except for active_work_state, keys without content are absent.
func (p Prepared) View() View {
	o := object{"active_work_state": object{}, "git": p.Git.State}
	put(o, "git_detail", p.Git.Detail)
	if p.Active != nil {
		o["active_work_state"] = p.Active.Compact(p.Git).With("freshness", Freshness(*p.Active, p.Now))
	}
	id := ID("")
	if k := p.Skipped(); k != nil {
		o["skipped_work_state"], id = k.ParkedView(), k.Thread.ID
	}
	if p.Check.Reason != "" {
		o["work_state_git_status"] = p.Check.View(id).With("source", p.Source)
	}
	if p.Recent != nil {
		o["recent_work_state"] = p.Recent.Compact(p.Git).With("freshness", Freshness(*p.Recent, p.Now))
		o["recent_git_status"] = p.RecentCheck.View(p.Recent.ID)
	}
	gaps := p.CarryoverGaps()
	putList(o, "carryover_gaps", gaps[:min(len(gaps), 4)])
	if g := Strongest(gaps); g != nil {
		o["strongest_carryover_gap"] = g
	}
	views(o, "parked", p.Parked, Row.ParkedView)
	return View{o}
}

// View returns the answer to a command: the thread, and what happened to it.
func (a Receipt) View() View {
	o := a.Thread.object()
	o["changed_fields"] = a.Changed
	putList(o, "evicted", a.Patched.Evicted)
	putList(o, "shortened", a.Patched.Shortened)
	putList(o, "ignored", a.Ignored)
	put(o, "paused", a.Paused)
	if a.Rebound {
		o["rebound"] = true
	}
	putList(o, "gaps_opened", a.Opened)
	putList(o, "gaps_cleared", a.Cleared)
	if a.Repeated != nil {
		o["repeated_dead_end"] = a.Repeated
	}
	if a.Check.Reason != "" {
		o["work_state_git_status"] = a.Check.View(a.Thread.ID)
	}
	return View{o}
}

// FinalView returns the answer of finalize: what was written, or that nothing was, and the gaps that the run left and answered.
func (a Receipt) FinalView() View {
	o := object{"work_state_updated": nil, "contract_gaps": a.Fresh, "gaps_cleared": a.Cleared}
	if a.Compliance != nil {
		o["contract_compliance"] = a.Compliance.View()
	}
	if len(a.Changed) > 0 {
		o["work_state_updated"] = object{
			"updated": true, "task_id": a.Thread.ID, "fields": a.Changed,
			"path": ".aictx/tasks/threads/" + string(a.Thread.ID) + ".json",
		}
	}
	put(o, "nothing_kept", a.NotKept)
	if a.Check.Reason != "" && !a.Check.Loadable {
		o["skipped_work_state"] = Row{Thread: a.Thread, Check: a.Check}.ParkedView()
	}
	return View{o}
}

// View returns the compliance as JSON.
func (v compliance) View() View {
	o := object{
		"status": v.Status, "main_issue": v.MainIssue, "score": nil,
		"violations": v.Violations, "warnings": v.Warnings,
	}
	put(o, "structural_alignment", v.Alignment)
	if v.Status != "not_evaluated" {
		score, _ := json.Marshal(v.Score)
		o["score"] = json.Number(score)
	}
	return View{o}
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
	for _, f := range a.Patched.Redacted {
		out = append(out, "a secret in "+model.Text(f)+" is written as [redacted:KIND]")
	}
	for _, key := range a.Ignored {
		if !bookkeeping[key.Raw()] {
			out = append(out, "a thread has no "+key+"; it is ignored")
		}
	}
	if a.Paused != "" {
		out = append(out, model.Text("thread "+string(a.Paused)+" was active and is paused"))
	}
	for _, v := range a.Claimed {
		out = append(out, "claimed, and nobody saw it: "+v)
	}
	for _, name := range a.Kept {
		out = append(out, "another program saved in the same moment; what it saved is kept as .aictx/tasks/"+name)
	}
	if d := a.Repeated; d != nil {
		out = append(out, "this repeats a dead end: "+d.Hypothesis)
	}
	return out
}
