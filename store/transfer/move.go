package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// Move moves a ledger to another backend. Either is of any kind. A move that was interrupted goes on where it stopped; at no time are both
// ends open.
type Move struct {
	From *store.Ledger
	To   store.Backend
	// FromName and ToName are what people call the two places.
	FromName, ToName string
	// Opened is called when the ledger is open at its new place, before the old one says that it has moved: again if the move was
	// interrupted meanwhile. It can be nil.
	Opened func(context.Context, Arrived) error
	// Undone is called if a move ends before it has begun. It can be nil.
	Undone func(context.Context) error
	// Progress is called with what was copied so far. It can be nil.
	Progress func(Copied)

	known store.Status // of the source, if this run has found it read-only, or made it so
}

// Arrived is a ledger at its new place.
type Arrived struct {
	Home  string `json:"ledger"`
	Epoch uint64 `json:"epoch"`
	// Revision is that with which it came.
	Revision uint64 `json:"revision"`
}

// Moved is the result of a move.
type Moved struct {
	Arrived
	Proof
	// Copied is what this run copied.
	Copied
}

// Copied counts pairs of keys and values, and their bytes.
type Copied struct {
	Pairs int   `json:"copied_pairs"`
	Bytes int64 `json:"copied_bytes"`
}

// Run moves the ledger. The caller sees to it that no other process moves it to the same place.
func (m *Move) Run(ctx context.Context) (Moved, error) {
	out, err := m.run(ctx)
	return out, m.told(ctx, err)
}

// told adds to an error whether the source is only read now, and what ends that.
func (m *Move) told(ctx context.Context, err error) error {
	if err = store.Explain(err); err == nil {
		return nil
	}
	interrupted := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	s, unknown := store.AboutOn(ctx, m.From.Backend())
	if unknown != nil {
		s.Status = m.known
	}
	moves, open := s.State == store.StateMoving && s.Other == m.ToName, s.State == store.StateOpen && unknown == nil
	switch {
	case interrupted && moves:
		return model.Busy("the move was interrupted, and the ledger is only read until it ends").
			WithHint("%s", s.GoesOn())
	case interrupted && s.State == store.StateMoved:
		return model.Busy("the move was interrupted").WithHint(store.EndHint)
	case interrupted && open:
		err = model.Busy("the move was interrupted: nothing has moved, and the ledger is open").
			WithHint("the same vise admin move begins again")
	case moves:
		return after("the move has stopped, and the ledger is only read until it ends", err, s.GoesOn())
	case open:
		err = after("nothing has moved, and the ledger is open", err, "")
	default:
		return err
	}
	return cmp.Or(m.undone(ctx), err)
}

// after is an error with a message before its own, and a hint after its own.
func after(message string, err error, hint string) error {
	out, known := model.Error{Code: model.CodeInternal}, (*model.Error)(nil)
	if errors.As(err, &known) {
		out = *known
	}
	out.Message = message
	if out.Hint != "" && hint != "" {
		out.Hint += "; "
	}
	out.Hint += hint
	return out.Because(err)
}

// undone takes back what a move that has not begun has made.
func (m *Move) undone(ctx context.Context) error {
	if err := noteMoving(ctx, m.From, ""); err != nil {
		return err
	}
	if m.Undone == nil {
		return nil
	}
	return m.Undone(ctx)
}

func (m *Move) run(ctx context.Context) (out Moved, err error) {
	source, err := store.AboutOn(ctx, m.From.Backend())
	if err != nil {
		return out, err
	}
	x := &transfer{from: m.From.Backend(), to: m.To, home: source.Home, epoch: source.Epoch + 1, other: m.FromName, progress: m.Progress}
	if source.State == store.StateOpen {
		err = m.prepare(ctx, x)
	}
	if err != nil {
		return out, err
	}
	was, err := m.depart(ctx)
	if err != nil {
		return out, err
	}
	m.known, x.id = was, was.Move
	to, err := store.AboutOn(ctx, x.to)
	switch {
	case err != nil:
		return out, err
	case to.Came == x.id:
	case was.State == store.StateMoved:
		return out, kv.Refuse("use the place that has it", "the ledger has moved to %s, where it is not", model.Text(was.Other))
	default:
		if out.Proof, err = x.carry(ctx, m.From.Home()); err == nil {
			m.known.Whole = true
			err = m.note(ctx, func(s *store.Status) { s.Whole = true })
		}
		if err == nil {
			err = x.open(ctx)
		}
	}
	if err != nil {
		return out, err
	}
	out.Copied = x.copied
	if out.Arrived, err = arrivedAt(ctx, x.to); err == nil && m.Opened != nil {
		err = m.Opened(ctx, out.Arrived)
	}
	if err == nil {
		err = m.note(ctx, func(s *store.Status) { s.State = store.StateMoved })
	}
	return out, err
}

