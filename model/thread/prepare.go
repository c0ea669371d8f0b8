package thread

import (
	"time"

	"vise/model"
)

// Prepared is what somebody who takes up the work here should know, before anything else.
type Prepared struct {
	// Active is nil when no thread is active, or when the active one is parked.
	Active *Thread
	Source Source
	// Check is about the active thread, loaded or parked; its Reason is empty without one.
	Check BranchCheck
	// Recent is the newest paused or blocked thread that may be loaded; only without Active.
	Recent      *Thread
	RecentCheck BranchCheck
	// Parked are all threads that wait for another branch, the newest first.
	Parked []Parked
	// Unreadable: the active thread's file cannot be trusted.
	Unreadable error
	Git        Git
	Now        model.Text
}

// Parked is a thread that may not be loaded here, and why.
type Parked struct {
	Thread Thread
	Source Source
	Check  BranchCheck
}

// Prepare checks every thread that is not ended. It changes nothing. The error may be a
// *NeedLineage.
func Prepare(f Facts, s Stamp) (Prepared, error) {
	p := Prepared{Git: s.Git, Now: s.At}
	active, source, err := ActiveOf(f)
	if err != nil {
		p.Unreadable, active = err, Thread{}
	}
	if active.ID != "" {
		if err := p.takeActive(active, source, s); err != nil {
			return p, err
		}
	}
	all, err := f.Threads()
	if err != nil {
		return p, err
	}
	for _, t := range Newest(all) {
		if t.ID == active.ID || t.Status.Ended() {
			continue
		}
		if err := p.takeOther(t, s); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *Prepared) takeActive(t Thread, source Source, s Stamp) error {
	j, err := CheckBranch(t.Git, source == FromFallback, s.Git, s.Lineages)
	p.Check, p.Source = j, source
	if err != nil {
		return err
	}
	if j.Loadable {
		p.Active = &t
		return nil
	}
	p.Parked = append(p.Parked, Parked{t, source, j})
	return nil
}

func (p *Prepared) takeOther(t Thread, s Stamp) error {
	j, err := CheckBranch(t.Git, false, s.Git, s.Lineages)
	switch {
	case err != nil:
		return err
	case !j.Loadable:
		p.Parked = append(p.Parked, Parked{Thread: t, Check: j})
	case p.Active == nil && p.Recent == nil && t.Status != InProgress:
		p.Recent, p.RecentCheck = &t, j
	}
	return nil
}

// Skipped is the active thread when it is parked; nil otherwise.
func (p Prepared) Skipped() *Parked {
	if p.Check.Reason == "" || p.Check.Loadable {
		return nil
	}
	return &p.Parked[0]
}

// CarryoverGaps are the gaps to show before anything that is done: the active thread's,
// else the recent one's.
func (p Prepared) CarryoverGaps() []Gap {
	switch {
	case p.Active != nil:
		return p.Active.Gaps
	case p.Recent != nil:
		return p.Recent.Gaps
	}
	return nil
}

// Freshness labels a thread by the age of its last save.
func Freshness(t Thread, now model.Text) string {
	saved, ok1 := ParseTime(t.UpdatedAt)
	at, ok2 := ParseTime(now)
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
