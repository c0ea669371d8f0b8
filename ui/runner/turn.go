package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vise/model"
	"vise/model/prompt"
	"vise/store/files"
	"vise/store/home"
	"vise/store/threads"
	"vise/ui/config"
)

// turn is one run of the program.
type turn struct {
	*worker
	index int
	// driver ends when the driver is told to end. unsettled means that the ledger has not taken all that was said until then.
	driver    context.Context
	unsettled bool
	listener  listener
	// talk is the conversation with a program that speaks the Agent Client Protocol.
	talk atomic.Pointer[conversation]
	// cancel ends the program; its cause is the reason.
	cancel context.CancelCauseFunc
	// answers go to a program that uses the rounds protocol.
	answers chan []byte

	rounds, refused, garbled int
}

// verdict is a reason why a driver ends a program, and how the turn ends then.
type verdict struct {
	why     string
	outcome model.TurnOutcome
	code    model.TurnCode
}

func (v *verdict) Error() string { return v.why }

var (
	errTimeout   = &verdict{"the turn took too long", model.TurnTimedOut, model.ProgramTimedOut}
	errFlood     = &verdict{"the program wrote too much", model.TurnFailed, model.ProgramFlooded}
	errRounds    = &verdict{"the turn has reached its limit of replies", model.TurnAborted, model.ProgramTooLong}
	errRefused   = &verdict{"its replies are refused again and again", model.TurnFailed, model.RoundsRefused}
	errGarbled   = &verdict{"vise does not understand its output", model.TurnFailed, model.ProgramGarbled}
	errFenced    = &verdict{"the turn is not ours any more", model.TurnInterrupted, ""}
	errTokens    = &verdict{"the agent's tokens of today are used up", model.TurnAborted, model.TokensUsedUp}
	errStopped   = &verdict{"the agent was stopped", model.TurnAborted, model.TurnStopped}
	errInterject = &verdict{"you interjected", model.TurnAborted, model.TurnInterjected}
)

// turn claims a turn, runs the program, and ends the turn. It returns only errors of the ledger. A program's failure shows in how the turn
// ends.
func (w *worker) turn(ctx context.Context, tick string) error {
	lease := w.program.Turn.Lease.Duration().Milliseconds()
	w.refreshPlans(ctx) // edits made before the turn are not its progress
	head := w.head(ctx)
	in, err := w.apply(ctx, model.Scheduler, model.ClaimTurn{AgentID: w.agent, Holder: holder(), Process: Self(), TTLMS: lease, Tick: tick})
	if err != nil {
		return err
	}
	t := &turn{worker: w, index: in.Turn, driver: ctx}
	w.report(Event{Turn: t.index, What: "turn started"})
	end := t.run(ctx)
	if errors.Is(end.cause, errFenced) {
		w.report(Event{Turn: t.index, What: "turn lost", Err: end.cause})
		return nil
	}
	c := end.command(w.agent, t.index)
	if c.Usage = end.used; c.Code == model.ProgramFailed && end.limit.After(w.Now()) {
		c.Outcome, c.Code, c.Until = model.TurnInterrupted, model.UsageLimit, end.limit
	}
	ctx, cancel := closing(ctx, w.program.Turn.Lease.Duration())
	defer cancel()
	w.refreshPlans(ctx)
	if now := w.head(ctx); now != head {
		c.Commit = now
	}
	w.failure = nil
	if c.Outcome == model.TurnFailed || c.Outcome == model.TurnTimedOut {
		w.failure = model.Refuse(model.CodeAgentFailed, "turn %d of agent %s failed: %s: %s", t.index, w.agent, c.Code, c.Reason).
			WithHint("vise why %s says more; vise retry %s tries again", w.agent, w.agent)
	}
	_, err = w.apply(ctx, model.Scheduler, c)
	if w.session != nil && err == nil && !t.unsettled {
		w.session.settled()
	}
	w.report(Event{Turn: t.index, What: "turn ended", Outcome: c.Outcome, Code: c.Code, Reason: c.Reason, Err: err})
	return err
}

// refreshPlans updates the ledger's description of the plans that the agent may have edited: those of the items that are shown to it. A
// plan that cannot be read now is recorded later.
func (w *worker) refreshPlans(ctx context.Context) {
	if w.Refresh == nil {
		return
	}
	var items []model.ItemID
	_ = w.Ledger.View(ctx, func(r model.Reader) error { // a failing ledger is reported by the next command
		items = model.Shown(r, w.agent)
		return nil
	})
	for _, id := range items {
		_ = w.Refresh(ctx, id)
	}
}

// head returns the commit that is checked out where the program works, or "" without a repository.
func (w *worker) head(ctx context.Context) string {
	dir := cmp.Or(w.program.Dir, w.Dir)
	if dir == "" {
		return ""
	}
	return threads.Reader{}.Head(ctx, dir)
}

// run starts the program and reads its output until both have ended.
func (t *turn) run(ctx context.Context) ending {
	err := t.ownTree(ctx)
	if err != nil {
		return ending{cause: err}
	}
	begin, err := t.briefing(ctx)
	if err != nil {
		return ending{cause: err}
	}
	ctx, t.cancel = context.WithCancelCause(ctx)
	defer t.cancel(nil)

	var around sync.WaitGroup
	defer around.Wait()
	defer t.cancel(nil)
	around.Go(func() { t.beat(ctx) })
	around.Go(func() { t.watch(ctx) })
	if t.program.Adapter == config.AdapterACP {
		return t.converse(ctx, begin)
	}
	timed, stop := context.WithTimeoutCause(ctx, t.program.Turn.Timeout.Duration(), errTimeout)
	defer stop()
	return t.execute(timed, begin)
}

