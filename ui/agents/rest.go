package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/transcript"
)

// restEvent is not an event of any program. Claude Code calls its second Stop hook with it, which runs in the background (asyncRewake)
// while the session is idle. For a session in Codex's server vise calls itself with it; for one of OpenCode vise's plugin does.
const restEvent = "Rest"

// overLimit is the prompt that wakes a session whose turn ended at the usage limit.
const overLimit = "The usage limit is over. Go on with what you were asked last."

// nudge is the prompt for an idle session of Codex or OpenCode. The hook of that prompt brings the messages, so messages that reach no
// prompt are not recorded as sent.
const nudge = "There are messages for you; they come with this prompt."

const (
	// restLimit is how long vise waits for an idle session. The program's own default would end the wait after 10 minutes.
	restLimit = 12 * time.Hour
	// wakeCode wakes the session with the text on standard error.
	wakeCode Exit = 2
	// handLimit bounds the time to hand over messages.
	handLimit = 5 * time.Second
	// retryRest is the pause while the ledger is busy or another hook has the messages.
	retryRest = time.Second
	// retryOthers is the pause while a message waits for another session.
	retryOthers = 5 * time.Second
	// waiterCheck is how often a call checks whether it is still the one that waits for the session.
	waiterCheck = 500 * time.Millisecond
	// limitCheck is how often the clock is checked until a usage limit is over: the machine may be suspended meanwhile.
	limitCheck = time.Minute
	// maxNudges is how often vise tries to prompt a session that cannot be prompted.
	maxNudges = 3
)

// rest waits until an urgent message is queued for the agent, hands the messages over and wakes the session with them. The wait checks the
// ledger's file every 2 s and holds no lock. A program without a terminal (claude -p) would wait for this hook before it ends, so rest
// returns at once there.
func (c *call) rest(ctx context.Context, p payload) error {
	if c.program == "codex" {
		return c.restInServer(ctx, p.Behind)
	}
	if c.program != "claude" || c.Getenv("CLAUDE_CODE_ENTRYPOINT") != "cli" || c.session == "" || p.Subagent != "" {
		return nil
	}
	if err := c.claim(); err != nil {
		return err
	}
	if until := transcript.LimitIn(p.Last, c.Now()); until.After(c.Now()) {
		return c.awaitLimit(ctx, until)
	}
	return c.await(ctx, func(ctx context.Context, _ model.MessageID) (bool, error) { return c.wake(ctx, "") })
}

// wake wakes the session with words and its messages. It does nothing if both are empty: the ledger is busy, or another hook was first.
func (c *call) wake(ctx context.Context, words string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handLimit) // messages that are handed over must also be delivered
	defer cancel()
	text := strings.TrimSpace(words + "\n\n" + c.handed(ctx, false))
	if text == "" {
		return false, nil
	}
	fmt.Fprint(c.Err, text)
	return true, wakeCode
}

// awaitLimit wakes a session whose turn ended at the usage limit, once the limit is over: by the clock, or by a new record.
func (c *call) awaitLimit(ctx context.Context, until time.Time) error {
	c.Timeout = handLimit
	if err := c.limited(ctx, until); err != nil {
		return err
	}
	ctx, done := c.standBy(ctx)
	defer done()
	for c.waits() && ctx.Err() == nil {
		until, revision, err := c.limitUntil(ctx)
		switch left := until.Sub(c.Now()); {
		case err != nil:
			c.Wait(ctx, retryRest)
		case left > 0:
			c.followFor(ctx, min(left, limitCheck), revision)
		default:
			_, err := c.wake(ctx, overLimit)
			return err
		}
	}
	return nil
}

// limited records until when the program's usage limit holds; the zero time means that there is none.
func (c *call) limited(ctx context.Context, until time.Time) error {
	if c.busy || c.driven() {
		return nil // a driver records it itself
	}
	ctx, cancel := c.soon(ctx)
	defer cancel()
	was, _, err := c.limitUntil(ctx)
	if c.busy = err != nil; c.busy || until.Equal(was) || until.IsZero() && !was.After(c.Now()) {
		return err
	}
	_, err = home.Send(ctx, c.home, model.AgentActor(c.agent), c.agent, model.KeepUsageLimit{Until: until})
	return err
}

// limitUntil returns until when the ledger says that the program's usage limit holds, and the ledger's revision.
func (c *call) limitUntil(ctx context.Context) (until time.Time, revision uint64, err error) {
	err = c.home.View(ctx, func(r model.Reader) error {
		a, _ := r.Agent(c.agent)
		until, revision = a.Pace.LimitUntil, r.Revision()
		return nil
	})
	return until, revision, err
}

// behind is what a call in the background is told beside its session: the name under which it waits for that, and the session's program.
type behind struct {
	Claimed string `json:"claimed"`
	callingServer
}

