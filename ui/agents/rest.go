package agents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"vise/model"
	"vise/store/files"
	"vise/ui/reply"
)

// Rest is no event of a program's. Claude Code calls its second Stop hook with it, the one
// that runs in the background (asyncRewake) while the session rests; beside a session of
// Codex's server vise calls itself with it, beside one of OpenCode's our plugin.
const Rest = "Rest"

const (
	// RestLimit is how long a resting session is waited for. The program's own default would
	// end the waiting after 10 minutes.
	RestLimit = 12 * time.Hour
	// wakeCode wakes the session with what is on standard error.
	wakeCode reply.Exit = 2
	// handLimit bounds the handing over; nothing hurries here.
	handLimit = 5 * time.Second
	// retryRest is the pause after a ledger that was busy.
	retryRest = time.Second
)

// rest waits until something pressing is queued for the agent, hands it over and wakes the
// session with it. Waiting costs a look at the ledger's file every 2 s, and holds nothing. A
// program that is not at a terminal (claude -p) would wait for this hook before it ends, so
// that nothing is waited for there.
func (c *call) rest(ctx context.Context, p payload) error {
	if c.program == "codex" {
		return c.restInServer(ctx)
	}
	if c.program != "claude" || c.Getenv("CLAUDE_CODE_ENTRYPOINT") != "cli" || p.Session == "" || p.Subagent != "" {
		return nil
	}
	ctx, done, err := c.standBy(ctx, p.Session, "")
	if err != nil {
		return err
	}
	defer done()
	for ctx.Err() == nil {
		words, revision, err := c.awaited(ctx)
		if words != "" {
			fmt.Fprint(c.Err, words)
			return wakeCode
		}
		if err == nil {
			_, err = c.home.Follow(ctx, revision)
		}
		if err != nil {
			c.Wait(ctx, retryRest)
		}
	}
	return nil
}

// awaited are the words of what is pressing; none, and the revision that this was found
// at. What is handed over is said, whatever ends the waiting meanwhile.
func (c *call) awaited(ctx context.Context) (words string, revision uint64, err error) {
	waits := false
	err = c.home.View(ctx, func(r model.Reader) error {
		revision, waits = r.Revision(), presses(r, model.AgentID(c.agent))
		return nil
	})
	if err != nil || !waits {
		return "", revision, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handLimit)
	defer cancel()
	if words = strings.TrimSpace(c.handed(ctx, false)); words == "" {
		err = context.DeadlineExceeded // the ledger is busy, or another hook was first
	}
	return words, revision, err
}

// presses reports whether the queue holds something that should not wait for a prompt.
func presses(r model.Reader, agent model.AgentID) bool {
	return slices.ContainsFunc(r.QueuedMessages(agent, 1), func(m model.Message) bool { return m.Priority != model.Background })
}

// resting is the file that names who waits for a session.
func (c *call) resting(session string) string {
	return c.state("rest", session)
}

// mark names who waits for the session from now on.
func (c *call) mark(session string) (own string, err error) {
	path := c.resting(session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	own = keyOf("rest", fmt.Sprint(os.Getpid()), c.Now().String())
	return own, files.WriteAtomic(path, []byte(own))
}

// standBy makes this call the one that waits for the session, or lets it wait as the one
// that was named before. The context ends when another takes its place, when the session
// goes on or ends, or when the program is gone.
func (c *call) standBy(ctx context.Context, session, own string) (context.Context, func(), error) {
	path := c.resting(session)
	if own == "" {
		var err error
		if own, err = c.mark(session); err != nil {
			return nil, nil, err
		}
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		err = w.Add(filepath.Dir(path))
	}
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for holds(path, own) && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-w.Events:
			case <-w.Errors:
			}
		}
	}()
	if c.Gone != nil {
		go func() { c.Gone(); cancel() }()
	}
	return ctx, func() {
		cancel()
		_ = w.Close()
		if holds(path, own) {
			_ = os.Remove(path) // one that stays names nobody who lives
		}
	}, nil
}

func holds(path, own string) bool {
	raw, err := os.ReadFile(path)
	return err == nil && string(raw) == own
}

// risen ends the waiting for a session that goes on, or has ended. A subagent may work
// while its session rests.
func (c *call) risen(p payload) {
	switch c.event {
	case "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SessionEnd":
		if p.Session != "" && p.Subagent == "" {
			_ = os.Remove(c.resting(p.Session)) // one that waits on is replaced at the next rest
		}
	}
}
