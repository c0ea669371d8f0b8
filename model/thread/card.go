package thread

import (
	"fmt"
	"slices"

	"vise/model"
)

// Card is the resume card. It says where the work on one item, or in one repository, was left.
type Card struct {
	// Repo is the repository's directory.
	Repo model.Text
	// Thread is the thread to continue, or nil.
	Thread *Thread
	// Linked says that a work item links to the thread. Otherwise it is the repository's active thread.
	Linked bool
	Check  BranchCheck
	Git    Git
	// Suspended are the paused and blocked threads here, newest first; Thread is the first of them. Only ResumeOf sets it, if no thread is
	// linked or active.
	Suspended []Row
	// Parked are the threads that wait for another branch.
	Parked []Row
	// Elsewhere are the linked threads in other repositories.
	Elsewhere []model.ThreadLink
	// Worktree is the work tree that an item links to, as the console shows it. An empty path means none.
	Worktree Worktree
	// Problem is the reason why the threads cannot be read.
	Problem model.Text
}

// Empty reports whether there is nothing to show.
func (c Card) Empty() bool {
	return c.Thread == nil && len(c.Parked)+len(c.Elsewhere) == 0 && c.Problem == ""
}

// CardKind says how a row of the card is emphasised.
type CardKind int

const (
	CardPlain CardKind = iota
	CardStrong
	CardWarning
	CardMuted
)

// cardRow is a line of the card with its label. Several rows can have the same label.
type cardRow struct {
	Label string
	Text  model.Text
	Kind  CardKind
}

// Rows returns the card in the order in which a reader needs it: the objective, the next action, the reason, what is open, what not to try
// again, where, and whether the thread can be loaded here.
func (c Card) Rows(objective model.Text) []cardRow {
	var rows cardRows
	rows.add("problem", CardWarning, c.Problem)
	rows.add("objective", CardPlain, objective)
	if t := c.Thread; t != nil {
		c.thread(&rows, *t)
	}
	for _, r := range c.Suspended[min(1, len(c.Suspended)):] {
		rows.add("suspended", CardMuted, model.Text(r.Thread.ID)+": "+r.Thread.suspended())
		rows.add("go on", CardPlain, r.Thread.goOn())
	}
	for _, k := range c.Parked {
		rows.add("parked", CardWarning, model.Text(k.Thread.ID)+": "+k.Thread.Goal)
		if c.Thread == nil {
			rows.branch(k.Check, k.Thread.ID)
		} else {
			rows.add("wakes", CardMuted, k.Check.Wake())
		}
	}
	for _, l := range c.Elsewhere {
		rows.add("elsewhere", CardMuted, l.TaskID+" in "+l.Repo)
	}
	return rows
}

func (c Card) thread(rows *cardRows, t Thread) {
	name := fmt.Sprintf("%s, %s", t.ID, model.Spaced(t.Status))
	if !c.Linked && len(c.Suspended) == 0 {
		name += "; active in this repository"
	}
	rows.add("thread", CardMuted, model.Text(name))
	if len(c.Suspended) > 0 {
		rows.add("suspended", CardWarning, t.suspended())
		rows.add("go on", CardPlain, t.goOn())
	}
	rows.add("goal", CardPlain, t.Goal)
	rows.add("next", CardStrong, t.NextAction)
	rows.add("why", CardPlain, t.Hypothesis)
	*rows = append(*rows, t.Details(c.Check, c.Git)...)
}

// Details are the rows that follow a thread's goal and hypothesis.
func (t Thread) Details(j BranchCheck, now Git) []cardRow {
	var rows cardRows
	rows.each("unverified", CardPlain, t.Unverified)
	if g := t.StrongestGap(); g != nil {
		rows.add("gap", CardWarning, model.Text(g.Severity)+": "+g.Summary)
	}
	for _, v := range t.Verified {
		rows.add("verified", CardPlain, model.Text(gradeMark(t.GradeOf(v, now))+" ")+v)
	}
	for _, u := range t.Uncertainties {
		rows.add("uncertain", CardPlain, u.Line())
	}
	for _, d := range t.DeadEnds {
		rows.add("dead end", CardMuted, d.Line())
	}
	rows.each("dead end", CardMuted, t.DiscardedPaths)
	rows.each("risk", CardWarning, t.Risks)
	rows.each("file", CardMuted, t.ActiveFiles)
	rows.each("run", CardPlain, t.Commands)
	rows.each("execution", CardMuted, t.ExecutionIDs)
	rows.branch(j, t.ID)
	return rows
}

// suspended returns a thread's status, since when it has it, and its strongest gap.
func (t Thread) suspended() model.Text {
	why := model.Text(model.Spaced(t.Status)) + " since " + t.UpdatedAt
	if g := t.StrongestGap(); g != nil {
		why += "; gap: " + model.Text(g.Severity) + ": " + g.Summary
	}
	return why
}

func (t Thread) goOn() model.Text { return model.Text("vise thread resume " + string(t.ID)) }

