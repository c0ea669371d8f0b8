package home

import (
	"context"

	"vise/model"
)

// learnTasks notes the agent's running tasks that have a supervisor.
func (p *schedule) learnTasks(r model.Reader, id model.AgentID) {
	if p.Alive == nil {
		return
	}
	for key, t := range p.running {
		if t.AgentID == id {
			delete(p.running, key)
		}
	}
	for _, t := range r.RunningTasks(id, tasksAtOnce) {
		if t.Run.Supervisor.PID != 0 {
			p.running[t.ID] = t
		}
	}
}

// sweep ends the tasks whose supervisor is gone as interrupted, which triggers the waits
// on them.
func (p *schedule) sweep(ctx context.Context) {
	now := p.now()
	if len(p.running) == 0 || now.Before(p.swept.Add(sweepEvery)) && !p.swept.IsZero() {
		return
	}
	p.swept = now
	for id, t := range p.running {
		if p.Alive(t.Run.Supervisor) {
			continue
		}
		end := model.EndTask{TaskID: id, Status: model.TaskInterrupted, Result: "its supervisor is gone",
			End: &model.TaskEnd{At: now, ExitCode: -1, DurationMS: now.Sub(t.CreatedAt).Milliseconds()}}
		_, err := p.Ledger.Apply(ctx, model.Envelope{Key: p.NewKey(), Actor: model.Scheduler, Agent: t.AgentID, Command: end})
		p.report(t.AgentID, err)
		if err == nil {
			delete(p.running, id)
		}
	}
}
