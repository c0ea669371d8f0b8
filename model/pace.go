package model

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"
)

// Limits hold an agent's turns back (docs/lifecycle.md 12).
type Limits struct {
	// MaxQuietTurnsPerHour bounds turns that change nothing: 0 is the default of 6, -1 no limit.
	MaxQuietTurnsPerHour int `json:"max_quiet_turns_per_hour,omitempty"`
	// MaxTurnsPerHour bounds all turns. MaxCostPerDay bounds their cost in a day (UTC), in US dollars, if the agent's program
	// reports it. MaxTokensPerDay bounds their tokens, read and written; a turn that reaches it is ended. 0 is no limit.
	MaxTurnsPerHour int     `json:"max_turns_per_hour,omitempty"`
	MaxCostPerDay   float64 `json:"max_cost_per_day,omitempty"`
	MaxTokensPerDay int64   `json:"max_tokens_per_day,omitempty"`
}

// Bounds of the limits.
const (
	defaultQuietTurns = 6
	maxTurnsLimit     = 60
	maxCostLimit      = 1e6
	maxTokensLimit    = 1e12
)

// QuietTurns is how many turns in an hour can change nothing; 0: any number.
func (l Limits) QuietTurns() int {
	switch {
	case l.MaxQuietTurnsPerHour < 0:
		return 0
	case l.MaxQuietTurnsPerHour == 0:
		return defaultQuietTurns
	}
	return l.MaxQuietTurnsPerHour
}

// changed are the limits with the given values.
func (l Limits) changed(c UpdateAgent) (Limits, error) {
	const none = "0 is no limit; on the command line: off"
	err := cmp.Or(
		limit("max_quiet_turns_per_hour", &l.MaxQuietTurnsPerHour, c.MaxQuietTurnsPerHour, -1, maxTurnsLimit,
			fmt.Sprintf("-1 is no limit, 0 the default of %d", defaultQuietTurns)),
		limit("max_turns_per_hour", &l.MaxTurnsPerHour, c.MaxTurnsPerHour, 0, maxTurnsLimit, none),
		limit("max_cost_per_day", &l.MaxCostPerDay, c.MaxCostPerDay, 0, maxCostLimit, "in US dollars; "+none),
		limit("max_tokens_per_day", &l.MaxTokensPerDay, c.MaxTokensPerDay, 0, maxTokensLimit, none))
	return l, err
}

// limit sets a limit to a given value; nil changes nothing.
func limit[N int | int64 | float64](field string, now, to *N, least N, most int64, hint string) error {
	switch {
	case to == nil:
		return nil
	case !(*to >= least && *to <= N(most)): // true for NaN too
		return Invalid("%s must be above 0, and at most %d", field, most).At(field, hint)
	}
	*now = *to
	return nil
}

// Tokens are the tokens read and written.
func (u Usage) Tokens() int64 { return u.InputTokens + u.OutputTokens }

// Usage is the use of a model, as the agent's program reports it.
type Usage struct {
	CostUSD float64 `json:"cost_usd,omitempty"`
	// InputTokens are the tokens that the model read, including cached ones.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
}

// Words say what was used; empty if nothing.
func (u Usage) Words() string {
	var list []string
	if u.CostUSD > 0 {
		list = append(list, fmt.Sprintf("$%.2f", u.CostUSD))
	}
	if u.Tokens() > 0 {
		list = append(list, fmt.Sprintf("tokens in %d, out %d", u.InputTokens, u.OutputTokens))
	}
	return strings.Join(list, ", ")
}

// Plus is the sum.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.CostUSD + v.CostUSD, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

// real is u without impossible values.
func (u Usage) real() Usage {
	if !(u.CostUSD >= 0) || math.IsInf(u.CostUSD, 0) {
		u.CostUSD = 0
	}
	return Usage{u.CostUSD, max(u.InputTokens, 0), max(u.OutputTokens, 0)}
}