// execute runs the program with a pipe for its output. Only the program writes to the pipe, so everything that it wrote is read to the last
// byte. A child that keeps the pipe open does not block the turn.
func (t *turn) execute(ctx context.Context, begin briefing) ending {
	t.listener = adapters[t.program.Adapter]()
	from, in, err := os.Pipe()
	if err != nil {
		return ending{cause: err}
	}
	out := &outputPipe{File: from}
	defer out.Close()
	stderr := &files.Tail{Max: shownStderr}
	spec, done, err := t.spec(begin)
	if err != nil {
		in.Close()
		return ending{cause: err}
	}
	spec.Stdout, spec.Stderr = in, stderr
	var end ending
	read := make(chan struct{})
	go func() {
		defer close(read)
		t.listen(ctx, out)
	}()
	end.result, end.failed = execute(ctx, spec)
	end.cause = context.Cause(ctx)
	in.Close()
	out.stop()
	<-read
	if end.cause == nil {
		end.cause = context.Cause(ctx)
	}
	rest := t.listener.end(&end, t.Now())
	closing, cancel := closing(ctx, t.program.Turn.Lease.Duration())
	defer cancel()
	for _, s := range rest {
		t.take(closing, s)
	}
	done()
	end.stderr = stderr.String()
	return end
}

// shownStderr bounds the standard error that the end of a turn records, in bytes.
const shownStderr = 2000

// briefing is the input with which a program begins its turn: text for a model, and the same as data.
type briefing struct {
	Context prompt.Context `json:"context"`
	Text    string         `json:"text"`
}

func (t *turn) briefing(ctx context.Context) (out briefing, err error) {
	err = t.Ledger.View(ctx, func(r model.Reader) error {
		a, _ := r.Agent(t.agent)
		if a.Turn == nil || a.Turn.Index != t.index {
			return errFenced
		}
		out.Context = prompt.Of(r, t.agent, t.Now().UTC())
		return nil
	})
	if err != nil {
		return out, err
	}
	o := prompt.Options{Budget: t.program.Turn.Context, Now: out.Context.At}
	if now := out.Context.Current; t.Dir != "" && now != nil {
		now.Left = t.threads().Left(ctx, now.Links)
		o.Left = now.Left
	}
	err = t.Ledger.View(ctx, func(r model.Reader) error {
		out.Text = prompt.Fit(r, t.agent, o).Text() + prompt.Messages(out.Context.Messages) + "\n" + prompt.Rules
		return nil
	})
	return out, err
}

// threads returns the threads of the repository in which the program works.
func (t *turn) threads() home.Threads {
	return home.Threads{Dir: cmp.Or(t.program.Dir, t.Dir), Now: t.Now, Actor: string(model.Scheduler)}
}

// spec describes how to start the program. The returned function closes the program's input.
func (t *turn) spec(begin briefing) (processSpec, func(), error) {
	argv, placed := t.program.argv(begin.Text)
	s := processSpec{Argv: argv, Dir: t.program.Dir, Record: newRecord(t.Home, t.agent), Env: t.environment(t.index)}
	switch {
	case t.program.Adapter == config.AdapterRounds:
		first, err := json.Marshal(begin)
		if err != nil {
			return s, nil, err
		}
		in, err := newInputPipe(first)
		if err != nil {
			return s, nil, err
		}
		t.answers, s.Stdin = in.lines, in.read
		return s, in.close, nil
	case !placed:
		s.Stdin = strings.NewReader(begin.Text)
	}
	return s, func() {}, nil
}

// ending says how a run of the program ended.
type ending struct {
	result processResult
	// cause is why the driver ended it, or nil if it ended by itself; failed is why it did not start.
	cause, failed error
	final         model.Text
	// said is the program's own error message.
	said   string
	stderr string
	// isError means that the program answered with an error, whose text may be its last words too.
	isError bool
	used    model.Usage
	// limit is when the program's usage limit ends, if it told of one.
	limit time.Time
}

// command makes the command that ends the turn.
func (e ending) command(agent model.AgentID, turn int) model.EndTurn {
	var why []string
	c := model.EndTurn{AgentID: agent, Turn: turn, Outcome: model.TurnCompleted, Final: e.final}
	switch {
	case e.cause != nil:
		c.Outcome, why = model.TurnInterrupted, []string{e.cause.Error()}
		if v, ok := errors.AsType[*verdict](e.cause); ok {
			c.Outcome, c.Code = v.outcome, v.code
		} else if errors.Is(e.cause, context.Canceled) {
			c.Code = model.DriverStopped
		}
	case e.failed != nil:
		c.Outcome, c.Code, why = model.TurnFailed, model.ProgramMissing, []string{e.failed.Error()}
	case !e.result.OK() || e.said != "":
		c.Outcome, c.Code, why = model.TurnFailed, model.ProgramFailed, []string{e.words()}
	}
	if e.result.Escaped > 0 {
		why = append(why, fmt.Sprintf("%d processes of it had left its group and were ended", e.result.Escaped))
	}
	if e.result.Survivors > 0 {
		why = append(why, fmt.Sprintf("%d processes of it could not be ended", e.result.Survivors))
	}
	c.Reason = model.Text(strings.ToValidUTF8(strings.Join(why, "; "), "\uFFFD"))
	return c
}

// words describe a program's failure, with the last lines of its standard error.
func (e ending) words() string {
	how := fmt.Sprintf("exit status %d", e.result.ExitCode)
	if e.result.Signal != "" {
		how = "ended by a signal: " + e.result.Signal
	}
	if e.result.OK() {
		how = "it says that it failed"
	}
	if last := cmp.Or(strings.TrimSpace(e.said), strings.TrimSpace(e.stderr)); last != "" {
		how += ": " + last
	}
	return how
}