// gradeMark shows how far an entry is verified with a mark and a word, so that neither a colour nor a font is needed.
func gradeMark(g grade) string {
	return map[grade]string{claimed: "○ claimed:", observed: "◐ observed:", verifiedAtHead: "● verified at HEAD:"}[g]
}

type cardRows []cardRow

func (r *cardRows) add(label string, kind CardKind, t model.Text) {
	if t != "" {
		*r = append(*r, cardRow{label, t, kind})
	}
}

func (r *cardRows) each(label string, kind CardKind, list []model.Text) {
	for _, t := range list {
		r.add(label, kind, t)
	}
}

// branch adds the git line and, for a parked thread, the remedies.
func (r *cardRows) branch(j BranchCheck, id ID) {
	kind := CardMuted
	if j.Warning != "" || !j.Loadable {
		kind = CardWarning
	}
	r.add("git", kind, j.Line())
	for _, m := range j.Remedies(id) {
		r.add(m.Kind, CardPlain, m.Command)
	}
}

// View returns the card as JSON.
func (c Card) View() View {
	o := object{"repo": c.Repo, "git": c.Git.State, "linked": c.Linked, "thread": nil}
	if c.Thread != nil {
		o["thread"], o["work_state_git_status"] = c.Thread.View(), c.Check.View(c.Thread.ID)
		if g := c.Thread.StrongestGap(); g != nil {
			o["strongest_contract_gap"] = g
		}
		if grades := c.Thread.grades(c.Git); len(grades) > 0 {
			o["verified_grades"] = grades
		}
	}
	views(o, "suspended", c.Suspended, Row.View)
	views(o, "parked", c.Parked, func(k Row) View {
		return k.ParkedView().With("work_state_git_status", k.Check.View(k.Thread.ID))
	})
	views(o, "elsewhere", c.Elsewhere, func(l model.ThreadLink) View {
		return View{object{"repo": l.Repo, "task_id": l.TaskID}}
	})
	put(o, "problem", c.Problem)
	return View{o}
}

// MarshalJSON writes the View.
func (c Card) MarshalJSON() ([]byte, error) { return c.View().MarshalJSON() }

// CardOf chooses what the card shows: the newest live thread that the item links to and that can be loaded here, threads in progress first.
// If the item links to no thread here, or no item is asked about, it is the repository's active thread. Ended threads are shown only if no
// other thread is linked. The error can be a *NeedLineage.
func CardOf(f Facts, s Stamp, linked []ID) (Card, error) {
	c := Card{Git: s.Git}
	if len(linked) == 0 {
		t, source, err := ActiveOf(f)
		if err != nil || t.ID == "" {
			return c, err
		}
		j, err := CheckBranch(t.Git, source == FromFallback, s.Git, s.Lineages)
		c.take(t, source, j)
		return c, err
	}
	var known []Thread
	for _, id := range linked {
		t, there, err := f.Thread(id)
		if err != nil {
			return c, err
		}
		if there {
			known = append(known, t)
		}
	}
	for _, t := range byLife(known) {
		if t.Status.Ended() && (c.Thread != nil || len(c.Parked) > 0) {
			continue
		}
		j, err := CheckBranch(t.Git, false, s.Git, s.Lineages)
		if err != nil {
			return c, err
		}
		if c.Thread == nil || !j.Loadable {
			c.take(t, "", j)
		}
	}
	c.Linked = c.Thread != nil
	return c, nil
}

// ResumeOf is CardOf for a caller that looks for work to continue here. If no thread is linked or active, it returns the paused and blocked
// threads, and those that wait for another branch.
func ResumeOf(f Facts, s Stamp, linked []ID) (Card, error) {
	c, err := CardOf(f, s, linked)
	if err != nil || c.Thread != nil || len(linked) > 0 && len(c.Parked) > 0 {
		return c, err
	}
	all, err := OverviewOf(f, s)
	c.Parked = nil
	for _, r := range all.Rows {
		if r.Parked() {
			c.Parked = append(c.Parked, r)
		} else {
			c.Suspended = append(c.Suspended, r)
		}
	}
	if len(c.Suspended) > 0 {
		c.Thread, c.Check = &c.Suspended[0].Thread, c.Suspended[0].Check
	}
	return c, err
}

func (c *Card) take(t Thread, source Source, j BranchCheck) {
	if !j.Loadable {
		c.Parked = append(c.Parked, Row{Thread: t, Source: source, Check: j})
		return
	}
	c.Thread, c.Check = &t, j
}

// byLife sorts threads: in progress, then the other live ones, then the ended ones, each newest first.
func byLife(list []Thread) []Thread {
	rank := func(t Thread) int {
		switch {
		case t.Status == InProgress:
			return 0
		case !t.Status.Ended():
			return 1
		}
		return 2
	}
	out := Newest(list)
	slices.SortStableFunc(out, func(a, b Thread) int { return rank(a) - rank(b) })
	return out
}
