package agents

import (
	"cmp"
	"context"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// noteSession records that a session has begun, and where.
func (c *call) noteSession(p payload) {
	if s, ok := c.heard(p); ok {
		c.home.NoteSession(s)
	}
}

// works records that the session is working, on which item, and what it picked. A subagent may work while its session is idle.
func (c *call) works(ctx context.Context, p payload) {
	s, ok := c.heard(p)
	if !ok {
		return
	}
	s.State = home.SessionWorks
	if transcript.Picks(p.Tool) && transcript.Succeeded(p.Response) && !c.busy {
		ctx, cancel := c.soon(ctx)
		defer cancel()
		err := c.home.View(ctx, func(r model.Reader) error {
			if w, ok := model.Focus(r, s.Agent); ok {
				s.Item = w.ID
			}
			return nil
		})
		c.busy = err != nil // on an error the session keeps its earlier items
	}
	c.home.NoteSession(s)
}

// rests records that the session's turn has ended.
func (c *call) rests() {
	c.home.NoteSession(home.Session{Program: c.program, ID: c.session, Agent: c.agent, State: home.SessionRests})
}

// heard returns what an event says about the session; a subagent's event says nothing. The session's directory is taken from prompts and
// from vise's own tools.
func (c *call) heard(p payload) (s home.Session, ok bool) {
	if c.session == "" || p.Subagent != "" {
		return s, false
	}
	s = home.Session{Program: c.program, ID: c.session, Agent: c.agent}
	if p.Tool != "" && !transcript.IsOurs(p.Tool) {
		return s, true
	}
	s.At, s.Dir, s.Pane, s.Transcript = c.Now().UTC(), cmp.Or(p.Dir, c.Dir), c.Getenv("TMUX_PANE"), p.Transcript
	s.Tmux, _, _ = strings.Cut(c.Getenv("TMUX"), ",")
	if item := transcript.WorkItem(p.Tool, p.Input); item != "" {
		s.WorkedOn = []home.Named{{Name: item, At: s.At}}
	}
	return s, true
}

// Resume returns the command that resumes a session in its directory, or nil if its program has no such command.
func Resume(s home.Session) []string {
	switch s.Program {
	case "claude":
		return []string{"claude", "--resume", s.ID}
	case "codex":
		return []string{"codex", "resume", s.ID}
	case "opencode":
		return []string{"opencode", "--session", s.ID}
	}
	return nil
}
