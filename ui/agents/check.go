package agents

import (
	"context"
	"fmt"
	"time"

	"vise/model"
	"vise/store/home"
)

// checkTimeout is how long a hook may take to see what the work tree holds that was checked: what was checked took longer.
const checkTimeout = 3 * time.Second

// checked keeps how a command ended that checks the work on the session's item. While the ledger is busy that waits in
// the hook queue.
func (c *call) checked(ctx context.Context, p payload, dir string, k model.KeepCheck) error {
	agent := model.AgentID(c.agent)
	k.At = c.Now().UTC()
	checks, held := false, c.siblings().own
	soon, cancel := c.soon(ctx)
	defer cancel()
	err := c.home.View(soon, func(r model.Reader) error {
		checks = model.ChecksAnything(r, agent, k.Command)
		if w, ok := r.Item(held); ok && w.State == model.Open && w.AgentID == agent {
			k.WorkItemID = held
		} else if w, ok := model.Focus(r, agent); ok {
			k.WorkItemID = w.ID
		}
		return nil
	})
	if c.busy = c.busy || err != nil; err == nil && (!checks || k.WorkItemID == "") {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	k = home.CheckIn(ctx, dir, k)
	key := keyOf(c.program, p.Session, "check", p.ToolUse, fmt.Sprint(k.At.UnixNano()))
	return c.deliver(context.WithoutCancel(ctx), home.HookReport{Key: key, Check: &k})
}
