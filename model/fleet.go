package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Fleet is the view of all agents: a few numbers for each, and what needs the operator across all of them. Its cost follows the
// number of agents and of shown rows, never the number of items.
type Fleet struct {
	Revision uint64        `json:"revision"`
	Agents   []FleetMember `json:"agents"`
	// More is how many agents there are beyond the first MaxFleet.
	More  bool      `json:"more,omitempty"`
	Inbox []Inboxed `json:"inbox"`
	// Snoozed are the first hidden entries of the inbox; Hidden is the number of all.
	Snoozed []Inboxed `json:"snoozed,omitempty"`
	Hidden  int       `json:"snoozed_count,omitempty"`
	// here is the revision of this machine's home, if the fleet has hosts.
	here uint64
}

// FleetMember is an agent and its counts.
type FleetMember struct {
	Agent  Agent         `json:"agent"`
	State  AgentState    `json:"state"`
	Counts map[Class]int `json:"counts"`
	// Unseen is how many of its questions nobody acknowledged.
	Unseen int `json:"unseen,omitempty"`
	// The fields from here on are filled only for the agents that FleetOf reads in full. Why says when the agent runs next, and
	// what holds it back.
	Since   time.Time `json:"since,omitzero"`
	Current *Row      `json:"current,omitempty"`
	// Overlaps are files of its current work that other agents' open work changes too.
	Overlaps []Overlapped `json:"overlaps,omitempty"`
	Last     *Entry       `json:"last,omitempty"`
	Why      AgentWhy     `json:"why,omitzero"`
	// Asks is its question to the operator, Came its triggered item to review, With the words of that trigger; nil and empty
	// without. Looked: a turn or a person has seen the trigger.
	Asks   *Inboxed `json:"asks,omitempty"`
	Came   *Inboxed `json:"came,omitempty"`
	With   Text     `json:"with,omitempty"`
	Looked bool     `json:"looked,omitempty"`
	// Next is the first item of its queue.
	Next *Row `json:"next,omitempty"`
	// stalled and triggered count its items with these needs.
	stalled, triggered int
}

// AgentState says in one word what an agent does, for a list.
type AgentState string

// The states; those that need most attention come first.
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
	// reviewFor is how long finished work stays in the inbox.
	reviewFor = 7 * 24 * time.Hour
	// pickupAfter is how long an answer can wait for a turn before the inbox shows it (console: ten minutes).
	pickupAfter = 10 * time.Minute
	// inboxHorizon bounds how many entries of a need are skipped.
	inboxHorizon = 500
)

// FleetOf reads the fleet: all agents in the order of attention, the first entries of the inbox, and the remaining fields of
// the first rows agents and of the named agents.
func FleetOf(r Reader, now time.Time, rows, entries int, named ...AgentID) Fleet {
	var f Fleet
	if h, ok := r.(Homes); ok {
		return f.ofHomes(h, now, rows, entries, named)
	}
	for a := range AllAgents(r) {
		if f.More = len(f.Agents) == maxFleet; f.More {
			break
		}
		f.Agents = append(f.Agents, memberOf(r, a))
	}
	return f.at(r, now, rows, entries, named)
}

// at is the fleet of these agents at now.
func (f Fleet) at(r Reader, now time.Time, rows, entries int, named []AgentID) Fleet {
	f.Revision = r.Revision()
	back, later, hidden := SnoozedEntries(r, now, entries)
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

// AllAgents are the agents of a ledger, by id. It reads them page by page.
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

// with adds the entries whose snooze ended, because no tally counts them.
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

// Working is how many agents work, by the fleet's count.
func Working(r Reader, now time.Time) (n int) {
	back, _, _ := SnoozedEntries(r, now, 0)
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
	back, _, _ := SnoozedEntries(r, now, 0)
	return inboxWith(r, now, limit, back)
}

// inboxWith is the inbox with the entries whose snooze ended.
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
	// Acknowledged entries that stay are at the end.
	last := map[bool]int{true: 1}
	slices.SortStableFunc(out, func(a, b Inboxed) int { return last[a.Seen] - last[b.Seen] })
	return out
}

// inboxRule says which entries count now. An answer counts only after some time without a turn, and a trigger only while its
// agent does not work.
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

// The needs, the most pressing first. Work that the agent cannot continue by itself comes before work that is only to be looked
// at.
const (
	// NeedPermit: an agent's program asks for a permission.
	NeedPermit Need = "permission"
	// NeedAnswer: the item has a question, or its plan needs input.
	NeedAnswer Need = "asks"
	// NeedRepair: an agent's program fails.
	NeedRepair Need = "failing"
	// NeedNudge: the item is stalled.
	NeedNudge Need = "stalled"
	// NeedPickup: what the item asked was answered, and no turn took the answer yet.
	NeedPickup Need = "answered"
	// NeedReview: the item was triggered, and its agent has not looked at it.
	NeedReview Need = "triggered"
	// NeedChoice: the item was completed without a report, and a report is offered.
	NeedChoice Need = "report_offered"
	// NeedReport: the item was completed without a report.
	NeedReport Need = "unreported"
	// NeedLook: the item was completed with unfinished todos.
	NeedLook Need = "unfinished"
)

