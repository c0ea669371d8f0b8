package agents

import (
	"context"
	"path/filepath"

	"vise/model"
	"vise/store/home"
	"vise/store/threads"
)

// over leaves the thread of the session's repository paused, with the facts alone. A
// repository without threads gets none.
func (c *call) over(ctx context.Context, p payload) error {
	if !filepath.IsAbs(p.Dir) || !threads.At(threads.FindRoot(p.Dir)).Exists() {
		return nil
	}
	threads := home.Threads{Dir: p.Dir, Now: c.Now, Actor: string(model.AgentActor(model.AgentID(c.agent)))}
	_, err := threads.Record(ctx, home.Execution{ID: c.program + " " + p.Session, SessionEnd: true})
	return err
}
