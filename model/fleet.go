package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Fleet is what is shown of all agents: each in a few numbers, and what needs the operator
// across them. Its cost follows the number of agents and the rows shown, never the number
// of items.
type Fleet struct {
	Revision uint64        `json:"revision"`
	Agents   []FleetMember `json:"agents"`
	// More is how many agents lie beyond the first MaxFleet.
	More  bool      `json:"more,omitempty"`
	Inbox []Inboxed `json:"inbox"`
	// Snoozed are the first entries of the inbox that are hidden for now, Hidden is how many there are.
	Snoozed []Inboxed `json:"snoozed,omitempty"`
	Hidden  int       `json:"snoozed_count,omitempty"`
	// here is the revision of the home that is here, where there are hosts.
	here uint64
}

// FleetMember is an agent and its counts.
type FleetMember struct {
	Agent  Agent         `json:"agent"`
	State  AgentState    `json:"state"`
	Counts map[Class]int `json:"counts"`
	// Unseen is how many of its questions nobody acknowledged.
	Unseen int `json:"unseen,omitempty"`
	// What follows is known of the agents that were asked about (FleetOf). Why says when it runs
	// next, and what holds it back.
	Since   time.Time `json:"since,omitzero"`
	Current *Row      `json:"current,omitempty"`
	// Overlaps are files of its current work that other agents' open work changes too.
	Overlaps []Overlapped `json:"overlaps,omitempty"`
	Last     *Entry       `json:"last,omitempty"`
	Why      AgentWhy     `json:"why,omitzero"`
	// Asks is what it asks the operator, Came what was triggered and is to be reviewed, With the words
	// that came; nil and empty without. Looked: a turn or a person has seen them.
	Asks   *Inboxed `json:"asks,omitempty"`
	Came   *Inboxed `json:"came,omitempty"`
	With   Text     `json:"with,omitempty"`
	Looked bool     `json:"looked,omitempty"`
	// Next is the first of its queue.
	Next *Row `json:"next,omitempty"`
	// stalled and triggered count its items with that need.
	stalled, triggered int
}

// AgentState is what an agent is about, in one word for a list.
type AgentState string

// The states, the one that wants most attention first.
const (
	AgentAsks      AgentState = "needs you"
	AgentStalled   AgentState = "stalled"
	AgentFails     AgentState = "failing"
	AgentTriggered AgentState = "triggered, idle"
	AgentWorks     AgentState = "working"
	AgentHasWork   AgentState = "has work"
	AgentWaits     AgentState = "waiting"
	agentIdle      AgentState = "idle"
	AgentStopped   AgentState = "stopped"
)

var agentStates = []AgentState{
	AgentAsks, AgentStalled, AgentFails, AgentTriggered, AgentWorks, AgentHasWork, AgentWaits, agentIdle, AgentStopped,
}

// Bounds of a fleet.
const (
	maxFleet   = 5000
	agentsPage = 500
	// reviewFor is how long finished work asks to be looked at.
	reviewFor = 7 * 24 * time.Hour
	// pickupAfter is how long an answer may wait for a turn before it is said (console: ten minutes).
	pickupAfter = 10 * time.Minute
	// inboxHorizon bounds how many entries of a need are passed over.
	inboxHorizon = 500
)

// FleetOf reads the fleet: all agents by attention, the first entries of the inbox, and
// more about the first rows agents and those that are named.
func FleetOf(r Reader, now time.Time, rows, entries int, named ...AgentID) Fleet {
	var f Fleet
	if h, ok := r.(Homes); ok {
		return f.ofHomes(h, now, rows, entries, named)
	}
	for after := AgentID(""); ; {
		page := r.Agents(after, agentsPage)
		for _, a := range page {
			f.Agents = append(f.Agents, memberOf(r, a))
			after = a.ID
		}
		if len(page) < agentsPage || len(f.Agents) >= maxFleet {
			f.More = len(page) == agentsPage
			break
		}
	}
	return f.at(r, now, rows, entries, named)
}

// at is the fleet of these agents now.
func (f Fleet) at(r Reader, now time.Time, rows, entries int, named []AgentID) Fleet {
	f.Revision = r.Revision()
	back, later, hidden := snoozedEntries(r, now, entries)
	f.Inbox, f.Snoozed, f.Hidden = inboxWith(r, now, entries, back), later, hidden
	for i := range f.Agents {
		f.Agents[i].State = agentState(f.Agents[i].with(back), now)
	}
	slices.SortFunc(f.Agents, byAttention)
	for i := range f.Agents {
		if m := &f.Agents[i]; i < rows || slices.Contains(named, m.Agent.ID) {
			m.fill(r, now)
		}
	}
	return f
}

// AllAgents are the agents of a ledger, by id, read a page at a time.
func AllAgents(r Reader) iter.Seq[Agent] {
	return func(yield func(Agent) bool) {
		for after := AgentID(""); ; {
			page := r.Agents(after, agentsPage)
			for _, a := range page {
				if !yield(a) {
					return
				}
				after = a.ID
			}
			if len(page) < agentsPage {
				return
			}
		}
	}
}

