package model

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"
)

func (c WaitFor) step(s *step) error {
	x, err := s.waitOf(c)
	if err != nil {
		return err
	}
	after, err := recheckAfter(c.RecheckAfterMS)
	if err != nil {
		return err
	}
	id := c.WorkItemID
	if id == "" && !c.OfAgent {
		if w, ok := Focus(s, s.actingAgent()); ok {
			id = w.ID
		}
	}
	if id == "" {
		return s.agentWaits(x)
	}
	w, err := s.openItem(id, c.SeenRevision, "wait on")
	if err != nil {
		return err
	}
	if err := cmp.Or(s.mayClear(w), s.canEnd(x, w.AgentID, w)); err != nil {
		return err
	}
	s.itemWaits(w, x, after)
	return nil
}

func unknownWake(w Wake) error {
	return Invalid("unknown wake %q", Text(w)).At("wake", "use operator_input, task_result, external, timer or system")
}

// waitOf checks what a wait is for and spells the wait.
func (s *step) waitOf(c WaitFor) (Wait, error) {
	kind, ok := kindOfWake[c.Wake]
	if !ok {
		return Wait{}, unknownWake(c.Wake)
	}
	x := Wait{Status: WaitActive, Kind: kind, Deliver: cmp.Or(c.Deliver, DeliverWakeHint),
		CreatedAt: s.at.At, UpdatedAt: s.at.At, WakeAt: c.WakeAt.UTC()}
	if c.WakeAt.IsZero() {
		x.WakeAt = time.Time{}
	}
	err := oneOf("deliver", x.Deliver, DeliverWakeHint, DeliverEnqueueMessage)
	if err != nil {
		return x, err
	}
	if x.Reason, err = required("reason", c.Reason, MaxWaitText); err != nil {
		return x, err
	}
	for _, f := range []struct {
		name string
		in   Text
		out  *Text
	}{{"resource", c.Resource, &x.Resource}, {"source", c.Source, &x.Source}, {"condition", c.Condition, &x.Condition},
		{"question", c.Question, &x.Ask.Question}} {
		if *f.out, err = optional(f.name, f.in, MaxWaitText); err != nil {
			return x, err
		}
	}
	if x.Ask.Choices, err = choices(c.Choices); err != nil {
		return x, err
	}
	if field := x.askedIn(); field != "" && x.Kind != WaitOperator {
		return x, Invalid("a wait of kind %s asks nobody", x.Kind).At(field,
			"to ask the operator, use wake operator_input (--operator); else leave %s out", field)
	}
	if x.Kind != WaitTimer && !x.WakeAt.IsZero() {
		return x, Invalid("a wait of kind %s ends at no time", x.Kind).At("wake_at",
			"to look at the work item again then, use recheck_after_ms (--recheck); for a time alone, wake timer (--timer)")
	}
	return s.wakeable(x)
}

// askedIn is the field that asks something, or "".
func (w Wait) askedIn() string {
	switch {
	case w.Ask.Question != "":
		return "question"
	case len(w.Ask.Choices) > 0:
		return "choices"
	}
	return ""
}

func choices(in []Text) ([]Text, error) {
	if len(in) > maxChoices {
		return nil, Invalid("%d choices, at most %d are kept", len(in), maxChoices).At("choices",
			"free text is always possible")
	}
	var out []Text
	for _, t := range in {
		t, err := required("choices", t, MaxTodoText)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, t) {
			return nil, Invalid("two choices are equal: %s", t).At("choices", "give each choice once")
		}
		out = append(out, t)
	}
	return out, nil
}