// Pace holds the facts that decide the time between an agent's turns: the results of its last ones.
type Pace struct {
	// Quiet counts the turns in a row that changed nothing. No work is offered until QuietUntil, unless the candidates are no
	// longer those of the key Candidates.
	Quiet      int       `json:"quiet_turns,omitempty"`
	QuietUntil time.Time `json:"quiet_until,omitzero"`
	Candidates string    `json:"candidates,omitempty"`
	// QuietAt and TurnsAt are the starts of the last hour's turns: of those that changed nothing, and of all if there is a
	// limit.
	QuietAt []time.Time `json:"quiet_turns_at,omitempty"`
	TurnsAt []time.Time `json:"turns_at,omitempty"`
	// Day is the day (UTC) of the counts: Cost in US dollars, and the tokens.
	Day          string  `json:"day,omitempty"`
	Cost         float64 `json:"cost,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	// RunNow: the operator wants the next turn despite pauses and limits.
	RunNow bool `json:"run_now,omitempty"`
	// LimitUntil is the end of the usage limit of the agent's program.
	LimitUntil time.Time `json:"limit_until,omitzero"`
	// Failure describes the last turn's failure; nil if it succeeded.
	Failure *TurnFailure `json:"failure,omitempty"`
}

// TurnFailure describes failed turns.
type TurnFailure struct {
	Turn int `json:"turn"`
	// Since is the time of the first failure of the series, At of the last.
	Since time.Time `json:"since"`
	At    time.Time `json:"at"`
	Code  TurnCode  `json:"code,omitempty"`
	// Reason ends with the program's last words.
	Reason Text `json:"reason,omitempty"`
}

const (
	firstPause = time.Minute
	lastPause  = 30 * time.Minute
	// maxAttempts is how many turns an item gets without news before it is stalled.
	maxAttempts = 5
)

// pause is how long an agent pauses after n failed or quiet turns in a row.
func pause(n int) time.Duration {
	d := firstPause
	for range n - 1 {
		if d *= 2; d >= lastPause {
			return lastPause
		}
	}
	return d
}

// lastHour are the instants in the hour before now, oldest first, at most limit of them.
func lastHour(at []time.Time, now time.Time, limit int) []time.Time {
	var out []time.Time
	for _, t := range at {
		if now.Sub(t) < time.Hour {
			out = append(out, t)
		}
	}
	return out[max(0, len(out)-limit):]
}

// full is when a limit of turns in an hour lets the next turn begin; zero: the limit holds back none.
func full(at []time.Time, now time.Time, limit int) time.Time {
	if recent := lastHour(at, now, limit); limit > 0 && len(recent) == limit {
		return recent[0].Add(time.Hour)
	}
	return time.Time{}
}

// dayOf names the day whose cost counts.
func dayOf(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// UsedToday is what the day's turns used, as far as the program reported it.
func (a Agent) UsedToday(now time.Time) Usage {
	if a.Pace.Day != dayOf(now) {
		return Usage{}
	}
	return Usage{a.Pace.Cost, a.Pace.InputTokens, a.Pace.OutputTokens}
}

// Failing reports whether the agent's last turn failed.
func (a Agent) Failing() bool { return a.Pace.Failure != nil }

// begun is the agent after the start of a turn.
func (a Agent) begun(candidates string, now time.Time) Agent {
	if a.Pace.Candidates != candidates {
		a.Pace.Quiet, a.Pace.QuietUntil, a.Pace.Candidates = 0, time.Time{}, ""
	}
	a.Pace.RunNow, a.Pace.TurnsAt = false, nil
	if n := a.Limits.MaxTurnsPerHour; n > 0 {
		a.Pace.TurnsAt = append(lastHour(a.Pace.TurnsAt, now, n-1), now)
	}
	return a
}

// excused reports whether the end of the turn says nothing about the agent.
func (c EndTurn) excused() bool {
	return c.Code == DriverStopped || c.Code == TurnStopped || c.Code == TurnInterjected || c.Code == UsageLimit
}

// cameToNothing reports whether a turn changed nothing that it could have changed. A turn that heard the operator does not
// count, because it can have answered with words.
func (t turn) cameToNothing(c EndTurn) bool {
	return !t.Progress && c.Commit == "" && !t.Heard && !c.excused()
}

// ended is the agent after the end of a turn, with its next pause. Failures have a pause of their own. Work is offered again at
// once if the lease ran out.
func (a Agent) ended(t turn, c EndTurn, now time.Time) Agent {
	used := a.UsedToday(now).Plus(c.Usage)
	a.Pace.Day, a.Pace.Cost, a.Pace.InputTokens, a.Pace.OutputTokens = dayOf(now), used.CostUSD, used.InputTokens, used.OutputTokens
	if used == (Usage{}) {
		a.Pace.Day = ""
	}
	nothing := t.cameToNothing(c)
	a.Pace.LimitUntil = c.Until
	switch {
	case nothing:
		a.Pace.QuietAt = append(lastHour(a.Pace.QuietAt, now, maxTurnsLimit-1), t.StartedAt)
	case t.Progress || c.Commit != "":
		a.Pace.Quiet, a.Pace.QuietUntil, a.Pace.Candidates = 0, time.Time{}, ""
	}
	switch c.Outcome {
	case TurnFailed, TurnTimedOut:
		a.FailedTurns++
		a.RestUntil = now.Add(pause(a.FailedTurns))
		f := TurnFailure{Turn: t.Index, Since: now, At: now, Code: c.Code, Reason: cut(c.Reason, MaxReason)}
		if a.Pace.Failure != nil {
			f.Since = a.Pace.Failure.Since
		}
		a.Pace.Failure = &f
		return a
	case TurnCompleted:
		a.FailedTurns, a.RestUntil, a.Pace.Failure = 0, time.Time{}, nil
	}
	if nothing && c.Outcome != TurnInterrupted {
		a.Pace.Quiet++
		a.Pace.QuietUntil, a.Pace.Candidates = now.Add(pause(a.Pace.Quiet)), t.Candidates
	}
	return a
}

// restUntil is the end of the agent's pause; zero if there is none.
func (a Agent) restUntil() time.Time {
	if a.Pace.LimitUntil.After(a.RestUntil) {
		return a.Pace.LimitUntil
	}
	if a.RestUntil.After(a.Pace.QuietUntil) {
		return a.RestUntil
	}
	return a.Pace.QuietUntil
}

// candidatesKey stands for the present candidates of an agent: the rows that are shown of them, and their number.
func candidatesKey(f Facts, id AgentID) string {
	h := fnv.New64a()
	for _, class := range Classes[:3] {
		fmt.Fprintf(h, "%s %d\n", class, f.Count(id, ClassTally(class)))
		for _, r := range f.Rows(id, class, nil, class.Limit()) {
			fmt.Fprintln(h, tickKey(offerReason[class], r))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// turnFor is the purpose of a turn: queued input, offered work, or second looks.
type turnFor int

const (
	forInput turnFor = iota
	forWork
	forSecondLooks
)

// held says what holds back a turn that has a reason to begin. Of several causes it takes the one that lasts longest.
func (x *decider) held(what turnFor) (Decision, bool) {
	a, best := x.a, Decision{Kind: DecideNoop}
	hold := func(reason string, until time.Time, evidence, words string) {
		if until.After(x.now) && until.After(best.Until) {
			best.Reason, best.Until, best.Evidence, best.HeldBy = reason, until, []string{evidence}, words
		}
	}
	if a.Pace.RunNow {
		return best, false
	}
	if t := a.Pace.LimitUntil; !t.IsZero() {
		hold("usage_limit", t, "until="+t.Format(time.RFC3339), "its program's usage limit is reached")
	}
	if n := a.FailedTurns; n > 0 {
		hold("failed_turn_rests", a.RestUntil, fmt.Sprintf("failed_turns=%d", n), lastTurns(n)+" failed")
	}
	if n := a.Limits.QuietTurns(); len(a.Pace.QuietAt) > 0 && (what != forInput || !x.operatorSpoke()) {
		hold("max_quiet_turns_per_hour", full(a.Pace.QuietAt, x.now, n), fmt.Sprintf("quiet_turns=%d", n),
			Counted(n, "turn")+" of the last hour changed nothing, which is its limit")
	}
	if n := a.Limits.MaxTurnsPerHour; n > 0 {
		hold("max_turns_per_hour", full(a.Pace.TurnsAt, x.now, n), fmt.Sprintf("turns=%d", n),
			Counted(n, "turn")+" in the last hour, which is its limit")
	}
	used, tomorrow := a.UsedToday(x.now), x.now.UTC().Truncate(24*time.Hour).Add(24*time.Hour)
	if n, most := used.Tokens(), a.Limits.MaxTokensPerDay; most > 0 && n >= most {
		hold("max_tokens_per_day", tomorrow, fmt.Sprintf("tokens=%d", n),
			fmt.Sprintf("its turns used %d tokens today, its limit is %d", n, most))
	}
	if spent, most := used.CostUSD, a.Limits.MaxCostPerDay; most > 0 && spent >= most {
		hold("max_cost_per_day", tomorrow, fmt.Sprintf("cost=%.2f", spent),
			fmt.Sprintf("its turns cost $%.2f today, its limit is $%.2f", spent, most))
	}
	if what == forWork && x.now.Before(a.Pace.QuietUntil) && candidatesKey(x.f, a.ID) == a.Pace.Candidates {
		n := a.Pace.Quiet
		hold("quiet_turn_rests", a.Pace.QuietUntil, fmt.Sprintf("quiet_turns=%d", n), lastTurns(n)+" changed nothing")
	}
	return best, best.Reason != ""
}

func lastTurns(n int) string {
	if n == 1 {
		return "its last turn"
	}
	return fmt.Sprintf("its last %d turns", n)
}

// operatorSpoke reports whether the next turn takes words of the operator.
func (x *decider) operatorSpoke() bool {
	for _, m := range x.f.QueuedMessages(x.a.ID, maxTurnMessages) {
		if m.Origin == Operator {
			return true
		}
	}
	return false
}

// noteProgress marks the running turn of the agent as one with progress, if the agent itself changed a record, or if a plan or
// a todo file changed.
func (s *step) noteProgress(c Command) {
	id, isAgent := s.at.Actor.Agent()
	switch c.(type) {
	case RefreshPlan, SavePlan, RefreshTodos:
		id, isAgent = s.receipt.AgentID, true
	}
	if !isAgent || len(s.order) == 0 {
		return
	}
	a, ok := s.Agent(id)
	if !ok || !a.Turn.Runs(s.at.At) || a.Turn.Progress || !s.changesWork(a) {
		return
	}
	t := *a.Turn
	t.Progress, t.About, a.Turn = true, s.receipt.WorkItemID, &t
	s.put(a)
}

// changesWork reports whether the command changed a record of work, or the focus.
func (s *step) changesWork(a Agent) bool {
	for _, n := range s.order {
		switch n.Kind {
		case KindItem, KindWait, KindTask, KindDelegation:
			return true
		}
	}
	before, _ := s.before.Agent(a.ID)
	return before.CurrentWorkItemID != a.CurrentWorkItemID
}