func memberOf(r Reader, a Agent) FleetMember {
	m := FleetMember{Agent: a, Counts: map[Class]int{}, Unseen: r.Count(a.ID, NeedTally(NeedAnswer)),
		stalled: r.Count(a.ID, NeedTally(NeedNudge)), triggered: r.Count(a.ID, NeedTally(NeedReview))}
	for _, c := range Classes {
		if n := r.Count(a.ID, ClassTally(c)); n > 0 {
			m.Counts[c] = n
		}
	}
	return m
}

// with counts what came back into the inbox at the end of its snooze, which no tally counts.
func (m FleetMember) with(back map[Need][]Inboxed) FleetMember {
	if len(back) == 0 {
		return m
	}
	for need, count := range map[Need]*int{NeedAnswer: &m.Unseen, NeedNudge: &m.stalled, NeedReview: &m.triggered} {
		for _, x := range back[need] {
			if x.AgentID == m.Agent.ID {
				*count++
			}
		}
	}
	return m
}

// Working is how many agents work, as the fleet counts them.
func Working(r Reader, now time.Time) (n int) {
	back, _, _ := snoozedEntries(r, now, 0)
	for a := range AllAgents(r) {
		if agentState(memberOf(r, a).with(back), now) == AgentWorks {
			n++
		}
	}
	return n
}

func agentState(m FleetMember, now time.Time) AgentState {
	a := m.Agent
	switch {
	case a.Posture == Stopped:
		return AgentStopped
	case len(a.Permissions) > 0:
		return AgentAsks
	case a.Failing() && !a.Turn.Runs(now):
		return AgentFails
	case a.Turn.Runs(now) || m.Counts[CurrentRunnable] > 0 && m.stalled == 0:
		return AgentWorks
	case m.Unseen > 0:
		return AgentAsks
	case m.stalled > 0:
		return AgentStalled
	case m.triggered > 0:
		return AgentTriggered
	case m.Counts[QueuedRunnable] > 0 || a.QueuedInput > 0:
		return AgentHasWork
	case m.Counts[WaitingForOperator]+m.Counts[BlockedClass]+m.Counts[TriggeredBlocked] > 0:
		return AgentWaits
	}
	return agentIdle
}

func byAttention(a, b FleetMember) int {
	return cmp.Or(
		cmp.Compare(slices.Index(agentStates, a.State), slices.Index(agentStates, b.State)),
		cmp.Compare(b.Unseen, a.Unseen), cmp.Compare(b.Counts[TriggeredBlocked], a.Counts[TriggeredBlocked]),
		cmp.Compare(a.Agent.ID, b.Agent.ID),
	)
}

// Inbox is what needs the operator across all agents, the most pressing first.
func Inbox(r Reader, now time.Time, limit int) []Inboxed {
	back, _, _ := snoozedEntries(r, now, 0)
	return inboxWith(r, now, limit, back)
}

// inboxWith is the inbox with what came back into it.
func inboxWith(r Reader, now time.Time, limit int, back map[Need][]Inboxed) []Inboxed {
	var out []Inboxed
	for _, need := range Needs {
		keep := inboxRule(r, need, now)
		scanned := 0
		mergeEntries(r, need, back[need], func(x Inboxed) bool {
			scanned++
			if !need.OfOpenItem() && now.Sub(x.Since) > reviewFor {
				return false
			}
			if keep(x) {
				out = append(out, x)
			}
			return len(out) < limit && scanned < inboxHorizon
		})
		if len(out) >= limit {
			break
		}
	}
	// What was acknowledged and stays is at the end.
	last := map[bool]int{true: 1}
	slices.SortStableFunc(out, func(a, b Inboxed) int { return last[a.Seen] - last[b.Seen] })
	return out
}

// inboxRule says which entries count now: an answer has its time to be taken, and a trigger
// is the agent's own business while it works.
func inboxRule(r Reader, need Need, now time.Time) func(Inboxed) bool {
	switch need {
	case NeedPickup:
		return func(x Inboxed) bool { return now.Sub(x.Since) >= pickupAfter }
	case NeedReview:
		busy := map[AgentID]bool{}
		return func(x Inboxed) bool {
			if _, known := busy[x.AgentID]; !known {
				a, _ := r.Agent(x.AgentID)
				busy[x.AgentID] = a.Turn.Runs(now) || r.Count(x.AgentID, ClassTally(CurrentRunnable)) > 0
			}
			return !busy[x.AgentID]
		}
	}
	return func(Inboxed) bool { return true }
}

// Need is why an item needs the operator's attention. It is derived, like a class.
type Need string

