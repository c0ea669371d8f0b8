package cli

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"vise/model"
)

// holonMirrorPrefix begins the id of a wait condition that only repeats a waiting intent.
const holonMirrorPrefix = "waiting_intent:"

// readWaits imports both of Holon's records of waits.
func (r *holonReader) readWaits() error {
	for _, kind := range []struct {
		file string
		read func(*holonRecord, *model.Wait)
	}{{"waiting_intents.jsonl", holonIntent}, {"wait_conditions.jsonl", holonCondition}} {
		if _, err := r.eachLatest(kind.file, func(rec *holonRecord) {
			if !strings.HasPrefix(rec.id, holonMirrorPrefix) {
				r.takeWait(rec, kind.read)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// takeWait gives a wait to its agent. A completed item no longer waits.
func (r *holonReader) takeWait(rec *holonRecord, read func(*holonRecord, *model.Wait)) {
	agent := rec.owner()
	x := model.Wait{ID: model.WaitID(rec.id), Deliver: model.DeliverWakeHint, Status: model.WaitActive, Kind: model.WaitExternal}
	rec.takeWait(&x)
	read(rec, &x)
	owner, known := r.owner[x.WorkItemID]
	switch {
	case rec.err != nil:
		return
	case x.WorkItemID != "" && !known:
		r.leave("wait "+rec.id, 1, "its work item is not in the ledger")
		return
	case known && r.completed[x.WorkItemID]:
		r.leave("waits of completed work items", 1, "they wait for nothing any more")
		return
	case known:
		agent = owner
	}
	for _, t := range []*model.Text{&x.Reason, &x.Resource, &x.Source, &x.Condition} {
		if short, cut := shorten(*t, model.MaxWaitText); cut {
			*t = short
			r.leave("wait "+rec.id+": a text's end", 1, "vise's texts of waits are shorter")
		}
	}
	r.keepOfWait(x, rec.fields)
	r.bringWait(agent, x)
}

// bringWait imports a wait that says what it is for.
func (r *holonReader) bringWait(agent model.AgentID, x model.Wait) {
	if x.Reason == "" {
		x.Reason = "imported " + model.Text(x.Kind) + " wait"
	}
	r.agent(agent).Waits = append(r.agent(agent).Waits, x)
	r.ledger.Counts.Waits++
	if x.Status == model.WaitActive {
		r.ledger.Counts.ActiveWaits++
	}
}

// keepOfWait keeps a wait's other fields with its item. A wait of the agent itself has no item: its other fields are not imported.
func (r *holonReader) keepOfWait(x model.Wait, f map[string]json.RawMessage) {
	if len(f) == 0 {
		return
	}
	if x.WorkItemID == "" {
		r.leave("wait "+string(x.ID)+": other fields", len(f), "a wait of the agent itself has no work item that keeps them")
		return
	}
	if r.kept[x.WorkItemID] == nil {
		r.kept[x.WorkItemID] = map[string]json.RawMessage{}
	}
	raw, _ := json.Marshal(f) // these RawMessages were just decoded
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
	delete(rec.fields, "scope") // work_item_id has the same information
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
		WakeAt time.Time  `json:"wake_at"`
		TaskID model.Text `json:"task_id"`
	}
	_ = json.Unmarshal(rec.fields["wake_sources"], &sources) // a value that cannot be parsed is kept as it is
	for _, s := range sources {
		if x.WakeAt.IsZero() {
			x.WakeAt = s.WakeAt
		}
		if x.Kind == model.WaitTask {
			x.Resource = cmp.Or(x.Resource, s.TaskID)
		}
	}
}

// holonIntent reads a waiting intent from older Holon.
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

// readTimers imports timers that will fire again. In vise a timer is a wait of its agent.
func (r *holonReader) readTimers() error {
	_, err := r.eachLatest("timers.jsonl", r.takeTimer)
	return err
}

func (r *holonReader) takeTimer(rec *holonRecord) {
	agent := rec.owner()
	x := model.Wait{ID: model.WaitID(rec.id), Deliver: model.DeliverWakeHint, Status: model.WaitActive, Kind: model.WaitTimer}
	status, after, repeats := "active", int64(0), false
	for key, out := range map[string]any{
		"status": &status, "created_at": &x.CreatedAt, "summary": &x.Reason, "next_fire_at": &x.WakeAt, "duration_ms": &after,
		"repeat": &repeats,
	} {
		rec.take(key, out)
	}
	switch status {
	case "active", "scheduled":
	case "completed", "cancelled":
		r.leave("timers that ended", 1, "they are over")
		return
	default:
		rec.fail("unknown status %q", model.Text(status))
	}
	if x.WakeAt.IsZero() && !x.CreatedAt.IsZero() {
		x.WakeAt = x.CreatedAt.Add(time.Duration(after) * time.Millisecond)
	}
	if repeats {
		r.leave("timer "+rec.id+": what comes after its next firing", 1, "vise has no repeating timers")
	}
	x.Reason, _ = shorten(x.Reason, model.MaxWaitText)
	if rec.err == nil {
		r.ledger.Counts.Timers++
		r.bringWait(agent, x)
	}
}

// readTasks imports the fields of tasks that vise keeps: their purpose and their state.
func (r *holonReader) readTasks() error {
	_, err := r.eachLatest("tasks.jsonl", r.takeTask)
	return err
}

func (r *holonReader) takeTask(rec *holonRecord) {
	agent := rec.owner()
	t := model.Task{ID: model.TaskID(rec.id), Status: model.TaskRunning}
	for key, out := range map[string]any{
		"status": &t.Status, "work_item_id": &t.WorkItemID, "summary": &t.Summary, "created_at": &t.CreatedAt, "updated_at": &t.UpdatedAt,
	} {
		rec.take(key, out)
	}
	switch t.Status {
	case "queued", model.TaskRunning, "cancelling":
		t.Status = model.TaskRunning
		r.ledger.Counts.Running++
		r.ledger.Notes = append(r.ledger.Notes, "task "+rec.id+" is not vise's own: say that it is over by vise task stop "+rec.id)
	case model.TaskCompleted, model.TaskFailed, model.TaskCancelled, model.TaskInterrupted:
	default:
		rec.fail("unknown status %q", model.Text(t.Status))
	}
	if owner, known := r.owner[t.WorkItemID]; known {
		agent = owner
	} else {
		t.WorkItemID = ""
	}
	t.Summary, _ = shorten(cmp.Or(t.Summary, "imported task"), model.MaxReason)
	delete(rec.fields, "wait_policy") // in Holon no task blocks an item
	if len(rec.fields) > 0 {
		r.leave("tasks.jsonl: how tasks were run, and what they wrote", 1, "vise keeps that of tasks that it runs itself")
	}
	if rec.err == nil {
		r.agent(agent).Tasks = append(r.agent(agent).Tasks, t)
		r.ledger.Counts.Tasks++
	}
}
