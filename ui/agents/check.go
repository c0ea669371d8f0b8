package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// factTimeout bounds how long a hook may take to record a fact in the thread. The agent is blocked meanwhile. A fact that takes longer is
// left out.
const factTimeout = 200 * time.Millisecond

// maxCommandEnd bounds the end of a transcript that is read to learn how a command ended. It contains the command's output twice.
const maxCommandEnd = 4 << 20

// observe records a command of the agent's shell as a check of the item, and in the thread that is active where the command ran. It makes
// no thread.
func (c *call) observe(ctx context.Context, p payload) error {
	ran, ok := transcript.ToolCall{
		Program: c.program, Tool: p.Tool, Input: p.Input, Response: p.Response,
		Failed: c.event == "PostToolUseFailure", Error: p.Error, Interrupted: p.Interrupted, Dir: p.Dir,
	}.Ran()
	if !ok || !filepath.IsAbs(ran.Dir) {
		return nil
	}
	if c.program == "codex" && ran.NoStatus { // Codex's hook has only the output; its transcript has the status too
		end, _ := transcriptEnd(c.Getenv, home.Session{Program: c.program, Transcript: p.Transcript}, maxCommandEnd)
		if n, ok := transcript.CodexStatus(end, p.ToolUse); ok {
			ran.ExitStatus, ran.NoStatus = n, false
		}
	}
	k := model.KeepCheck{Command: model.Text(ran.Command)}
	if !ran.NoStatus {
		k.ExitStatus = &ran.ExitStatus
	}
	kept := c.checked(ctx, ran.Dir, k)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.FactTimeout, factTimeout))
	defer cancel()
	err := c.threadsIn(ran.Dir).Observe(ctx, home.Execution{
		ID: strings.TrimSpace(c.program + " " + c.session), Command: ran.Command,
		ExitStatus: ran.ExitStatus, NoStatus: ran.NoStatus, Claimed: ran.Claimed,
	})
	if err != nil {
		err = fmt.Errorf("the command's end is no fact of the thread: %w", err)
	}
	if kept != nil {
		kept = fmt.Errorf("the command's end is not kept as a check: %w", kept)
	}
	return errors.Join(kept, err)
}

// checkTimeout bounds how long a hook may take to read the state of the work tree that was checked. The check itself took longer.
const checkTimeout = 3 * time.Second

// checked records how a command ended if the command checks the work on the session's item. While the ledger is busy, the record waits in
// the hook queue.
func (c *call) checked(ctx context.Context, dir string, k model.KeepCheck) error {
	k.At = c.Now().UTC()
	checks, held := false, c.siblings().own
	err := c.view(ctx, func(r model.Reader) {
		checks = model.ChecksAnything(r, c.agent, k.Command)
		w, _ := c.focus(r, held)
		k.WorkItemID = w.ID
	})
	if err == nil && (!checks || k.WorkItemID == "") {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	k = home.CheckIn(ctx, dir, k)
	return c.deliver(context.WithoutCancel(ctx), home.HookReport{Key: home.NewKey(), Check: &k})
}