// prepare refuses a move that would fail later, while nothing was changed. It writes to the target what is there, because the user may not
// be permitted to change it.
func (m *Move) prepare(ctx context.Context, x *transfer) error {
	from, err := m.From.Backend().ReadCopy(ctx) // others change it meanwhile
	if err != nil {
		return err
	}
	defer from.Close()
	if err := prove(ctx, from, m.From.Home()); err != nil {
		return err
	}
	err = store.WriteFacts(ctx, x.to, func(f *store.Facts) error {
		if _, err := x.room(f); err != nil {
			return err
		}
		if was := f.Payload(store.KeyStatus); was != nil {
			f.Put(store.KeyStatus, bytes.Clone(was))
		} else {
			f.Delete(store.KeyStatus)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, most := x.to.Limits()
	most -= batchOverhead
	return scanAll(ctx, from, carried, nil, func(key, value []byte) error {
		if size := len(key) + len(value); size > most {
			return kv.Refuse("it stays where it is", "%s has %d bytes, and %s takes %d at once", nameOfKey(key), size, model.Text(m.ToName),
				most)
		}
		return nil
	})
}

// depart makes the source read-only, and returns its status.
func (m *Move) depart(ctx context.Context) (s store.Status, err error) {
	if err := noteMoving(ctx, m.From, m.ToName); err != nil {
		return s, err
	}
	id := store.NewID()
	err = store.WriteFacts(ctx, m.From.Backend(), func(f *store.Facts) error {
		switch s = f.Status(); {
		case s.State == store.StateArriving || s.State != store.StateOpen && s.Other != m.ToName:
			return s.Permits(true)
		case s.State != store.StateOpen:
			return nil
		}
		if err := noTurnRuns(f, m.From.Now()); err != nil {
			return err
		}
		s.State, s.Move, s.Other = store.StateMoving, id, m.ToName
		f.PutStatus(s)
		return nil
	})
	return s, err
}

// note notes at the source how far the move is.
func (m *Move) note(ctx context.Context, how func(*store.Status)) error {
	return store.WriteFacts(ctx, m.From.Backend(), func(f *store.Facts) error {
		s := f.Status()
		if s.State == store.StateMoving {
			how(&s)
			f.PutStatus(s)
		}
		return nil
	})
}

// GiveUp ends a move that was interrupted: the source is open again, and what the target has of it is deleted. A move whose target is open
// cannot be given up.
func (m *Move) GiveUp(ctx context.Context) error { return m.told(ctx, m.giveUp(ctx)) }

func (m *Move) giveUp(ctx context.Context) error {
	was, err := store.AboutOn(ctx, m.From.Backend())
	if err != nil {
		return err
	}
	if was.State != store.StateMoving || was.Other != m.ToName {
		return cmp.Or(was.Permits(true), kv.Refuse("there is nothing to give up", "the ledger does not move"))
	}
	x := &transfer{to: m.To, id: was.Move}
	if err = x.abandon(ctx); err == nil {
		err = m.note(ctx, func(s *store.Status) {
			if s.Move == was.Move {
				*s = s.Opened()
			}
		})
	}
	if err == nil {
		err = noteMoving(ctx, m.From, "")
	}
	return err
}

// noTurnRuns refuses a move while an agent is at work.
func noTurnRuns(f *store.Facts, now time.Time) error {
	for a := range model.AllAgents(store.Reader{Facts: f}) {
		if a.Turn.Runs(now) {
			return model.Refuse(model.CodeUnfinishedExecution, "a turn of agent %s runs", a.ID).
				WithHint("wait for its end, or end it: --interrupt")
		}
	}
	return nil
}
