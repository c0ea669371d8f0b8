package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"vise/model"
	"vise/store"
)

// flaky is a backend whose next updates fail as planned.
type flaky struct {
	store.Backend
	// Plan is what happens to the next updates, in order; the later ones succeed.
	Plan []failure
}

// failure is a way in which an update fails.
type failure int

// The failures.
const (
	noFailure failure = iota
	// Refused: nothing is committed, and the error says so.
	Refused
	// Lost: nothing is committed, and the error does not tell.
	Lost
	// Done: the commit happened, and the error does not tell.
	Done
	// Twice: the closure is called again, as after a conflict.
	Twice
)

var errFailure = errors.New("failure")

// Update implements store.Backend.
func (f *flaky) Update(ctx context.Context, fn func(store.Txn) error) error {
	now := noFailure
	if len(f.Plan) > 0 {
		now, f.Plan = f.Plan[0], f.Plan[1:]
	}
	switch now {
	case Refused:
		return errFailure
	case Lost, Twice:
		err := f.Backend.Update(ctx, func(t store.Txn) error { return errors.Join(fn(t), errFailure) })
		if now == Lost {
			return fmt.Errorf("%w: %w", store.ErrUnknown, err)
		}
	case Done:
		return fmt.Errorf("%w: %w", store.ErrUnknown, errors.Join(errFailure, f.Backend.Update(ctx, fn)))
	}
	return f.Backend.Update(ctx, fn)
}

func unknownOutcome(t *testing.T, b store.Backend) {
	f := &flaky{Backend: b}
	l := on(t, f, nil)
	at := func(key string, failures ...failure) (model.Receipt, error) {
		f.Plan = failures
		return l.Apply(ctx, asAgent("ada", key, model.CreateWorkItem{Objective: model.Text(key)}))
	}
	if r, err := at("k1", Done); err != nil || r.Revision != 1 || r.Replayed {
		t.Errorf("committed, but an error: %+v, %v", r, err)
	}
	if r, err := at("k1"); err != nil || !r.Replayed {
		t.Errorf("its retry: %+v, %v", r, err)
	}
	if _, err := at("k2", Lost); code(err) != model.CodeUnknownOutcome {
		t.Errorf("not committed, and unknown: %v", err)
	}
	if r, err := at("k2"); err != nil || r.Replayed || r.Revision != 2 {
		t.Errorf("its retry: %+v, %v", r, err)
	}
	if _, err := at("k3", Refused); !errors.Is(err, errFailure) {
		t.Errorf("not committed, and known: %v", err)
	}
	if r, err := at("k3", Twice); err != nil || r.Revision != 3 {
		t.Errorf("judged twice: %+v, %v", r, err)
	}
	sound(t, l)
}
