package home

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"vise/model"
)

// sentAct is a command that was sent to a host.
type sentAct struct {
	toHost
	answered chan hostAnswer
}

// actWait is how long a command waits for its answer, across lost connections. A connection that hangs is given up after hostSilence, and
// the next one has the same time again.
const actWait = 2 * hostSilence

// awayError is the refusal of a command while the host is not connected.
func (l *link) awayError() error {
	e := model.Busy("nothing was sent: %s is away", l.Name).
		WithHint("vise admin hosts says why; it is tried again all the time")
	if t := l.state.Trouble; t != nil {
		e.Message = "nothing was sent, " + l.Name + " is away: " + t.Error()
		e.Hint = cmp.Or(t.Hint, e.Hint)
	}
	return e
}

// apply sends a command. The command's key makes it happen once, however often the connection is lost before the answer.
func (l *link) apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	x, err := l.written(e)
	if err != nil {
		return model.Receipt{}, err
	}
	act := &sentAct{x, make(chan hostAnswer, 1)}
	l.mu.Lock()
	if l.out == nil || len(l.acts) >= maxActs/2 {
		defer l.mu.Unlock()
		return model.Receipt{}, l.awayError()
	}
	l.acts = append(l.acts, act)
	select {
	case l.out <- act.toHost:
	default: // the next connection sends it again with all unanswered commands
	}
	l.mu.Unlock()
	late := time.NewTimer(actWait)
	defer late.Stop()
	select {
	case a := <-act.answered:
		return l.received(a)
	case <-late.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case a := <-act.answered: // the answer came at the same moment
		return l.received(a)
	default:
	}
	l.acts = slices.DeleteFunc(l.acts, func(x *sentAct) bool { return x == act })
	unknown := model.Refuse(model.CodeUnknownOutcome, "no answer from %s: it is not known whether it was carried out", l.Name).Because(err)
	unknown.Key = e.Key
	return model.Receipt{}, unknown.WithHint("look at it when %s is back, before you do it again", l.Name)
}

// written encodes a command for the host, with the host's own ids.
func (l *link) written(e model.Envelope) (toHost, error) {
	x := toHost{Key: e.Key, Agent: e.Agent, Command: model.CommandName(e.Command)}
	raw, err := json.Marshal(e.Command)
	if err != nil {
		return x, err
	}
	c, err := model.DecodeCommand(x.Command, raw)
	if err != nil {
		return x, err
	}
	if err := errors.Join(rename(&c, handed(l.Name)), rename(&x.Agent, handed(l.Name))); err != nil {
		return x, err
	}
	x.Input, err = json.Marshal(c)
	return x, err
}

func (l *link) received(a hostAnswer) (model.Receipt, error) {
	if a.Error != nil {
		return model.Receipt{}, a.Error
	}
	in := a.Receipt
	in.Revision = 0 // the host's own revision means nothing here
	in.Warnings = slices.DeleteFunc(in.Warnings, func(w model.Warning) bool { return w.Kind == model.WarnReplayed })
	return in, rename(&in, taken(l.Name))
}

func (l *link) answered(a hostAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.IndexFunc(l.acts, func(x *sentAct) bool { return x.Key == a.Key }); at >= 0 {
		l.acts[at].answered <- a
		l.acts = slices.Delete(slices.Clone(l.acts), at, at+1)
	}
}

// plan asks the host for a plan file.
func (l *link) plan(ctx context.Context, id model.ItemID) (HostPlan, error) {
	own := id
	if err := rename(&own, handed(l.Name)); err != nil {
		return HostPlan{}, err
	}
	c := make(chan HostPlan, 1)
	l.mu.Lock()
	if l.out == nil {
		defer l.mu.Unlock()
		return HostPlan{}, l.awayError()
	}
	if l.plans == nil {
		l.plans = map[model.ItemID][]chan HostPlan{}
	}
	l.plans[own] = append(l.plans[own], c)
	select {
	case l.out <- toHost{Plan: own}:
	default:
	}
	l.mu.Unlock()
	select {
	case p, ok := <-c:
		if ok {
			p.Artifact.Path = "" // a path on another machine
			return p, rename(&p.Artifact, taken(l.Name))
		}
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return HostPlan{}, l.awayError()
}

func (l *link) planned(p HostPlan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.plans[p.WorkItemID] {
		c <- p
	}
	delete(l.plans, p.WorkItemID)
}
