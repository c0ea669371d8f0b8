package home

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// The program's steps for an item, turn by turn. It goes on to the next word when the previous one succeeded. A word
// that waits is woken in a later turn.
var nightWork = []string{
	"complete", "edit complete", "ask complete", "wait complete", "quiet complete", "fail complete",
	"wonder complete", "early complete", "edit fail ask edit complete", "quiet quiet wait complete",
}

// night is a night of three agents. Their program is quiet, fails, asks, edits its plan and completes in turns. Two
// drivers are killed, and one agent does nothing for hours.
type night struct {
	*bench
	agents []model.AgentID
	// done counts the finished words of each item; asleep is when nothing happens.
	done   map[model.ItemID]int
	asleep map[model.AgentID][2]time.Time
	// items are those of the night, turns its turns.
	items map[model.ItemID]model.AgentID
	turns map[model.AgentID][]nightTurn
	// retries is how often the operator retried an agent.
	retries map[model.AgentID]int
	// kills are the turns, counted over all agents, in which the driver is killed.
	kills []int
	// asked has the questions, and whether they were answered; told has the acknowledged deliveries, and whether a turn
	// saw them; url is the stable address of each agent.
	asked map[model.WaitID]bool
	told  map[model.Text]bool
	url   map[model.AgentID]model.IngressID
	// unseen are questions that the inbox lacked; unexplained are items and agents without an explanation.
	unseen, unexplained []string
}

// nightTurn is a turn: whether it made progress, whether it got words of the operator, whether its driver was killed,
// and how often the operator had retried its agent.
type nightTurn struct {
	at                      time.Time
	progress, heard, killed bool
	retries                 int
}

// A night of 200 items: turns make progress where they can, an agent that changes nothing has few of them, no question
// is overlooked, no trigger is lost, and everything that does not run is explained (docs/lifecycle.md 11, 12, 18 to
// 21).
func TestANight(t *testing.T) {
	storetest.Slow(t)
	items := storetest.Amount(40, 200)
	bubble(t, func(b *bench) {
		n := newNight(b, items)
		b.start(nil)
		begun := time.Now()
		for n.left() > 0 && time.Since(begun) < 48*time.Hour {
			b.pass(10 * time.Second)
			for _, a := range n.agents {
				n.drive(a)
			}
			n.look()
			if minutes := time.Since(begun) / (10 * time.Second); minutes%60 == 0 {
				n.answer()
			}
		}
		n.report(time.Since(begun))
	})
}

func newNight(b *bench, items int) *night {
	n := &night{bench: b, agents: []model.AgentID{"ann", "bob", "cid"}, done: map[model.ItemID]int{}, items: map[model.ItemID]model.AgentID{},
		turns: map[model.AgentID][]nightTurn{}, retries: map[model.AgentID]int{}, kills: []int{items / 5, items / 2}, asked: map[model.WaitID]bool{},
		told: map[model.Text]bool{}, url: map[model.AgentID]model.IngressID{}, asleep: map[model.AgentID][2]time.Time{}}
	for i := range items {
		agent := n.agents[i%len(n.agents)]
		id := n.as(agent, model.CreateWorkItem{Objective: model.Text(nightWork[i/len(n.agents)%len(nightWork)])}).WorkItemID
		n.items[id] = agent
		b.pass(time.Second)
	}
	for i, agent := range n.agents {
		n.url[agent] = n.as(agent, model.MintIngress{AgentID: agent, Resource: "ci", TokenHash: fmt.Sprintf("%064x", i)}).IngressID
	}
	n.asleep["cid"] = [2]time.Time{time.Now().Add(time.Hour), time.Now().Add(5 * time.Hour)}
	return n
}

// as applies a command as an agent.
func (n *night) as(agent model.AgentID, c model.Command) model.Receipt {
	return n.by(model.AgentActor(agent), agent, c)
}

func (n *night) by(actor model.Actor, agent model.AgentID, c model.Command) model.Receipt {
	n.t.Helper()
	in, err := n.ledger.Apply(n.ctx, model.Envelope{Key: n.key(), Actor: actor, Agent: agent, Command: c})
	if err != nil {
		n.t.Fatalf("%s of %s: %v", model.CommandName(c), agent, err)
	}
	return in
}

func (n *night) left() (open int) {
	n.view(func(r model.Reader) {
		for _, a := range n.agents {
			open += r.Count(a, model.TallyOpen)
		}
	})
	return open
}