// callingServer is a program that keeps sessions while they are idle.
type callingServer struct {
	// Program is its file or its name.
	Program string        `json:"program"`
	Process model.Process `json:"process"`
}

// awaitInServer starts a wait for a session that is idle in Codex's server. A session without a server ends with its turn (codex exec).
func (c *call) awaitInServer(p payload) error {
	if c.program != "codex" || c.event != "Stop" || c.session == "" || p.Subagent != "" || c.Server == nil {
		return nil
	}
	server, ok := c.Server()
	if !ok {
		return nil
	}
	if err := c.claim(); err != nil {
		return err
	}
	return c.background(restEvent, behind{c.claimed, server})
}

// restInServer waits until an urgent message is queued, and has the server prompt the session.
func (c *call) restInServer(ctx context.Context, b behind) error {
	c.claimed = b.Claimed
	if c.session == "" || c.claimed == "" {
		return c.noSession()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Ended != nil {
		go func() { c.Ended(ctx, b.Process); cancel() }()
	}
	return c.await(ctx, func(ctx context.Context, first model.MessageID) (bool, error) {
		if !c.once("nudged", string(first)) {
			return false, nil
		}
		var err error
		for range maxNudges {
			if _, err = c.Exec(ctx, b.Program, "", "queue", "--thread", c.session, "--message", nudge); err == nil || ctx.Err() != nil {
				return true, nil
			}
			c.Wait(ctx, retryRest)
		}
		c.undo("nudged", string(first)) // another session may take it
		return true, fmt.Errorf("the session was not prompted: %w", err)
	})
}

// restInPlugin waits for a session of OpenCode until an urgent message is queued. It then writes the prompt that vise's plugin gives to the
// session.
func (c *call) restInPlugin(ctx context.Context) error {
	if err := c.claim(); err != nil {
		return err
	}
	return c.await(ctx, func(_ context.Context, first model.MessageID) (bool, error) {
		if !c.once("nudged", string(first)) {
			return false, nil
		}
		return true, c.print(nudge)
	})
}

// await calls take for the first urgent message until take succeeds, or until this call no longer waits for the session.
func (c *call) await(ctx context.Context, take func(context.Context, model.MessageID) (bool, error)) error {
	ctx, done := c.standBy(ctx)
	defer done()
	for ctx.Err() == nil {
		first, err := c.firstUrgent(ctx, true)
		if err == nil && first.message != "" && c.waits() {
			if taken, err := take(ctx, first.message); taken {
				return err
			}
			c.followFor(ctx, retryRest, first.revision)
			continue
		}
		if err == nil && first.others { // until other sessions have read it or have ended
			c.followFor(ctx, retryOthers, first.revision)
			continue
		}
		if err == nil {
			_, err = c.home.Follow(ctx, first.revision)
		}
		if err != nil {
			c.Wait(ctx, retryRest)
		}
	}
	return nil
}

// followFor waits for a change, for a limited time.
func (c *call) followFor(ctx context.Context, limit time.Duration, revision uint64) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, _ = c.home.Follow(ctx, revision)
}

// waiter is the file that names the call that waits for the session.
func (c *call) waiter() string { return c.state("rest", c.session) }

// claim makes this call the one that waits for the session.
func (c *call) claim() error {
	if c.session == "" {
		return c.noSession()
	}
	path := c.waiter()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	c.claimed = home.NewKey()
	return files.WriteAtomic(path, []byte(c.claimed))
}

func (c *call) noSession() error { return fmt.Errorf("%s %s: no session is named", c.program, c.event) }

// waits reports whether this call is still the one that waits for a session.
func (c *call) waits() bool {
	raw, err := files.ReadSmall(c.waiter(), maxState)
	return err == nil && string(raw) == c.claimed
}

// standBy returns a context that ends when another call replaces this one, when the session continues or ends, or when the program has
// ended. done ends the context and the claim.
func (c *call) standBy(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for told := c.Now(); c.waits() && ctx.Err() == nil; {
			home.Pause(ctx, waiterCheck)
			if now := c.Now(); now.Sub(told) > home.RestsEvery {
				c.home.StillRests(c.agent, c.program, c.session)
				told = now
			}
		}
	}()
	if c.Gone != nil {
		go func() { c.Gone(); cancel() }()
	}
	return ctx, func() {
		cancel()
		if c.waits() {
			_ = os.Remove(c.waiter()) // a file that stays names a call that has ended
		}
	}
}

// goesOn ends the wait for a session that continues or has ended. A subagent may work while its session is idle.
func (c *call) goesOn(p payload) {
	if c.session != "" && p.Subagent == "" {
		_ = os.Remove(c.waiter()) // a call that still waits is replaced at the next wait
	}
}

// gone returns when standard error has no reader left: the calling program has ended, in whatever way.
func gone() {
	watched := []unix.PollFd{{Fd: int32(os.Stderr.Fd())}}
	for {
		_, err := unix.Poll(watched, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
