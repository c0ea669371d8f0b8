package thread

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"vise/model"
)

// Overview is every thread of one repository that can be continued: the active one, the paused and blocked ones, and the parked ones with
// what would wake each.
type Overview struct {
	Repo model.Text
	Git  Git
	// Rows are the threads that have not ended: the active one, the loadable ones, the parked ones, each group newest first.
	Rows []Row
	// Problem is the reason why some or all threads cannot be read.
	Problem model.Text
}

// Row is a thread in a list. Ended threads are not checked, because nobody continues them.
type Row struct {
	Thread Thread
	Check  BranchCheck
	// Source says how the active thread was found. It is empty for other threads.
	Source Source
	// Active: it is the repository's active thread and belongs to this branch.
	Active bool
	// Items are the work items that link to it.
	Items []Owner
}

// Owner is a work item that links to a thread.
type Owner struct {
	Agent  model.AgentID `key:"agent_id" empty:"kept"`
	Item   model.ItemID  `key:"work_item_id" empty:"kept"`
	Handle model.Handle  `key:"handle" empty:"kept"`
}

// Parked reports whether the thread waits for another branch.
func (b Row) Parked() bool { return !b.Check.Loadable }

// State is one word for the thread's state here.
func (b Row) State() string {
	switch {
	case b.Parked():
		return "parked"
	case b.Active:
		return "active"
	}
	return model.Spaced(b.Thread.Status)
}

// Parked counts the parked threads.
func (r Overview) Parked() (n int) {
	for _, b := range r.Rows {
		if b.Parked() {
			n++
		}
	}
	return n
}

// OverviewOf checks every thread that has not ended. It changes nothing. The error can be a *NeedLineage.
func OverviewOf(f Facts, s Stamp) (Overview, error) {
	r := Overview{Git: s.Git}
	rows, unreadable, err := live(f, s)
	if unreadable != nil {
		r.Problem = model.Text(unreadable.Error())
	}
	r.Rows = slices.DeleteFunc(rows, func(b Row) bool { return b.Thread.phantom() })
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return a.rank() - b.rank() })
	return r, err
}

// live returns the threads that have not ended, newest first, each with its check. unreadable is the reason why the active one is unknown.
func live(f Facts, s Stamp) (rows []Row, unreadable, err error) {
	active, source, unreadable := ActiveOf(f)
	if unreadable != nil {
		active = Thread{}
	}
	all, err := f.Threads()
	for _, t := range Newest(all) {
		if t.Status.Ended() {
			continue
		}
		b := Row{Thread: t}
		if t.ID == active.ID {
			b.Source = source
		}
		if b.Check, err = CheckBranch(t.Git, b.Source == FromFallback, s.Git, s.Lineages); err != nil {
			return nil, unreadable, err
		}
		b.Active = b.Source != "" && b.Check.Loadable
		rows = append(rows, b)
	}
	return rows, unreadable, err
}

// rank orders rows: the active thread, the loadable ones, the parked ones.
func (b Row) rank() int {
	switch {
	case b.Active:
		return 0
	case b.Parked():
		return 2
	}
	return 1
}

// View returns the overview as JSON.
func (r Overview) View() View {
	var rows []View
	for _, b := range r.Rows {
		rows = append(rows, b.View().With("state", b.State()))
	}
	o := object{"repo": r.Repo, "git": r.Git.State, "branch": r.Git.BranchName(), "threads": rows}
	put(o, "problem", r.Problem)
	return View{o}
}

// In returns the remedy for a user outside the repository at dir.
func (m Remedy) In(dir string) Remedy {
	if rest, ok := strings.CutPrefix(m.Command.Raw(), "git "); ok {
		m.Command = model.Text("git -C " + model.ShellLine([]string{dir}) + " " + rest)
	} else if strings.HasPrefix(m.Command.Raw(), "vise ") {
		m.Command += model.Text(" --repo " + model.ShellLine([]string{dir}))
	}
	return m
}

// Suggested returns the commands that a thread recommends and the command that answers its strongest gap, each once.
func (t Thread) Suggested() []model.Text {
	var out []model.Text
	if g := t.StrongestGap(); g != nil {
		out = push(out, g.Command)
	}
	return push(out, t.Commands...)
}