// drive runs a turn of an agent if one is due.
func (n *night) drive(agent model.AgentID) {
	var tick string
	var due bool
	n.view(func(r model.Reader) { tick, due = model.TurnDue(r, agent, time.Now()) })
	if !due {
		return
	}
	in := n.by(model.Scheduler, agent, model.ClaimTurn{AgentID: agent, Holder: "a driver", Tick: tick})
	began := nightTurn{at: time.Now(), heard: len(in.Messages) > 0, retries: n.retries[agent]}
	count := 0
	for _, list := range n.turns {
		count += len(list)
	}
	if slices.Contains(n.kills, count) {
		began.killed = true // its lease runs out
		n.turns[agent] = append(n.turns[agent], began)
		return
	}
	n.pass(5 * time.Second)
	outcome := model.TurnCompleted
	for _, item := range n.about(agent, tick, in.Messages) {
		progress, failed := n.play(agent, item)
		began.progress = began.progress || progress
		if failed {
			outcome = model.TurnFailed
		}
	}
	n.by(model.Scheduler, agent, model.EndTurn{AgentID: agent, Turn: in.Turn, Outcome: outcome, Reason: "as it was told"})
	n.turns[agent] = append(n.turns[agent], began)
}

// about are the items of a turn: of its messages, its focus, its offer.
func (n *night) about(agent model.AgentID, tick string, messages []model.MessageID) (out []model.ItemID) {
	n.view(func(r model.Reader) {
		for _, id := range messages {
			if m, _ := r.Message(id); m.WorkItemID != "" {
				out = append(out, m.WorkItemID)
			}
		}
		if w, ok := model.Focus(r, agent); ok && len(out) == 0 {
			out = append(out, w.ID)
		}
		if part := strings.Split(tick, ":"); len(part) > 2 && len(out) == 0 {
			out = append(out, model.ItemID(part[2]))
		}
	})
	return out
}

// play carries out the next word of an item, as its agent.
func (n *night) play(agent model.AgentID, id model.ItemID) (progress, failed bool) {
	if now := time.Now(); now.After(n.asleep[agent][0]) && now.Before(n.asleep[agent][1]) {
		return false, false
	}
	var w model.WorkItem
	var waits []model.Wait
	n.view(func(r model.Reader) { w, _ = r.Item(id); waits = r.ItemWaits(agent, id) })
	if w.State == model.Completed {
		return false, false
	}
	for _, x := range waits {
		if !x.Triggered() {
			return false, false // it still waits
		}
		if x.Kind == model.WaitExternal {
			n.told[x.LastTrigger.Payload] = true
		}
	}
	words := strings.Fields(w.Objective.Raw())
	word := words[min(n.done[id], len(words)-1)]
	n.done[id]++
	if word == "quiet" || word == "fail" {
		return false, word == "fail"
	}
	n.as(agent, model.PickWorkItem{WorkItemID: id, Reason: "it is offered", ClearBlocker: w.BlockedBy != ""})
	switch word {
	case "edit":
		plan := model.NewPlanArtifact(agent, id, []byte(n.key()), time.Now())
		n.by(model.Watcher, agent, model.RefreshPlan{WorkItemID: id, Plan: plan})
	case "ask":
		n.asked[n.as(agent, model.WaitFor{WorkItemID: id, Reason: "a word", Wake: model.WakeOperatorInput, Question: "May I?"}).WaitID] = false
	case "wonder": // it completes the item, and asks a question without an item
		n.complete(agent, id)
		n.asked[n.as(agent, model.WaitFor{Reason: "a word", Wake: model.WakeOperatorInput, Question: "What else?"}).WaitID] = false
	case "wait":
		n.as(agent, model.WaitFor{WorkItemID: id, Reason: "the build", Wake: model.WakeExternal, Resource: "ci"})
		n.pass(time.Second)
		n.deliver(agent)
	case "early": // the event comes before anybody waits for it
		n.deliver(agent)
		n.as(agent, model.WaitFor{WorkItemID: id, Reason: "the build", Wake: model.WakeExternal, Resource: "ci"})
	case "complete":
		n.complete(agent, id)
	}
	return true, false
}

func (n *night) complete(agent model.AgentID, id model.ItemID) {
	n.as(agent, model.Round{Text: "Report of " + model.Text(id), Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}})
}

// deliver is an outside sender: an acknowledged delivery must be seen.
func (n *night) deliver(agent model.AgentID) {
	payload := model.Text(n.key())
	n.by("external:ci", agent, model.DeliverIngress{IngressID: n.url[agent], Payload: payload, Source: "ci"})
	n.told[payload] = false
}

// look checks that each question is in the inbox, and that there is an explanation for each agent and item that does
// not run.
func (n *night) look() {
	n.view(func(r model.Reader) {
		shown := map[model.WaitID]bool{}
		for _, x := range model.Inbox(r, time.Now(), 1000) {
			for _, w := range append(r.ItemWaits(x.AgentID, x.ID), r.ItemWaits(x.AgentID, "")...) {
				shown[w.ID] = true
			}
		}
		for id, answered := range n.asked {
			if !answered && !shown[id] {
				n.unseen = append(n.unseen, string(id))
			}
		}
		for _, agent := range n.agents {
			n.explained(r, agent)
		}
	})
}