// wakeable checks that something can wake x.
func (s *step) wakeable(x Wait) (Wait, error) {
	needs := func(hint string) (Wait, error) {
		return x, Invalid("a wait of kind %s needs a resource", x.Kind).At("resource", "%s", hint)
	}
	switch x.Kind {
	case WaitTask:
		if x.Resource == "" {
			return needs("name the task or the delegation")
		}
		_, task := s.Task(TaskID(x.Resource))
		if _, delegation := s.Delegation(DelegationID(x.Resource)); !task && !delegation {
			return x, NotFound("unknown task %s", x.Resource).At("resource",
				"for what vise does not run, wait for something external (wake external, --external)")
		}
	case WaitExternal:
		if x.Resource == "" && x.Source == "" {
			return needs("name what will change: a run, a review, a branch")
		}
		if forgeHosts[Forge(x.Source)] != "" {
			a, err := ParseAsked(Forge(x.Source), x.Resource)
			if err != nil {
				return x, err
			}
			x.Resource = a.Resource()
		}
		if id := x.After(); id != "" {
			w, ok := s.Item(cmp.Or(s.ItemOf(Handle(id)), id))
			if !ok {
				return x, notFound(id).At("resource")
			}
			x.Resource, x.Source = afterItem+Text(w.ID), Text(w.Handle)+" "+cut(w.Objective, rowText)
		}
	case WaitSystem:
		// A wait for the system needs time: triggered at once, it would make the scheduler spin.
		x.WakeAt = s.at.At.Add(systemPause)
	case WaitTimer:
		switch {
		case !x.WakeAt.IsZero() && x.Resource != "":
			return x, Invalid("a timer has wake_at or resource, not both").At("wake_at", "give one of the two")
		case !x.WakeAt.IsZero():
		case x.Resource == "":
			return needs("give the instant in RFC 3339, or a while, like 30m")
		default:
			at, err := time.Parse(time.RFC3339, string(x.Resource))
			if after, spanErr := ParseSpan(string(x.Resource)); spanErr == nil {
				at, err = s.at.At.Add(after), nil
			}
			if err != nil {
				return x, Invalid("%q is neither a time nor a length of time", x.Resource).At("resource",
					"give the instant in RFC 3339, like 2026-01-02T15:04:05Z, or a while, like 30m, 1h30m or 3d")
			}
			x.WakeAt = at.UTC()
		}
	}
	if err := checkYear(x.WakeAt); err != nil {
		return x, Invalid("%v", err).At("wake_at", "give a time in those years")
	}
	return x, nil
}

// itemWaits parks w in one change: it cancels the earlier waits, makes the reason the blocker, releases the focus, and writes
// the new wait.
func (s *step) itemWaits(w WorkItem, x Wait, recheck time.Duration) {
	earlier := s.ItemWaits(w.AgentID, w.ID)
	cancelled := s.cancelWaits(w.ID, earlier, "wait_for_replaced")
	w = unblocked(w)
	w.BlockedBy, w.BlockedByActor = x.Reason, s.at.Actor
	if recheck > 0 {
		w.RecheckAt = s.at.At.Add(recheck)
	}
	w = s.save(w, true)
	s.event(EventWorkItemWritten, w.ID, Written{Action: "waiting", Revision: w.Revision, Changed: []string{"blocked_by"},
		BlockedBy: w.BlockedBy})
	x.AgentID, x.WorkItemID = w.AgentID, w.ID
	s.register(x, earlier, cancelled)
	s.releaseFocus(w, "work_item_waiting")
	if _, asked := x.Asks(); recheck == 0 && x.Kind == WaitExternal && !asked && x.After() == "" {
		s.warnf(warnWeakWait, "if the event never comes, nobody is reminded; say when to check again (recheck_after_ms, --recheck)")
	}
}

// agentWaits writes a wait of the agent itself, which has no focus and named no item.
func (s *step) agentWaits(x Wait) error {
	id := s.actingAgent()
	if id == "" {
		return Invalid("no work item named, and no agent").At("work_item_id",
			"name the work item that waits, or the agent")
	}
	a, err := s.agent(id)
	if err != nil {
		return err
	}
	if err := s.canEnd(x, a.ID, WorkItem{}); err != nil {
		return err
	}
	s.receipt.AgentID = a.ID
	earlier := s.ItemWaits(a.ID, "")
	cancelled := s.cancelWaits("", earlier, "wait_for_replaced")
	x.AgentID = a.ID
	s.register(x, earlier, cancelled)
	s.warnf(warnAgentScope, "no work item was named and none is the focus: agent %s itself waits", a.ID)
	return nil
}

