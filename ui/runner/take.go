package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// The number of errors after which a program's turn is ended.
const (
	maxRefused = 5
	maxGarbled = 20
)

// listen reads the program's output and applies its rounds as they arrive.
func (t *turn) listen(ctx context.Context, out io.Reader) {
	// Bytes are counted before they are decoded, so that output without a line end counts too.
	eachLine(io.LimitReader(out, t.program.Turn.Output), func(line []byte, err error) {
		if err == nil {
			var rounds []said
			rounds, err = t.listener.line(line)
			for _, s := range rounds {
				t.take(ctx, s)
			}
		}
		if err != nil {
			t.answer(nil, err)
			if t.garbled++; t.garbled >= maxGarbled {
				t.cancel(errGarbled)
			}
		}
	})
	if n, _ := io.ReadFull(out, make([]byte, 1)); n > 0 {
		t.cancel(errFlood)
	}
	_, _ = io.Copy(io.Discard, out) // so that the program does not block on it
}

// observe records commands that ended as checks of the item and as facts of the thread. If recording fails, nothing is recorded.
func (t *turn) observe(ctx context.Context, ran []transcript.Ran) {
	if t.Dir == "" {
		return
	}
	for _, c := range ran {
		x := home.Execution{ID: fmt.Sprintf("%s turn %d", t.agent, t.index), Command: c.Command, ExitStatus: c.ExitStatus}
		_ = t.threads().Observe(ctx, x)
		t.keepCheck(ctx, model.KeepCheck{Command: model.Text(c.Command), ExitStatus: &c.ExitStatus})
	}
}

// keepCheck records how a command ended if it checks the work on the agent's focus. If that fails, nothing is recorded.
func (t *turn) keepCheck(ctx context.Context, c model.KeepCheck) {
	checks := false
	err := t.Ledger.View(ctx, func(r model.Reader) error {
		_, focused := model.Focus(r, t.agent)
		checks = focused && model.ChecksAnything(r, t.agent, c.Command)
		return nil
	})
	if err == nil && checks {
		_, _ = t.apply(ctx, model.AgentActor(t.agent), home.CheckIn(ctx, cmp.Or(t.program.Dir, t.Dir), c))
	}
}

// take applies one round. If the ledger refuses it, its text is kept with the reason.
func (t *turn) take(ctx context.Context, s said) {
	if t.rounds++; t.rounds > t.program.Turn.Rounds {
		if t.cancel(errRounds); s.key == "" {
			return
		} // what a session says until it has ended is kept
	}
	if t.unsettled {
		return
	}
	in, err := s.apply(ctx, t.Ledger, t.agent, t.index)
	for s.key != "" && err != nil && !home.RefusedForGood(err) { // the ledger is busy
		if home.Pause(t.driver, retryAfter); t.driver.Err() != nil {
			t.unsettled = true // another process settles it
			return
		}
		in, err = s.apply(ctx, t.Ledger, t.agent, t.index)
	}
	switch {
	case err == nil:
		t.refused = 0
	case t.over(err):
		t.cancel(errFenced)
		return
	case ctx.Err() == nil:
		t.refuse(ctx, s.Text, err)
	}
	t.answer(&in, err)
}

// apply gives the ledger a round of a turn. What a session says is taken however the turn has ended.
func (s said) apply(ctx context.Context, l home.Ledger, agent model.AgentID, turn int) (model.Receipt, error) {
	if s.wrong != nil {
		return model.Receipt{}, s.wrong
	}
	r := s.Round
	r.Turn, r.Late = turn, s.key != ""
	for _, ref := range s.done {
		if id, err := l.Resolve(ctx, ref); err == nil {
			r.Done = append(r.Done, id)
		}
	}
	return l.Apply(ctx, model.Envelope{Key: cmp.Or(s.key, home.NewKey()), Actor: model.AgentActor(agent), Agent: agent, Command: r})
}

// over reports whether an error says that this driver no longer holds the turn.
func (t *turn) over(err error) bool {
	e := model.AsError(err)
	return e != nil && e.Code == model.CodeStale && e.Field == "turn"
}

func (t *turn) refuse(ctx context.Context, words model.Text, why error) {
	kept := model.Round{Text: words, Turn: t.index, Refused: model.Text(why.Error())}
	_, err := t.apply(ctx, model.AgentActor(t.agent), kept)
	t.report(Event{Turn: t.index, What: "reply refused", Err: errors.Join(why, err)})
	if t.refused++; t.refused >= maxRefused {
		t.cancel(errRefused)
	}
}

// answerLine is the answer to a round in the rounds protocol.
type answerLine struct {
	Receipt *model.Receipt `json:"receipt,omitempty"`
	Error   *model.Error   `json:"error,omitempty"`
}

func (t *turn) answer(in *model.Receipt, err error) {
	if t.answers == nil {
		return
	}
	a := answerLine{Receipt: in}
	if err != nil {
		a = answerLine{Error: cmp.Or(model.AsError(err), &model.Error{Code: model.CodeInvalid, Message: err.Error()})}
	}
	line, err := json.Marshal(a)
	if err != nil {
		return
	}
	select {
	case t.answers <- line:
	default:
	}
}

// beats is how often a lease is renewed within its time.
const beats = 3

// beat renews the lease until ctx ends. It ends the turn if a scheduler has taken the lease away.
func (t *turn) beat(ctx context.Context) {
	lease := t.program.Turn.Lease.Duration()
	ticker := time.NewTicker(lease / beats)
	defer ticker.Stop()
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		begun := time.Now()
		_, err := t.renew(ctx, model.BeatTurn{Usage: t.used()})
		switch {
		case err == nil:
			good = begun
		case t.over(err) || time.Since(good) >= lease:
			t.cancel(errFenced)
			return
		}
	}
}

// renew renews the lease, with what c adds.
func (t *turn) renew(ctx context.Context, c model.BeatTurn) (model.Receipt, error) {
	c.AgentID, c.Turn, c.TTLMS = t.agent, t.index, t.program.Turn.Lease.Duration().Milliseconds()
	return t.apply(ctx, model.Scheduler, c)
}

// watch ends the program when the agent is stopped or the operator interjects.
func (t *turn) watch(ctx context.Context) {
	Await(ctx, t.Ledger, func(r model.Reader) bool {
		a, _ := r.Agent(t.agent)
		first := r.QueuedMessages(t.agent, 1)
		switch {
		case a.Turn == nil || a.Turn.Index != t.index:
			t.cancel(errFenced)
		case a.Posture == model.Stopped:
			t.cancel(errStopped)
		case len(first) > 0 && first[0].Priority == model.Interject:
			t.cancel(errInterject)
		}
		if c := t.talk.Load(); len(first) > 0 && c != nil && c.s.spec.Steers && ctx.Err() == nil { // another gets them in the next turn
			inform(c.news)
		}
		return ctx.Err() != nil
	})
}