// Needs are all needs, in this order; the first six are of unfinished work.
var Needs = []Need{NeedPermit, NeedAnswer, NeedRepair, NeedNudge, NeedPickup, NeedReview, NeedChoice, NeedReport, NeedLook}

// OfOpenItem reports whether n is a need of unfinished work. Those are listed longest waiting first, the needs of finished work
// newest first.
func (n Need) OfOpenItem() bool {
	return slices.Contains(Needs[:6], n)
}

// Snoozed is not a need. It collects the snoozed entries; each also has its own need. The entry whose snooze ends first comes
// first, those without a time come last. Reader.Inbox knows it.
const Snoozed Need = "snoozed"

// NeedTally counts the items of an agent with a need that nobody acknowledged or snoozed.
func NeedTally(n Need) Tally { return Tally("need:" + n) }

// Inboxed is an item as the inbox shows it.
type Inboxed struct {
	Row
	Need Need `json:"need"`
	// Since is when the need arose.
	Since time.Time `json:"since"`
	// Seen: the operator acknowledged the entry. Then it stays in the inbox only if it is a question or stalled work.
	Seen bool `json:"seen,omitempty"`
	// Snoozed: the entry is hidden until SnoozedUntil or, if that is zero, until the item changes. If the snooze is over,
	// SnoozedUntil is its end.
	Snoozed      bool      `json:"snoozed,omitempty"`
	SnoozedUntil time.Time `json:"snoozed_until,omitzero"`
}

// Urgent reports whether the entry needs the operator's word and nobody acknowledged it.
func (x Inboxed) Urgent() bool {
	return !x.Seen && slices.Contains([]Need{NeedPermit, NeedAnswer, NeedRepair, NeedNudge, NeedChoice}, x.Need)
}

// Matter names what an acknowledgement is for. The same need since another instant is a new matter.
func (x Inboxed) Matter() string { return fmt.Sprintf("%s@%d", x.Need, x.Since.UnixNano()) }

// InboxOf is an item's entry in the inbox; ok is false if it has none.
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

// staysSeen reports whether an acknowledged need stays in the inbox, at its end, until an answer or news ends it.
func (n Need) staysSeen() bool { return n == NeedAnswer || n == NeedNudge }

// needOf is an item's most pressing need, and the time since when it has it.
func needOf(f Facts, w WorkItem, waits []Wait, r Row) (Need, time.Time) {
	if w.State == Completed {
		return needOfDone(f, w)
	}
	said := newestReply(f, w)
	if r.NeedsOperator && !said.Settles(waits) {
		return NeedAnswer, askedSince(w, waits)
	}
	if stalled(f, r) {
		t, _ := f.Attempt(w.AgentID, w.ID)
		return NeedNudge, t.LastAt
	}
	if said.Delivery == MessageQueued || r.NeedsOperator {
		return NeedPickup, said.At
	}
	if r.Class == TriggeredBlocked && !r.IsCurrent {
		return NeedReview, r.Wait.LastTriggeredAt
	}
	return "", time.Time{}
}

// newestReply is the item's newest answer; the zero value without one.
func newestReply(f Facts, w WorkItem) (d Delivered) {
	if n := len(w.Replies); n > 0 {
		w.Replies = w.Replies[n-1:]
		d = deliveredOf(f, w)[0]
	}
	return d
}

// Unread reports whether the agent has not had the answer yet: no turn took it, or that turn still runs.
func (d Delivered) Unread() bool { return d.Delivery == MessageQueued || d.Delivery == MessageSent }

// Settles reports whether an unread answer, given while the plan needed input, is the last word: nothing was asked since.
func (d Delivered) Settles(waits []Wait) bool {
	return d.Unread() && d.PlanAsked && !slices.ContainsFunc(waits, Wait.asks)
}

// NotYetRead is what is said of a need with an unread answer.
const NotYetRead = "answered, not yet read"

func needOfDone(f Facts, w WorkItem) (Need, time.Time) {
	done, _, total := w.TodoCounts()
	_, declined := f.Offers(w.AgentID, w.ID) // unless an offered report waits for a choice
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

// askedSince is the time of the oldest question without an answer. For a plan that needs input it is the time of the item's
// last change.
func askedSince(w WorkItem, waits []Wait) time.Time {
	for _, x := range waits {
		if x.asks() {
			return x.CreatedAt
		}
	}
	return w.UpdatedAt
}
