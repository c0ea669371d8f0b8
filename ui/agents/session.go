package agents

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/runner"
	"vise/ui/transcript"
)

// noteSession records that a session has begun, and where.
func (c *call) noteSession(p payload) {
	if s, ok := c.heard(p); ok {
		was, known := c.home.SessionOf(c.agent, c.program, c.session)
		if !known || was.State == "" || was.Process != s.Process { // else its turn goes on, or its first prompt was faster
			s.State = home.SessionRests
		}
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
		_ = c.view(ctx, func(r model.Reader) { // on an error the session keeps its earlier items
			if w, ok := model.Focus(r, s.Agent); ok {
				s.Item = w.ID
			}
		})
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

// Looked keeps what the transcripts of sessions that work told, by session.
type Looked map[string]struct {
	of, told home.Session
	size     int64
	at       time.Time
}

// Look returns a session that a person runs with what its transcript tells: the call that runs, or that somebody stopped its turn or
// refused what it asked. No hook reports that. The transcript is read only if it or the session has changed.
func (l Looked) Look(s home.Session) home.Session {
	file, err := os.Lstat(s.Transcript)
	if s.Driver.PID != 0 || s.State != home.SessionAsks && s.State != home.SessionWorks || err != nil {
		delete(l, s.ID)
		return s
	}
	if was := l[s.ID]; was.size != file.Size() || !was.at.Equal(file.ModTime()) || !reflect.DeepEqual(was.of, s) {
		was.of, was.told, was.size, was.at = s, look(s), file.Size(), file.ModTime()
		l[s.ID] = was
	}
	return l[s.ID].told
}

func look(s home.Session) home.Session {
	switch asks := s.State == home.SessionAsks; {
	case Answered(s, model.Permission{AskedAt: s.Since}) && (asks || s.Program == "claude"):
		s.State, s.Doing = home.SessionRests, ""
	case !asks:
		var story acp.Story
		all, _, _ := Told(s, 0, maxDoing) // a transcript that cannot be read tells nothing more
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
	s.At, s.Dir, s.Pane, s.Transcript = c.Now().UTC(), c.Dir, c.Getenv("TMUX_PANE"), p.Transcript
	s.Tmux, _, _ = strings.Cut(c.Getenv("TMUX"), ",")
	if c.Asking != nil && p.Tool == "" {
		if s.Process = c.Asking(c.program); s.Process.PID == 0 {
			s.Runs = InPane(s)
		}
	}
	if item := transcript.WorkItem(p.Tool, p.Input); item != "" {
		s.WorkedOn = []home.Named{{Name: item, At: s.At}}
	}
	return s, true
}

// Lives reports whether the driver or the program of a session lives or, if neither is known, its pane runs what it ran.
func Lives(s home.Session) bool {
	if p := cmp.Or(s.Driver, s.Process); p.PID != 0 {
		return runner.Alive(p)
	}
	return s.Runs == "" || InPane(s) == s.Runs
}

// The time for tmux's answer, and how long it holds.
const (
	paneTimeout = 2 * time.Second
	paneHolds   = 3 * time.Second
)

// inPanes is what ran in panes, by socket and pane.
var inPanes sync.Map

type inPane struct {
	runs string
	at   time.Time
}

// InPane returns the command that runs in a session's pane of tmux; empty if the pane is gone.
func InPane(s home.Session) string {
	if s.Pane == "" || s.Tmux == "" {
		return ""
	}
	key := s.Tmux + s.Pane
	if was, ok := inPanes.Load(key); ok && time.Since(was.(inPane).at) < paneHolds {
		return was.(inPane).runs
	}
	ctx, cancel := context.WithTimeout(context.Background(), paneTimeout)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "tmux", "-S", s.Tmux, "display-message", "-p", "-t", s.Pane, "#{pane_current_command}").Output()
	now := inPane{strings.TrimSpace(string(out)), time.Now()}
	inPanes.Store(key, now)
	return now.runs
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
