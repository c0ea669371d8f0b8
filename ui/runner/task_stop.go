package runner

import (
	"context"
	"os"
	"syscall"

	"vise/model"
)

// Stop asks the supervisor of a task to end it. Where the supervisor is gone, or there
// never was one, the task is recorded as ended here. It reports whether somebody was asked,
// who then records the end.
func (s Supervisor) Stop(ctx context.Context, t model.Task, by model.Actor) (asked bool, err error) {
	if t.Status != model.TaskRunning {
		return false, nil
	}
	p := t.Run.Supervisor
	end := model.EndTask{TaskID: t.ID, Status: model.TaskCancelled, Result: "was stopped"}
	if p.PID != 0 {
		if p.Host != Self().Host {
			return false, model.Refuse(model.CodeRefused, "task %s runs on another machine", t.ID).WithHint("stop it there")
		}
		// The handle is taken before the look, so that the process looked at is the one asked.
		handle, err := os.FindProcess(p.PID)
		if err == nil && Alive(p) {
			defer handle.Release()
			return true, handle.Signal(syscall.SIGTERM)
		}
		end.Status, end.Result = model.TaskInterrupted, "its supervisor is gone"
	}
	_, err = s.Ledger.Apply(ctx, model.Envelope{Key: s.NewKey(), Actor: by, Agent: t.AgentID, Command: end})
	return false, err
}
