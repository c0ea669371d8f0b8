package home

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"vise/model"
	"vise/store"
)

// ShardsOf returns the claims of a new scheduler on the agents of a ledger; nil without a home.
func ShardsOf(l Ledger) store.Shards {
	h, ok := l.(*Home)
	if !ok {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return h.Shards(fmt.Sprintf("process %d on %s", os.Getpid(), host))
}

// BarredFor is how long an agent is left alone that the user of the cluster may not change.
const BarredFor = time.Minute

// Barred reports whether the user of the cluster may not make a change.
func Barred(err error) bool {
	e := model.AsError(err)
	return e != nil && e.Code == model.CodeRefused && e.Field == "home"
}

// takePart claims a share of the agents until ctx ends. The returned function waits for the end.
func (p *schedule) takePart(ctx context.Context) (wait func()) {
	p.moved = p.Shards.Changed()
	var running sync.WaitGroup
	running.Go(func() { p.Shards.Run(ctx) })
	return running.Wait
}

// takeOver makes all agents due if the claims have changed.
func (p *schedule) takeOver(ctx context.Context) {
	select {
	case <-p.moved:
	default:
		return
	}
	p.moved = p.Shards.Changed()
	if err := p.Shards.Idle(); err != nil {
		p.report("", err)
	}
	for err := p.start(ctx); err != nil && ctx.Err() == nil; err = p.start(ctx) {
		p.failed(ctx, err)
	}
}

// claim returns the context for an agent's changes, and whether the agent is this scheduler's.
func (p *schedule) claim(ctx context.Context, id model.AgentID) (context.Context, bool) {
	if p.barred[id].After(p.now()) {
		return ctx, false
	}
	return p.Shards.Claim(ctx, id)
}

// leave leaves an agent to another scheduler, but for the processes that run for it on this machine: only here it is known whether they do.
func (p *schedule) leave(id model.AgentID) {
	p.next[id] = never
	if p.Alive != nil {
		p.others[id] = true
	}
}

// learnOthers notes the processes of agents that another scheduler looks at.
func (p *schedule) learnOthers(ctx context.Context) {
	if len(p.others) == 0 {
		return
	}
	err := p.Ledger.View(ctx, func(r model.Reader) error {
		for id := range p.others {
			p.learnTasks(r, id)
		}
		return nil
	})
	if err == nil {
		clear(p.others)
	}
}
