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

// sentAct is a command, or a question for a plan, that was sent to a host. name is what its answer names.
type sentAct struct {
	toHost
	name     string
	answered chan fromHost // closed without an answer when the connection is lost
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

// ask sends a line and waits for its answer. ok is false if none came.
func (l *link) ask(ctx context.Context, name string, x toHost) (a fromHost, ok bool, err error) {
	act := &sentAct{x, name, make(chan fromHost, 1)}
	l.mu.Lock()
	if l.out == nil || len(l.acts) >= maxActs/2 {
		defer l.mu.Unlock()
		return a, false, l.awayError()
	}
	l.acts = append(l.acts, act)
	select {
	case l.out <- x:
	default: // the next connection sends it again with all unanswered commands
	}
	l.mu.Unlock()
	late := time.NewTimer(actWait)
	defer late.Stop()
	select {
	case a, ok = <-act.answered:
		return a, ok, nil
	case <-late.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case a, ok = <-act.answered: // the answer came at the same moment
	default:
		l.acts = slices.DeleteFunc(l.acts, func(x *sentAct) bool { return x == act })
	}
	return a, ok, nil
}

// apply sends a command. The command's key makes it happen once, however often the connection is lost before the answer.
func (l *link) apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	x, err := l.written(e)
	if err != nil {
		return model.Receipt{}, err
	}
	a, ok, err := l.ask(ctx, "command "+e.Key, x)
	switch {
	case err != nil:
		return model.Receipt{}, err
	case ok:
		return l.received(*a.Answer)
	}
	unknown := model.Refuse(model.CodeUnknownOutcome, "no answer from %s: it is not known whether it was carried out", l.Name).
		Because(ctx.Err())
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

// answered hands an answer to whoever waits for it.
func (l *link) answered(name string, x fromHost) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts = slices.DeleteFunc(l.acts, func(a *sentAct) bool {
		if a.name == name {
			a.answered <- x
		}
		return a.name == name
	})
}

// plan asks the host for a plan file.
func (l *link) plan(ctx context.Context, id model.ItemID) (p HostPlan, err error) {
	if err := rename(&id, handed(l.Name)); err != nil {
		return p, err
	}
	a, ok, err := l.ask(ctx, planAct+string(id), toHost{Plan: id})
	switch {
	case err != nil:
		return p, err
	case ok:
		p = *a.Plan
		p.Artifact.Path = "" // a path on another machine
		return p, rename(&p.Artifact, taken(l.Name))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return p, l.awayError()
}

// planAct begins the name of a question for a plan.
const planAct = "plan "
