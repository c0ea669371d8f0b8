package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"vise/model"
)

// mirrorPrefix starts the id of a wait condition that only repeats a waiting intent.
const holonMirrorPrefix = "waiting_intent:"

// readWaits takes over both ways in which Holon has kept waits.
func (r *holonReader) readWaits() error {
	for _, kind := range []struct {
		file string
		make func(holonRecord) (model.Wait, error)
	}{{"waiting_intents.jsonl", holonIntent}, {"wait_conditions.jsonl", holonCondition}} {
		records, _, err := r.latest(kind.file)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if strings.HasPrefix(rec.id, holonMirrorPrefix) {
				continue
			}
			if err := r.takeWait(rec, kind.make); err != nil {
				return r.malformed(r.home.ledger+"/"+kind.file, rec.line, err)
			}
		}
	}
	return nil
}

// takeWait gives a wait to its agent. A completed item waits for nothing any more.
func (r *holonReader) takeWait(rec holonRecord, read func(holonRecord) (model.Wait, error)) error {
	if !model.ValidID(rec.id) {
		return fmt.Errorf("id %q is not usable: use 1 to 64 of a-z, 0-9, - and _", model.Text(rec.id))
	}
	agent, err := takeAgent(rec.holonFields)
	if err != nil {
		return err
	}
	x, err := read(rec)
	if err != nil {
		return err
	}
	x.ID, x.Deliver = model.WaitID(rec.id), model.DeliverWakeHint
	if owner, ok := r.owner[x.WorkItemID]; ok {
		agent = owner
	}
	if r.completed[x.WorkItemID] && x.Status == model.WaitActive {
		x.Status, x.CancelReason = model.WaitCancelled, "work_item_completed"
	}
	if x.Reason == "" {
		x.Reason = "imported wait"
	}
	r.keepOfWait(x, rec.holonFields)
	r.agent(agent).Waits = append(r.agent(agent).Waits, x)
	r.ledger.Counts.Waits++
	if x.Status == model.WaitActive {
		r.ledger.Counts.ActiveWaits++
	}
	return nil
}

// keepOfWait keeps a wait's other fields with its item. An agent's own wait has none.
func (r *holonReader) keepOfWait(x model.Wait, f holonFields) {
	if len(f) == 0 {
		return
	}
	if _, ok := r.owner[x.WorkItemID]; !ok {
		r.ledger.Notes = append(r.ledger.Notes, string(x.ID)+": a wait without a work item; its other holonFields stay in Holon")
		return
	}
	if r.kept[x.WorkItemID] == nil {
		r.kept[x.WorkItemID] = holonFields{}
	}
	raw, _ := json.Marshal(f) // RawMessages that were just decoded
	r.kept[x.WorkItemID]["wait "+string(x.ID)] = raw
}

// commonWait takes the fields that both kinds of waits have.
func commonWait(f holonFields) (model.Wait, error) {
	x := model.Wait{Status: model.WaitActive, Kind: model.WaitExternal}
	status := string(model.WaitActive)
	if err := takeField(f, "status", &status); err != nil {
		return x, err
	}
	for key, out := range map[string]*time.Time{"created_at": &x.CreatedAt, "updated_at": &x.UpdatedAt, "cancelled_at": &x.CancelledAt} {
		if err := takeField(f, key, out); err != nil {
			return x, err
		}
	}
	if err := takeField(f, "work_item_id", &x.WorkItemID); err != nil {
		return x, err
	}
	if err := takeField(f, "source", &x.Source); err != nil {
		return x, err
	}
	delete(f, "scope") // work_item_id says it
	switch status {
	case "active", "triggered":
	case "cancelled", "resolved", "expired":
		x.Status, x.CancelReason = model.WaitCancelled, status
	default:
		return x, fmt.Errorf("unknown status %q", model.Text(status))
	}
	return x, nil
}

// holonCondition reads a wait condition.
func holonCondition(rec holonRecord) (model.Wait, error) {
	x, err := commonWait(rec.holonFields)
	if err != nil {
		return x, err
	}
	if err := takeField(rec.holonFields, "kind", &x.Kind); err != nil {
		return x, err
	}
	switch x.Kind {
	case model.WaitTask, model.WaitExternal, model.WaitOperator, model.WaitTimer, model.WaitSystem:
	default:
		return x, fmt.Errorf("unknown kind %q", model.Text(x.Kind))
	}
	if err := takeFields(rec.holonFields, map[string]*model.Text{"waiting_for": &x.Reason, "subject_ref": &x.Resource}); err != nil {
		return x, err
	}
	if err := takeField(rec.holonFields, "triggered_at", &x.LastTriggeredAt); err != nil {
		return x, err
	}
	if !x.LastTriggeredAt.IsZero() {
		x.TriggerCount = 1
	}
	x.WakeAt = timerOf(rec.holonFields["wake_sources"])
	return x, nil
}

// timerOf is the instant of the first timer among the wake sources.
func timerOf(raw json.RawMessage) time.Time {
	var sources []struct {
		WakeAt time.Time `json:"wake_at"`
	}
	if json.Unmarshal(raw, &sources) != nil {
		return time.Time{}
	}
	for _, s := range sources {
		if !s.WakeAt.IsZero() {
			return s.WakeAt
		}
	}
	return time.Time{}
}

// holonIntent reads a waiting intent of older Holon.
func holonIntent(rec holonRecord) (model.Wait, error) {
	x, err := commonWait(rec.holonFields)
	if err != nil {
		return x, err
	}
	var summary model.Text
	if err := takeFields(rec.holonFields, map[string]*model.Text{
		"description": &x.Reason, "summary": &summary, "resource": &x.Resource, "condition": &x.Condition,
	}); err != nil {
		return x, err
	}
	if x.Reason == "" {
		x.Reason = summary
	}
	if err := takeField(rec.holonFields, "trigger_count", &x.TriggerCount); err != nil {
		return x, err
	}
	return x, takeField(rec.holonFields, "last_triggered_at", &x.LastTriggeredAt)
}