func (n *night) explained(r model.Reader, agent model.AgentID) {
	now := time.Now()
	a, _ := r.Agent(agent)
	why := model.ExplainAgent(r, agent, now)
	d := why.Decision
	runs := a.Turn.Runs(now) || d.ModelReentry || d.Reason == "tick_waits_for_turn"
	works := false
	for _, class := range model.Classes[:5] {
		for _, row := range r.Rows(agent, class, nil, 100) {
			w, _ := r.Item(row.ID)
			labels := ""
			for _, l := range model.Explain(r, w, now).Lines {
				labels += l.Label + " "
			}
			stalled := strings.Contains(labels, "Stalled")
			works = works || class.Rank() <= model.QueuedRunnable.Rank() && !stalled
			if !strings.Contains(labels, "Not runnable") && !strings.Contains(labels, "Not picked") && !row.IsCurrent {
				n.unexplained = append(n.unexplained, fmt.Sprintf("%s %s: %s", row.Handle, class, labels))
			}
		}
	}
	focusStalls := len(d.Exhausted) > 0 && slices.Contains(d.Exhausted, a.CurrentWorkItemID)
	if len(why.Lines) == 0 || !runs && works && !focusStalls && (d.HeldBy == "" || !d.Until.After(now)) {
		n.unexplained = append(n.unexplained, fmt.Sprintf("%s at %s: %s %s %v", agent, now.Format(time.TimeOnly), d.Kind, d.Reason, why.Lines))
	}
}

// answer is the operator, who looks now and then, answers questions, and retries stalled work after the hours in which
// nothing happened.
func (n *night) answer() {
	var inbox []model.Inboxed
	n.view(func(r model.Reader) { inbox = model.Inbox(r, time.Now(), 1000) })
	for _, x := range inbox {
		switch {
		case x.Need == model.NeedAnswer:
			in := model.Answer{WorkItemID: x.ID, Text: "yes"}
			if id, own := x.Question(); own {
				in = model.Answer{WaitID: id, Text: "yes"}
			}
			n.asked[n.by(model.Operator, x.AgentID, in).WaitID] = true
		case x.Need == model.NeedNudge && time.Now().After(n.asleep[x.AgentID][1]):
			n.by(model.Operator, x.AgentID, model.Retry{WorkItemID: x.ID})
			n.retries[x.AgentID]++
		}
	}
}

// report compares the night with the promises.
func (n *night) report(took time.Duration) {
	if left := n.left(); left > 0 {
		n.t.Errorf("%d items are open after %v", left, took)
	}
	all, came, idle := 0, 0, 0
	for _, agent := range n.agents {
		quiet := slices.DeleteFunc(slices.Clone(n.turns[agent]), func(x nightTurn) bool { return x.progress || x.heard || x.killed })
		for i, x := range quiet {
			in := 0
			for _, y := range quiet[i:] {
				if y.retries != x.retries || y.at.Sub(x.at) >= time.Hour { // the operator's words start the hour again
					break
				}
				in++
			}
			idle = max(idle, in)
		}
		for _, x := range n.turns[agent] {
			if x.at.After(n.asleep[agent][0]) && x.at.Before(n.asleep[agent][1]) {
				continue // progress was not possible
			}
			if all++; x.progress {
				came++
			}
		}
	}
	answered, seen := 0, 0
	for _, yes := range n.asked {
		if yes {
			answered++
		}
	}
	for _, yes := range n.told {
		if yes {
			seen++
		}
	}
	n.t.Logf("%d items in %v: %d turns, %d came to something (%.2f); at most %d quiet turns in an hour; %d of %d questions answered, "+
		"%d looks at which one was not in the inbox; %d of %d acknowledged triggers seen; %d things unexplained", len(n.items), took.Round(time.Minute),
		all, came, float64(came)/float64(all), idle, answered, len(n.asked), len(n.unseen), seen, len(n.told), len(n.unexplained))
	if 2*came < all || idle > 6 {
		n.t.Errorf("%d of %d turns came to something, %d quiet ones in an hour", came, all, idle)
	}
	if answered < len(n.asked) || len(n.unseen) > 0 {
		n.t.Errorf("%d of %d questions were answered; not in the inbox: %v", answered, len(n.asked), n.unseen)
	}
	if seen < len(n.told) {
		n.t.Errorf("%d of %d acknowledged triggers were seen", seen, len(n.told))
	}
	if len(n.unexplained) > 0 {
		n.t.Errorf("not explained, %d times: %s", len(n.unexplained), strings.Join(n.unexplained[:min(5, len(n.unexplained))], "\n"))
	}
}
