package agents

import (
	"cmp"
	"context"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
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

// isDriven reports whether vise runs the session, so that its driver tells its state.
func (c *call) isDriven() bool {
	return c.driven() && slices.ContainsFunc(c.home.Driven(), func(s home.Session) bool {
		return s.Program == c.program && s.ID == c.session && s.State != home.SessionGone
	})
}

// does records at which call the session works, or that it asks for a permission for one.
func (c *call) does(p payload, state home.SessionState) {
	if s, ok := c.heard(p); ok {
		call := acp.CallOf(sdk.SessionUpdate{ToolCall: callOf(transcript.ToolUse{Tool: p.Tool, Input: p.Input})})
		s.State, s.Doing = state, acp.Call{}.With(*call).Doing()
		c.home.NoteSession(s)
	}
}

// maxDoing bounds the end of a transcript that is searched for the call that runs.
const maxDoing = 64 << 10

// Look returns a session that a person runs with what its transcript tells: the call that runs, or that somebody stopped its turn or
// refused what it asked. No hook reports that.
func Look(s home.Session) home.Session {
	switch asks := s.State == home.SessionAsks; {
	case s.Driver.PID != 0 || !asks && s.State != home.SessionWorks:
	case Answered(s, model.Permission{AskedAt: s.Since}) && (asks || s.Program == "claude"):
		s.State, s.Doing = home.SessionRests, ""
	case !asks:
		var story acp.Story
		all, _, _ := told(s, 0, maxDoing) // a transcript that cannot be read tells nothing more
		for _, e := range all {
			story.Add(e)
		}
		for _, p := range story.Parts {
			if p.Kind == acp.PartCall && !p.Call.Ended() {
				s.Doing, s.Since = p.Call.Doing(), p.At
			}
		}
	}
	return s
}

// rests records that the session's turn has ended.
func (c *call) rests() {
	if c.isDriven() {
		return
	}
	c.home.NoteSession(home.Session{Program: c.program, ID: c.session, Agent: c.agent, State: home.SessionRests})
}

// heard returns what an event says about the session; a subagent's event says nothing. The session's directory is taken from prompts and
// from vise's own tools.
func (c *call) heard(p payload) (s home.Session, ok bool) {
	if c.session == "" || p.Subagent != "" || c.isDriven() {
		return s, false
	}
	s = home.Session{Program: c.program, ID: c.session, Agent: c.agent, Count: home.Count{Driven: c.driven()}}
	if p.Tool != "" && !transcript.IsOurs(p.Tool) {
		return s, true
	}
	s.At, s.Dir, s.Pane, s.Transcript = c.Now().UTC(), cmp.Or(p.Dir, c.Dir), c.Getenv("TMUX_PANE"), p.Transcript
	if c.Asking != nil && p.Tool == "" {
		s.Process = c.Asking(c.program)
	}
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