// register writes a new wait in place of the earlier ones. A wait for what has ended is triggered at once.
func (s *step) register(x Wait, earlier []Wait, cancelled []WaitID) {
	x.ID = WaitID(s.newID("wt-"))
	if i := slices.IndexFunc(earlier, Wait.asks); i >= 0 && x.Kind == WaitOperator {
		x.Replaces = earlier[i].ID
	}
	x = keepChecked(s.carry(x, earlier), earlier)
	s.put(x)
	s.receipt.WaitID = x.ID
	s.registered(x, cancelled)
	s.wakeByEnded(x)
}

// wakeByEnded triggers a wait whose task, delegation or work item has already ended. An open work item notes who waits for it.
func (s *step) wakeByEnded(x Wait) {
	switch w, ok := s.Item(x.After()); {
	case ok && w.State == Completed:
		s.warnf(warnTaskEnded, "the work item was already completed: there is news at once")
		s.wake([]Wait{x}, s.completion(w))
	case ok && !slices.Contains(w.AwaitedBy, x.AgentID):
		w.AwaitedBy = append(w.AwaitedBy, x.AgentID)
		s.put(w)
		s.event(EventAwaited, w.ID, awaitedNews{x.ID, x.AgentID, x.WorkItemID})
	}
	if x.Kind != WaitTask {
		return
	}
	if t, ok := s.Task(TaskID(x.Resource)); ok && t.Status != TaskRunning {
		s.warnf(warnTaskEnded, "the task had already ended: there is news at once")
		s.wake([]Wait{x}, s.from("task", cut(t.Result, previewReport)))
	}
	if d, ok := s.Delegation(DelegationID(x.Resource)); ok && d.State != DelegationOpen {
		s.warnf(warnTaskEnded, "the delegation had already ended: there is news at once")
		s.wake([]Wait{x}, s.outcome(d))
	}
}

func (s *step) registered(x Wait, cancelled []WaitID) {
	s.tellWait(x, cancelled)
	s.takeEarly(x)
}

// tellWait writes the event of a new active wait.
func (s *step) tellWait(x Wait, cancelled []WaitID) {
	s.event(EventWaitRegistered, x.WorkItemID, registered{
		WaitID: x.ID, Kind: x.Kind, Reason: x.Reason, Resource: x.Resource, Source: x.Source,
		Condition: x.Condition, Question: x.Ask.Question, WakeAt: x.WakeAt, Cancelled: cancelled,
		Count: x.TriggerCount,
	})
}

func (c Trigger) step(s *step) error {
	if len(c.Payload) > MaxPayload || !utf8.ValidString(string(c.Payload)) {
		return Invalid("payload must be UTF-8 text of at most %d bytes", MaxPayload).At("payload",
			"send less, or a link")
	}
	source, err := optional("source", c.Source, MaxWaitText)
	if err != nil {
		return err
	}
	if _, known := kindOfWake[c.Wake]; !known && c.Wake != "" {
		return unknownWake(c.Wake)
	}
	waits, err := s.addressed(c)
	if err != nil {
		return err
	}
	for _, x := range waits {
		s.receipt.AgentID, s.receipt.WorkItemID = x.AgentID, x.WorkItemID
		if x.Kind == WaitOperator && s.at.Actor != Operator {
			return Refused("wait %s asks a question: only an answer ends it", x.ID).At("wait_id",
				"vise answer %s answers it", x.ID)
		}
	}
	s.wake(waits, s.from(source, c.Payload))
	return nil
}

// addressed finds the active waits that a trigger names.
func (s *step) addressed(c Trigger) ([]Wait, error) {
	switch {
	case c.WaitID != "":
		x, err := s.oneWait(c.WaitID)
		return []Wait{x}, err
	case c.WorkItemID != "":
		w, err := s.openItem(c.WorkItemID, 0, "trigger")
		if err != nil {
			return nil, err
		}
		item := string(w.Handle)
		return found(matching(s.ItemWaits(w.AgentID, w.ID), c), "work item "+item+" waits for nothing like that", item)
	}
	kind, ok := kindOfWake[c.Wake]
	if !ok || c.Resource == "" || s.actingAgent() == "" {
		return nil, Invalid("a trigger needs a wait, a work item, or an agent with wake and resource").At("wait_id",
			"vise show ID lists an item's waits")
	}
	return found(matching(s.WaitsOn(s.actingAgent(), kind, c.Resource), c), "nothing waits for that", "ID")
}

