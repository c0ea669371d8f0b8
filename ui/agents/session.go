package agents

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/ui/transcript"
)

// Session is a program's session that worked as an agent, as its hooks told of it last.
type Session struct {
	Program string        `json:"program"`
	ID      string        `json:"session_id"`
	Agent   model.AgentID `json:"agent_id"`
	// Dir is where it runs: programs find a session again in its directory alone.
	Dir string `json:"dir"`
	// Tmux is the socket of the tmux server that it was in, and Pane its pane there.
	Tmux string    `json:"tmux,omitempty"`
	Pane string    `json:"pane,omitempty"`
	At   time.Time `json:"at"`
}

// noteSession keeps that a session works as the agent, and on the item that its call of a tool names. What
// cannot be kept is no reason to fail.
func (c *call) noteSession(p payload) {
	if p.Session == "" || p.Subagent != "" {
		return
	}
	s := Session{Program: c.program, ID: p.Session, Agent: model.AgentID(c.agent), Dir: cmp.Or(p.Dir, c.Dir),
		Pane: c.Getenv("TMUX_PANE"), At: c.Now().UTC()}
	s.Tmux, _, _ = strings.Cut(c.Getenv("TMUX"), ",")
	latest := sessionFile(c.home.Dir(), c.program, s.Agent, "")
	_ = writeJSON(latest, s)
	if item := transcript.WorkItem(p.Tool, p.Input); item != "" {
		_ = writeJSON(sessionFile(c.home.Dir(), c.program, s.Agent, item), s)
	}
	if c.event == "SessionStart" {
		c.forgetOld(filepath.Dir(latest))
	}
}

// sessionFile names an agent's last session, or the last one that worked on an item of its.
func sessionFile(home, program string, agent model.AgentID, item string) string {
	return stateFile(home, program, "sessions", string(agent), item)
}

// LastSession is the session that worked last on the item of one of these names, or else, or without names, as the agent.
func LastSession(home string, agent model.AgentID, names ...string) (last Session, ok bool) {
	for _, name := range names {
		for _, program := range Programs {
			if s, found := readSession(sessionFile(home, program, agent, name)); found && s.At.After(last.At) {
				last, ok = s, true
			}
		}
	}
	if ok || slices.Contains(names, "") {
		return last, ok
	}
	return LastSession(home, agent, "")
}

func readSession(path string) (s Session, ok bool) {
	raw, err := files.ReadSmall(path, maxState)
	return s, err == nil && json.Unmarshal(raw, &s) == nil && s.ID != ""
}

// Resume is the command that goes on with a session in its directory; none where the program has none.
func (s Session) Resume() []string {
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
