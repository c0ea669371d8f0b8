package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/ui/transcript"
)

const (
	// settleLimit is how long the end of a turn is waited for.
	settleLimit = 2 * time.Hour
	// The pauses before looks at a session double from the least to the most. A look runs
	// `crush session show`, which takes 50 ms of the processor.
	leastPause = 500 * time.Millisecond
	mostPause  = 15 * time.Second
	// maxUnread is after how many looks a session that cannot be read is given up.
	maxUnread = 5
)

// settling is what Settle is told.
type settling struct {
	Session string `json:"session_id"`
	Dir     string `json:"cwd"`
	// Program is the Crush that runs the session: another version might change its database.
	Program string `json:"program"`
}

// settleSession follows a session until what it completed has its words, or its turn is
// over. The newest of those who wait for a session settles for all.
func (c *call) settleSession(ctx context.Context) error {
	var s settling
	if err := json.Unmarshal(c.payload, &s); err != nil || s.Session == "" {
		return fmt.Errorf("%s %s: no session is named", c.program, c.event)
	}
	ctx, done, err := c.standBy(ctx, s.Session, "")
	if err != nil {
		return err
	}
	defer done()
	unread := 0
	for pause := leastPause; unread < maxUnread; pause = min(2*pause, mostPause) {
		if c.Wait(ctx, pause); ctx.Err() != nil {
			return nil
		}
		settled, lookErr := c.settleOnce(ctx, s)
		if settled {
			return lookErr
		}
		if unread, err = unread+1, lookErr; lookErr == nil {
			unread = 0
		}
	}
	return err
}

// settleOnce looks at the session once. Settled: nothing of it is left to wait for.
func (c *call) settleOnce(ctx context.Context, s settling) (settled bool, err error) {
	waiting := c.recall(s.Session)
	if len(waiting) == 0 {
		return true, nil
	}
	raw, err := c.Exec(ctx, s.Program, s.Dir, "session", "show", s.Session, "--json")
	if err != nil {
		return false, fmt.Errorf("the session is not told by %s: %w", model.Text(filepath.Base(s.Program)), err)
	}
	list, rests, err := transcript.Crush(raw)
	if err != nil {
		return false, fmt.Errorf("the session is not as expected: %w", err)
	}
	if err := c.rounds(ctx, s.Session, ready(list, waiting)); err != nil {
		return false, err
	}
	if rests { // what is left was refused
		for _, x := range waiting {
			c.forget(s.Session, []string{x.ToolUse})
		}
	}
	return len(c.recall(s.Session)) == 0, nil
}

// ready are the rounds that can be delivered.
func ready(list []transcript.SessionRound, waiting []pending) []transcript.Round {
	var out []transcript.Round
	for _, r := range list {
		if !r.Waits && slices.ContainsFunc(waiting, func(x pending) bool { return slices.Contains(r.Completed, x.Item) }) {
			r.Tools = r.Completed // Crush's hook gives a call no name but what it asks for
			out = append(out, r.Round)
		}
	}
	return out
}