// oneWait is the active wait that a command names.
func (s *step) oneWait(id WaitID) (Wait, error) {
	x, ok := s.Wait(id)
	if !ok {
		return x, NotFound("unknown wait %s", Text(id)).At("wait_id", "vise show ID lists an item's waits")
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != x.AgentID {
		return x, Refuse(CodeNotOwner, "wait %s belongs to agent %s", x.ID, x.AgentID).At("wait_id")
	}
	if x.Status != WaitActive {
		return x, Refused("wait %s was cancelled: %s", x.ID, Text(Spaced(x.CancelReason))).At("wait_id",
			"nothing waits for it any more")
	}
	return x, nil
}

func found(waits []Wait, otherwise, item string) ([]Wait, error) {
	if len(waits) == 0 {
		return nil, NotFound("%s", Text(otherwise)).WithHint("vise show %s lists what it waits for", item)
	}
	return waits, nil
}

func matching(waits []Wait, c Trigger) []Wait {
	var out []Wait
	for _, x := range waits {
		if (c.Wake == "" || x.Kind == kindOfWake[c.Wake]) && (c.Resource == "" || x.Resource == c.Resource) &&
			(c.Source == "" || x.Source == "" || x.Source == c.Source || c.WorkItemID != "") {
			out = append(out, x)
		}
	}
	return out
}

// trigger counts an event on each wait. It changes neither the blocker nor the focus nor the item (docs/lifecycle.md 4).
func (s *step) trigger(waits []Wait, p Provenance) {
	for _, x := range waits {
		x.TriggerCount++
		x.LastTriggeredAt, x.UpdatedAt, x.LastTrigger = s.at.At, s.at.At, p
		s.put(x)
		s.receipt.TriggeredWaits = append(s.receipt.TriggeredWaits, x.ID)
		s.event(EventWaitTriggered, x.WorkItemID, TriggerNews{WaitID: x.ID, Kind: x.Kind, Count: x.TriggerCount, Provenance: p})
	}
}

// from is a trigger by the author of the command.
func (s *step) from(source, payload Text) Provenance {
	return Provenance{Actor: s.at.Actor, Person: s.at.Person, Source: source, Payload: payload}
}

// wake triggers waits. If a wait asks for the content, the agent gets it as a message. So does the agent for a wait of its own,
// because there is no item to review.
func (s *step) wake(waits []Wait, p Provenance) {
	s.trigger(waits, p)
	for _, x := range waits {
		if x.Deliver != DeliverEnqueueMessage && x.WorkItemID != "" {
			continue
		}
		a, ok := s.Agent(x.AgentID)
		if !ok {
			continue
		}
		s.queue(a, Message{WorkItemID: x.WorkItemID, Source: cmp.Or(p.Source, Text(x.Kind)), Priority: Normal,
			Body: cmp.Or(trimmed(p.Payload), x.Reason)})
	}
}

// queue keeps a message for the agent's next turn. The caller has checked its body; the message gets an id if it has none.
func (s *step) queue(a Agent, m Message) {
	if m.ID == "" {
		m.ID = MessageID(s.newID("ms-"))
	}
	m.Origin, m.CreatedAt = s.at.Actor, s.at.At
	s.enqueue(a, m)
}

// enqueue puts a message with id, origin and time into the agent's queue.
func (s *step) enqueue(a Agent, m Message) {
	m.AgentID, m.Status, m.UpdatedAt = a.ID, MessageQueued, s.at.At
	s.put(m)
	a.QueuedInput++
	a.UpdatedAt = s.at.At
	s.put(a)
	s.receipt.Messages = append(s.receipt.Messages, m.ID)
	s.event(EventMessageQueued, m.WorkItemID, messageNews{MessageID: m.ID, Priority: m.Priority, Source: m.Source,
		Text: cut(m.Body, previewReport)})
}
