package agents

import (
	"context"
	"path/filepath"

	"vise/model"
	"vise/store/threads"
	"vise/ui/resume"
)

// over leaves the thread of the session's repository paused, with the facts alone. A
// repository without threads gets none.
func (c *call) over(ctx context.Context, p payload) error {
	if !filepath.IsAbs(p.Dir) || !threads.At(threads.FindRoot(p.Dir)).Exists() {
		return nil
	}
	room := resume.Room{Dir: p.Dir, Now: c.Now, Actor: string(model.AgentActor(model.AgentID(c.agent)))}
	_, err := room.Record(ctx, resume.Run{ID: c.program + " " + p.Session, Over: true})
	return err
}
