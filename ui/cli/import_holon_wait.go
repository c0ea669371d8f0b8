package cli

import (
	"cmp"
	"encoding/json"
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
		read func(*holonRecord, *model.Wait)
	}{{"waiting_intents.jsonl", holonIntent}, {"wait_conditions.jsonl", holonCondition}} {
		records, _, err := r.latest(kind.file)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if strings.HasPrefix(rec.id, holonMirrorPrefix) {
				continue
			}
			if r.takeWait(rec, kind.read); rec.err != nil {
				return r.malformed(r.home.ledger+"/"+kind.file, rec.line, rec.err)
			}
		}
	}
	return nil
}

// takeWait gives a wait to its agent. A completed item waits for nothing any more.
func (r *holonReader) takeWait(rec *holonRecord, read func(*holonRecord, *model.Wait)) {
	agent := rec.owner()
	x := model.Wait{ID: model.WaitID(rec.id), Deliver: model.DeliverWakeHint, Status: model.WaitActive, Kind: model.WaitExternal}
	rec.takeWait(&x)
	read(rec, &x)
	if owner, ok := r.owner[x.WorkItemID]; ok {
		agent = owner
	}
	if r.completed[x.WorkItemID] && x.Status == model.WaitActive {
		x.Status, x.CancelReason = model.WaitCancelled, "work_item_completed"
	}
	if x.Reason == "" {
		x.Reason = "imported wait"
	}
	r.keepOfWait(x, rec.fields)
	r.agent(agent).Waits = append(r.agent(agent).Waits, x)
	r.ledger.Counts.Waits++
	if x.Status == model.WaitActive {
		r.ledger.Counts.ActiveWaits++
	}
}

// keepOfWait keeps a wait's other fields with its item. An agent's own wait has none.
func (r *holonReader) keepOfWait(x model.Wait, f map[string]json.RawMessage) {
	if len(f) == 0 {
		return
	}
	if _, ok := r.owner[x.WorkItemID]; !ok {
		r.ledger.Notes = append(r.ledger.Notes, string(x.ID)+": a wait without a work item; its other fields stay in Holon")
		return
	}
	if r.kept[x.WorkItemID] == nil {
		r.kept[x.WorkItemID] = map[string]json.RawMessage{}
	}
	raw, _ := json.Marshal(f) // RawMessages that were just decoded
	r.kept[x.WorkItemID]["wait "+string(x.ID)] = raw
}

// takeWait takes the fields that both kinds of waits have.
func (rec *holonRecord) takeWait(x *model.Wait) {
	status := string(model.WaitActive)
	for key, out := range map[string]any{
		"status": &status, "created_at": &x.CreatedAt, "updated_at": &x.UpdatedAt, "cancelled_at": &x.CancelledAt,
		"work_item_id": &x.WorkItemID, "source": &x.Source,
	} {
		rec.take(key, out)
	}
	delete(rec.fields, "scope") // work_item_id says it
	switch status {
	case "active", "triggered":
	case "cancelled", "resolved", "expired":
		x.Status, x.CancelReason = model.WaitCancelled, status
	default:
		rec.fail("unknown status %q", model.Text(status))
	}
}

// holonCondition reads a wait condition.
func holonCondition(rec *holonRecord, x *model.Wait) {
	rec.take("kind", &x.Kind)
	switch x.Kind {
	case model.WaitTask, model.WaitExternal, model.WaitOperator, model.WaitTimer, model.WaitSystem:
	default:
		rec.fail("unknown kind %q", model.Text(x.Kind))
	}
	rec.take("waiting_for", &x.Reason)
	rec.take("subject_ref", &x.Resource)
	if rec.take("triggered_at", &x.LastTriggeredAt); !x.LastTriggeredAt.IsZero() {
		x.TriggerCount = 1
	}
	var sources []struct {
		WakeAt time.Time `json:"wake_at"`
	}
	_ = json.Unmarshal(rec.fields["wake_sources"], &sources) // kept as it is, where it does not read
	for _, s := range sources {
		if x.WakeAt.IsZero() {
			x.WakeAt = s.WakeAt
		}
	}
}

// holonIntent reads a waiting intent of older Holon.
func holonIntent(rec *holonRecord, x *model.Wait) {
	var summary model.Text
	for key, out := range map[string]any{
		"description": &x.Reason, "summary": &summary, "resource": &x.Resource, "condition": &x.Condition,
		"trigger_count": &x.TriggerCount, "last_triggered_at": &x.LastTriggeredAt,
	} {
		rec.take(key, out)
	}
	x.Reason = cmp.Or(x.Reason, summary)
}