// Argv splits a command into words without a shell. Quotes group, and no other character has a meaning. It returns false if the command
// needs a shell or holds a character that a terminal would hide: then only a person can use it.
func Argv(command model.Text) ([]string, bool) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range command.Raw() {
		switch {
		case unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' ':
			return nil, false
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'', quote == '"' && !strings.ContainsRune("$`\\", r):
			word.WriteRune(r)
		case quote == '"', strings.ContainsRune("|&;<>()$`\\*?[]{}~#!", r):
			return nil, false
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	runs := quote == 0 && len(words) > 0 && words[0] != "" && words[0][0] != '-' && !strings.Contains(words[0], "=")
	return words, runs
}

// Prepared is what an author who continues the work here should know first.
type Prepared struct {
	// Active is nil if no thread is active or the active one is parked.
	Active *Thread
	Source Source
	// Check is the check of the active thread, loaded or parked. Its Reason is empty if there is none.
	Check BranchCheck
	// Recent is the newest other thread that can be loaded. It is set only without Active.
	Recent      *Thread
	RecentCheck BranchCheck
	// Parked are all threads that wait for another branch, newest first.
	Parked []Row
	// Unreadable: the active thread's file cannot be trusted.
	Unreadable error
	Git        Git
	Now        model.Text
}

// Prepare checks every thread that has not ended. It changes nothing. The error can be a *NeedLineage.
func Prepare(f Facts, s Stamp) (p Prepared, err error) {
	p.Git, p.Now = s.Git, s.At
	rows, unreadable, err := live(f, s)
	p.Unreadable = unreadable
	for _, r := range rows {
		if r.Source != "" {
			p.Check, p.Source = r.Check, r.Source
		}
		switch {
		case r.Active:
			p.Active = &r.Thread
		case r.Source != "":
			p.Parked = slices.Insert(p.Parked, 0, r)
		case r.Parked():
			p.Parked = append(p.Parked, r)
		case p.Recent == nil:
			p.Recent, p.RecentCheck = &r.Thread, r.Check
		}
	}
	if p.Active != nil {
		p.Recent, p.RecentCheck = nil, BranchCheck{}
	}
	return p, err
}

// Overlay applies a caller's patch to the active thread, only to show it. Fields in the patch replace the thread's own. Without an active
// thread, or if the patch names another thread, the patch stands alone.
func (p Prepared) Overlay(said Patch) (Prepared, error) {
	t := Thread{ID: cmp.Or(said.Task, "task"), Status: InProgress}
	if p.Active != nil && (said.Task == "" || said.Task == p.Active.ID) {
		t = *p.Active
	}
	for f := range said.Append {
		*t.list(f) = nil
	}
	if said.Uncertainties != nil {
		t.Uncertainties = nil
	}
	if said.DeadEnds != nil {
		t.DeadEnds = nil
	}
	if said.Gaps != nil {
		t.Gaps = nil
	}
	t, _, err := t.Apply(said)
	p.Active = &t
	return p, err
}

// Skipped returns the active thread if it is parked, or nil.
func (p Prepared) Skipped() *Row {
	if p.Check.Reason == "" || p.Check.Loadable {
		return nil
	}
	return &p.Parked[0]
}

// CarryoverGaps returns the gaps to show before any work: those of the active thread and of the recent one.
func (p Prepared) CarryoverGaps() (gaps []Gap) {
	if p.Active != nil {
		gaps = append(gaps, p.Active.Gaps...)
	}
	if p.Recent != nil {
		gaps = append(gaps, p.Recent.Gaps...)
	}
	return gaps
}

// Freshness labels a thread by the age of its last save.
func Freshness(t Thread, now model.Text) string {
	saved, ok1 := parseTime(t.UpdatedAt)
	at, ok2 := parseTime(now)
	if !ok1 || !ok2 {
		return "unknown"
	}
	const day = 24 * time.Hour
	switch age := at.Sub(saved); {
	case age <= 7*day:
		return "fresh"
	case age <= 30*day:
		return "recent"
	case age <= 90*day:
		return "old"
	}
	return "stale"
}
