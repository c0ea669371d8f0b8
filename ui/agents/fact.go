package agents

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// factPatience is how long the thread may keep a hook. The agent stands still meanwhile; a
// fact that takes longer is left out.
const factPatience = 200 * time.Millisecond

// overhear takes a command that the agent's shell ran into the thread that is active where
// it ran. It makes no thread, and speaks to a person alone of what it could not do.
func (c *call) overhear(ctx context.Context, p payload) error {
	ran, ok := transcript.ToolCall{
		Program: c.program, Tool: p.Tool, Input: p.Input, Response: p.Response,
		Failed: c.event == "PostToolUseFailure", Error: p.Error, Interrupted: p.Interrupted, Dir: p.Dir,
	}.Ran()
	if !ok || !filepath.IsAbs(ran.Dir) {
		return nil
	}
	patience := c.FactPatience
	if patience == 0 {
		patience = factPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	in := home.Threads{Dir: ran.Dir, Now: c.Now, Actor: string(model.AgentActor(model.AgentID(c.agent)))}
	err := in.Observe(ctx, home.Execution{
		ID: strings.TrimSpace(c.program + " " + p.Session), Command: ran.Command, ExitStatus: ran.ExitStatus, NoStatus: ran.Untold, Claimed: ran.Claimed,
	})
	if err != nil {
		return fmt.Errorf("the command's end is no fact of the thread: %w", err)
	}
	return nil
}