// The needs, the most pressing first. What an agent cannot do by itself comes before what
// only waits to be looked at.
const (
	// NeedPermit: an agent's program waits for a permission.
	NeedPermit Need = "permission"
	// NeedAnswer: it asks, or its plan needs input.
	NeedAnswer Need = "asks"
	// NeedRepair: an agent's program fails.
	NeedRepair Need = "failing"
	// NeedNudge: it is stalled: its agent had turns enough for it, and nothing came of them.
	NeedNudge Need = "stalled"
	// NeedPickup: it was answered, and no turn has taken the answer yet.
	NeedPickup Need = "answered"
	// NeedReview: it was triggered, and its agent has not looked at it.
	NeedReview Need = "triggered"
	// NeedChoice: it was completed without a report, and one is offered.
	NeedChoice Need = "report_offered"
	// NeedReport: it was completed without a report.
	NeedReport Need = "unreported"
	// NeedLook: it was completed with todos that are not.
	NeedLook Need = "unfinished"
)

// Needs is their order; the first six are not of finished work.
var Needs = []Need{NeedPermit, NeedAnswer, NeedRepair, NeedNudge, NeedPickup, NeedReview, NeedChoice, NeedReport, NeedLook}

// OfOpenItem reports whether it is a need of work that goes on. Those are read longest
// waiting first, the needs of finished work newest first.
func (n Need) OfOpenItem() bool {
	return slices.Contains(Needs[:6], n)
}

// Snoozed is no need: it gathers, apart from their needs, the entries that were snoozed, the one whose snooze
// ends first first, and those without a time at the end. Reader.Inbox knows it.
const Snoozed Need = "snoozed"

// NeedTally counts the items of an agent with a need that nobody acknowledged or snoozed.
func NeedTally(n Need) Tally { return Tally("need:" + n) }

// Inboxed is an item as the inbox shows it.
type Inboxed struct {
	Row
	Need Need `json:"need"`
	// Since is when the need arose.
	Since time.Time `json:"since"`
	// Seen: the operator acknowledged it. Only a question and stalled work stay in the inbox then.
	Seen bool `json:"seen,omitempty"`
	// Snoozed: it is hidden until SnoozedUntil; where that is zero, until the item changes. Of one that came back
	// SnoozedUntil is when.
	Snoozed      bool      `json:"snoozed,omitempty"`
	SnoozedUntil time.Time `json:"snoozed_until,omitzero"`
}

// Urgent reports whether it waits for the operator's word, and nobody acknowledged it.
func (x Inboxed) Urgent() bool {
	return !x.Seen && slices.Contains([]Need{NeedPermit, NeedAnswer, NeedRepair, NeedNudge, NeedChoice}, x.Need)
}

// Matter is what an acknowledgement is about: the same need since another instant is news.
func (x Inboxed) Matter() string { return fmt.Sprintf("%s@%d", x.Need, x.Since.UnixNano()) }

// InboxOf is an item's place in the inbox; ok is false when it has none.
func InboxOf(f Facts, w WorkItem, waits []Wait, current bool) (x Inboxed, ok bool) {
	x.Row = RowOf(w, waits, current)
	if x.Need, x.Since = needOf(f, w, waits, x.Row); x.Need == "" {
		return x, false
	}
	seen, acknowledged := f.Seen(w.AgentID, w.ID)
	x.Seen = acknowledged && seen.Matter == x.Matter()
	if z := seen.Snooze; z.of(x, w) {
		x.Snoozed, x.SnoozedUntil = true, z.Until
	}
	return x, !x.Seen || x.Need.staysSeen()
}

// staysSeen reports whether an acknowledged need stays in the inbox, at its end: nothing but an
// answer or news ends it.
func (n Need) staysSeen() bool { return n == NeedAnswer || n == NeedNudge }

// needOf is an item's most pressing need, and since when it has it.
func needOf(f Facts, w WorkItem, waits []Wait, r Row) (Need, time.Time) {
	switch {
	case w.State == Completed:
		return needOfDone(f, w)
	case r.NeedsOperator:
		return NeedAnswer, askedSince(w, waits)
	}
	if stalled(f, r) {
		t, _ := f.Attempt(w.AgentID, w.ID)
		return NeedNudge, t.LastAt
	}
	if n := len(w.Replies); n > 0 {
		if m, ok := f.Message(w.Replies[n-1].MessageID); ok && m.Status == MessageQueued {
			return NeedPickup, w.Replies[n-1].At
		}
	}
	if r.Class == TriggeredBlocked && !r.IsCurrent {
		return NeedReview, r.Wait.LastTriggeredAt
	}
	return "", time.Time{}
}

func needOfDone(f Facts, w WorkItem) (Need, time.Time) {
	done, _, total := w.TodoCounts()
	_, declined := f.Offers(w.AgentID, w.ID) // unless one waits to be chosen
	switch {
	case w.OffersReport():
		return NeedChoice, w.UpdatedAt
	case w.ResultSummary == "" && !declined:
		return NeedReport, w.UpdatedAt
	case done < total:
		return NeedLook, w.UpdatedAt
	}
	return "", time.Time{}
}

// askedSince is when the oldest question was asked that has no answer; a plan that needs
// input says it with the item's last change.
func askedSince(w WorkItem, waits []Wait) time.Time {
	for _, x := range waits {
		if x.Kind == WaitOperator && !x.Triggered() {
			return x.CreatedAt
		}
	}
	return w.UpdatedAt
}
