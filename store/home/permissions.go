package home

import (
	"context"
	"time"

	"vise/model"
)

// SweepPermissions ends, for all agents, the permission prompts that were answered in their program or whose program is gone.
func (h *Home) SweepPermissions(ctx context.Context, alive func(model.Process) bool) error {
	var asking []model.AgentID
	err := h.View(ctx, func(r model.Reader) error {
		asking = nil
		r.Inbox(model.NeedPermit, func(x model.Inboxed) bool {
			asking = append(asking, x.AgentID)
			return true
		})
		return nil
	})
	for _, id := range asking {
		if err == nil {
			err = sweepPermissions(ctx, h, id, h.o.Now(), alive, h.Answered)
		}
	}
	return err
}

func sweepPermissions(ctx context.Context, l Ledger, id model.AgentID, now time.Time, alive func(model.Process) bool,
	answered func(model.AgentID, model.Permission) bool,
) error {
	return EndPermissions(ctx, l, id, model.Scheduler, func(p model.Permission) bool {
		return p.Over(now, alive) || answered != nil && answered(id, p)
	})
}

// Answered reports whether a prompt was answered in its program, as far as its session's transcript says so.
func (h *Home) Answered(agent model.AgentID, p model.Permission) bool {
	if h.o.Answered == nil {
		return false
	}
	s, ok := h.SessionOf(agent, p.Program.Raw(), p.Session.Raw()) // raw: a key, not shown
	return ok && h.o.Answered(s, p)
}

// EndPermissions ends those of an agent's permission prompts for which over is true. If there are none, it only reads.
func EndPermissions(ctx context.Context, l Ledger, id model.AgentID, by model.Actor, over func(model.Permission) bool) error {
	end := model.EndPermissions{AgentID: id}
	err := l.View(ctx, func(r model.Reader) error {
		end.PermissionIDs = nil
		a, _ := r.Agent(id)
		for _, p := range a.Permissions {
			if over(p) {
				end.PermissionIDs = append(end.PermissionIDs, p.ID)
			}
		}
		return nil
	})
	if err != nil || len(end.PermissionIDs) == 0 {
		return err
	}
	_, err = Send(ctx, l, by, id, end)
	return err
}
