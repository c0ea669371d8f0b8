package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vise/model"
)

// ending is how a run of the program ended.
type ending struct {
	result processResult
	// cause is why it was ended, nil if it ended by itself; failed why it did not start.
	cause, failed error
	final         model.Text
	// said is what the program itself says went wrong.
	said   string
	stderr string
}

// verdicts are the endings that a driver brings about.
var verdicts = []struct {
	cause   error
	outcome model.TurnOutcome
	code    model.TurnCode
}{
	{errTimeout, model.TurnTimedOut, model.ProgramTimedOut},
	{errFlood, model.TurnFailed, model.ProgramFlooded},
	{errGarbled, model.TurnFailed, model.ProgramGarbled},
	{errRefused, model.TurnFailed, model.RoundsRefused},
	{errRounds, model.TurnAborted, model.ProgramTooLong},
	{errStopped, model.TurnAborted, model.TurnStopped},
	{errInterject, model.TurnAborted, model.TurnInterjected},
	{context.Canceled, model.TurnInterrupted, model.DriverStopped},
}

// command says how the turn ended.
func (e ending) command(agent model.AgentID, turn int) model.EndTurn {
	c := model.EndTurn{AgentID: agent, Turn: turn, Outcome: model.TurnCompleted, Final: e.final}
	switch {
	case e.cause != nil:
		c.Outcome = model.TurnInterrupted
		for _, v := range verdicts {
			if errors.Is(e.cause, v.cause) {
				c.Outcome, c.Code = v.outcome, v.code
				break
			}
		}
	case e.failed != nil:
		c.Outcome, c.Code = model.TurnFailed, model.ProgramMissing
	case !e.result.OK() || e.said != "":
		c.Outcome, c.Code = model.TurnFailed, model.ProgramFailed
	}
	c.Reason = model.Text(strings.ToValidUTF8(e.reason(), "\uFFFD"))
	return c
}

// reason tells in words why the turn did not just end.
func (e ending) reason() string {
	var why []string
	switch {
	case e.cause != nil:
		why = append(why, e.cause.Error())
	case e.failed != nil:
		why = append(why, e.failed.Error())
	case !e.result.OK() || e.said != "":
		why = append(why, e.words())
	}
	if e.result.Escaped > 0 {
		why = append(why, fmt.Sprintf("%d processes of it had left its group and were ended", e.result.Escaped))
	}
	if e.result.Survivors > 0 {
		why = append(why, fmt.Sprintf("%d processes of it could not be ended", e.result.Survivors))
	}
	return strings.Join(why, "; ")
}

// words tell how a program failed, with its own last words.
func (e ending) words() string {
	how := fmt.Sprintf("exit status %d", e.result.ExitCode)
	if e.result.Signal != "" {
		how = "ended by a signal: " + e.result.Signal
	}
	if e.result.OK() {
		how = "it says that it failed"
	}
	last := strings.TrimSpace(e.said)
	if last == "" {
		last = strings.TrimSpace(e.stderr)
	}
	if last == "" {
		return how
	}
	return how + ": " + last
}
